"""Throws what no good client sends at a server on this machine, and sees that it keeps its temper.

No answer may be a server error, none may take long, and afterwards an ordinary request is answered within a second.
Everything is bounded: connections, octets, time.
"""

import resource
import socket
import sys
import time
from contextlib import suppress
from urllib.parse import urlsplit

IDLE = 2_000
SLOW = 200
PATIENCE = 5.0

HOST = "Host: localhost\r\n"
QUOTES = '"' * 9_999
GET = f"GET /api/v1/health HTTP/1.1\r\n{HOST}"

# What is wrong with it, the octets, and the statuses that are an answer; None: closing without one is fine too.
ODDITIES = [
    ("no request", b"\r\n\r\n\r\n", {400, 408, None}),
    ("noise", bytes(range(256)) * 8, {400, None}),
    ("a TLS greeting", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), {400, None}),
    ("an HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), {400, 404, 405, 505, None}),
    ("no version", b"GET /\r\n\r\n", {400, None}),
    ("version 9.9", f"GET / HTTP/9.9\r\n{HOST}\r\n", {400, 505, None}),
    ("version 1.0 without Host", "GET /api/v1/health HTTP/1.0\r\n\r\n", {200, 400}),
    ("no Host", "GET /api/v1/health HTTP/1.1\r\n\r\n", {200, 400}),
    ("two Hosts", f"{GET}Host: other\r\n\r\n", {200, 400}),
    ("a NUL in the path", f"GET /en\x00/team HTTP/1.1\r\n{HOST}\r\n", {400, 404, None}),
    ("a NUL in a field", f"{GET}X-A: a\x00b\r\n\r\n", {200, 400, None}),
    ("a field without colon", f"{GET}nonsense\r\n\r\n", {400, None}),
    ("a space before the colon", f"{GET}Accept : text/html\r\n\r\n", {400, None}),
    ("a folded field", f"{GET}Accept: text/html,\r\n text/markdown\r\n\r\n", {200, 400, None}),
    ("bare line feeds", "GET /api/v1/health HTTP/1.1\nHost: localhost\n\n", {200, 400, None}),
    ("a long field", f"{GET}X-A: {'a' * 200_000}\r\n\r\n", {400, 413, 431, None}),
    ("5,000 fields", GET + "".join(f"X-{i}: a\r\n" for i in range(5_000)) + "\r\n", {400, 431, None}),
    ("a long path", f"GET /{'a' * 100_000} HTTP/1.1\r\n{HOST}\r\n", {400, 404, 414, 431, None}),
    ("a long query", f"GET /api/v1/team?locale=en&{'a' * 60_000} HTTP/1.1\r\n{HOST}\r\n", {200, 400, 414, 431, None}),
    ("an absurd Accept", f"GET /en HTTP/1.1\r\n{HOST}Accept: {'a/b;q=0.1,' * 2_000}\r\n\r\n", {200, 400, 406, 431, None}),
    ("an Accept of commas", f"GET /en HTTP/1.1\r\n{HOST}Accept: {',' * 20_000}\r\n\r\n", {200, 400, 406, 431, None}),
    ("a q of nothing", f"GET /en HTTP/1.1\r\n{HOST}Accept: text/html;q=;q=NaN;q=9e99\r\n\r\n", {200, 400, 406}),
    ("an Accept that is not text", b"GET /en HTTP/1.1\r\nHost: localhost\r\nAccept: \xff\xfe\r\n\r\n", {200, 400, 406}),
    ("an absurd If-None-Match", f"GET /en HTTP/1.1\r\n{HOST}If-None-Match: {QUOTES}\r\n\r\n", {200, 304, 400, 431}),
    ("an absurd Range", f"GET /en HTTP/1.1\r\n{HOST}Range: bytes={'0-,' * 2_000}\r\n\r\n", {200, 206, 400, 416, 431}),
    ("a credential that is not text", b"GET /api/v1/team HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \xff\xfe\r\n\r\n", {400, 401}),
    ("a body on GET", f"{GET}Content-Length: 5\r\n\r\nhello", {200, 400, 413}),
    ("a chunked body on GET", f"{GET}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", {200, 400, 413}),
    ("a huge body announced", f"{GET}Content-Length: 99999999999\r\n\r\n", {200, 400, 413, None}),
    ("a length past all numbers", f"{GET}Content-Length: {'9' * 40}\r\n\r\n", {400, 413, None}),
    ("a length below zero", f"{GET}Content-Length: -1\r\n\r\n", {400, None}),
    ("two lengths", f"{GET}Content-Length: 0\r\nContent-Length: 5\r\n\r\n", {400, None}),
    ("length and chunks", f"{GET}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {200, 400, 413, None}),
    ("an unknown transfer coding", f"{GET}Transfer-Encoding: frob\r\n\r\n", {400, 501, None}),
    ("a bad chunk", f"POST /api/v1/team HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n", {400, 405, None}),
    ("an expectation", f"{GET}Expect: 999-nonsense\r\n\r\n", {200, 417}),
    ("an upgrade", f"{GET}Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", {200}),
    ("CONNECT", "CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n", {400, 404, 405, None}),
    ("an absolute target", f"GET http://elsewhere.example/en HTTP/1.1\r\n{HOST}\r\n", {200, 308, 400, 404, 421}),
    ("an asterisk", f"OPTIONS * HTTP/1.1\r\n{HOST}\r\n", {200, 204, 400, 404, 405}),
    ("an unknown method", f"FROB /api/v1/team HTTP/1.1\r\n{HOST}\r\n", {405}),
    ("a method of 10,000 letters", f"{'A' * 10_000} / HTTP/1.1\r\n{HOST}\r\n", {400, 405, 431, None}),
    ("a percent alone", f"GET /en/% HTTP/1.1\r\n{HOST}\r\n", {400, 404}),
    ("an encoded NUL", f"GET /en%00 HTTP/1.1\r\n{HOST}\r\n", {400, 404}),
    ("encoded octets that are not text", f"GET /en/%ff%fe HTTP/1.1\r\n{HOST}\r\n", {400, 404}),
    ("a locale that is not text", f"GET /api/v1/team?locale=%ff HTTP/1.1\r\n{HOST}\r\n", {400}),
]

# Ways out of the folder, plain and encoded; none may lead anywhere.
TRAVERSALS = [
    "/../manifest.json", "/..%2fmanifest.json", "/%2e%2e/%2e%2e/etc/passwd", "/en/..%2f..%2f..%2fetc/passwd", "/..%5c..%5cetc",
    "/assets/%2e%2e/manifest.json", "/assets/..%252f..%252fetc/passwd", "//etc/passwd", "/en//team", "/./en", "/%c0%ae%c0%ae/",
    "/manifest.json", "/.previous/", "/.git/config", "/en.md/../manifest.json", "/en/team;/../../etc/passwd",
]  # fmt: skip


class Server:
    """The server under judgement."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self.address = (address.hostname, address.port)

    def connect(self) -> socket.socket:
        """A connection whose operations give up when patience ends."""
        return socket.create_connection(self.address, timeout=PATIENCE)

    def status(self, octets: bytes) -> int | None:
        """Status of the first answer to `octets`; None when the server only closes. Raises TimeoutError."""
        answer = b""
        with self.connect() as connection:
            # Refusing to read on is an answer; what came before it counts.
            with suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(octets)
            with suppress(ConnectionResetError):
                while b"\r\n" not in answer and (part := connection.recv(4096)):
                    answer += part
        head = answer.split(b" ", 2)
        return int(head[1]) if len(head) > 1 and head[0].startswith(b"HTTP/1.") else None


class Judgement:
    """What was found."""

    def __init__(self) -> None:
        self.findings: list[str] = []
        self.looked = 0

    def expect(self, condition: bool, what: str) -> None:
        """Notes `what` unless the condition holds."""
        self.looked += 1
        if not condition:
            self.findings.append(what)
            print(what)


def oddities(server: Server, judgement: Judgement) -> None:
    """Each oddity gets one of its answers."""
    traversals = [(f"the path {path}", f"GET {path} HTTP/1.1\r\n{HOST}\r\n", {400, 404, 308}) for path in TRAVERSALS]
    for name, octets, allowed in ODDITIES + traversals:
        octets = octets if isinstance(octets, bytes) else octets.encode("latin-1")
        try:
            status = server.status(octets)
        except TimeoutError:
            judgement.expect(False, f"{name}: no answer within {PATIENCE:.0f} s")
            continue
        judgement.expect(status in allowed, f"{name}: {status}, expected one of {sorted(map(str, allowed))}")


def crowds(server: Server, judgement: Judgement) -> None:
    """Thousands who say nothing and hundreds who never finish leave room for one who asks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = IDLE + SLOW + 100
    if soft < room:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(room, hard), hard))
    guests: list[socket.socket] = []
    try:
        for _ in range(IDLE):
            guests.append(server.connect())
        for count in range(SLOW):
            guest = server.connect()
            guest.sendall(f"GET /en HTTP/1.1\r\nHost: localhost\r\nX-{count}: ".encode())
            guests.append(guest)
        for second in range(3):
            for guest in guests[IDLE:]:
                # To be shown out is right too.
                with suppress(OSError):
                    guest.sendall(b"a")
            ordinary(server, judgement, f"among {IDLE} idle and {SLOW} slow connections, second {second}")
            time.sleep(1)
    finally:
        for guest in guests:
            guest.close()


def ordinary(server: Server, judgement: Judgement, when: str) -> None:
    """An ordinary request is answered within a second."""
    start = time.monotonic()
    try:
        status = server.status(f"{GET}Connection: close\r\n\r\n".encode())
    except OSError as error:
        judgement.expect(False, f"{when}: {error}")
        return
    seconds = time.monotonic() - start
    judgement.expect(status == 200, f"{when}: an ordinary request gets {status}")
    judgement.expect(seconds < 1, f"{when}: an ordinary request takes {seconds:.2f} s")


def main() -> int:
    """Judges the server at the address given."""
    server, judgement = Server(sys.argv[1]), Judgement()
    ordinary(server, judgement, "at first")
    oddities(server, judgement)
    ordinary(server, judgement, "after the oddities")
    crowds(server, judgement)
    ordinary(server, judgement, "after the crowds")
    print(f"{judgement.looked} looks: {len(judgement.findings)} findings")
    return 1 if judgement.findings else 0


if __name__ == "__main__":
    sys.exit(main())
