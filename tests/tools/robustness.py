"""Sends hostile requests to a server on this machine, which must answer them and continue to serve.

Each attack has one correct response. No response may be a server error, be late, or be followed by a second one, and
afterwards an ordinary request must be answered. Everything is bounded: connections, bytes, time, and the
server's memory.
"""

import os
import resource
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

# Silent connections; fewer if the system limits the files of a process.
IDLE = 20_000
SLOW = 200
# Files that a process needs for itself.
OWN_FILES = 200
# Files that it does not use for connections, with a reserve for uneven workers.
KEPT_FREE = 600
# Maximum memory of the server for one connection, in bytes; it may keep it for later connections.
CONNECTION_COST = 24 * 1024
PATIENCE = 60.0
# Time limit of an ordinary request on a busy machine: less than the five seconds after which slow clients are disconnected,
# for which it would wait if they blocked the server.
LATE = 4.0
# The wait for a second response, which must not arrive.
AFTERWARDS = 0.05

HOST = "Host: localhost\r\n"
QUOTES = '"' * 9_999
GET = f"GET /api/v1/health HTTP/1.1\r\n{HOST}"
POST = f"POST /api/v1/team HTTP/1.1\r\n{HOST}"
INNER = f"GET /api/v1/team HTTP/1.1\r\n{HOST}\r\n"

# The fault of a request, its bytes, and the status of the response.
ODDITIES = [
    ("noise", bytes(range(256)) * 8, 400),
    ("a TLS greeting", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), 400),
    ("an HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), 400),
    ("no version", b"GET /\r\n\r\n", 400),
    ("version 9.9", f"GET / HTTP/9.9\r\n{HOST}\r\n", 400),
    ("version 1.0 without Host", "GET /api/v1/health HTTP/1.0\r\n\r\n", 200),
    ("no Host", "GET /api/v1/health HTTP/1.1\r\n\r\n", 400),
    ("two Hosts", f"{GET}Host: other\r\n\r\n", 400),
    ("a NUL in the path", f"GET /en\x00/team HTTP/1.1\r\n{HOST}\r\n", 400),
    ("a NUL in a field", f"{GET}X-A: a\x00b\r\n\r\n", 400),
    ("a field without colon", f"{GET}nonsense\r\n\r\n", 400),
    ("a space before the colon", f"{GET}Accept : text/html\r\n\r\n", 400),
    ("a folded field", f"{GET}Accept: text/html,\r\n text/markdown\r\n\r\n", 400),
    # Some parsers end a line here and others do not (RFC 9112, 2.2), and would see another request.
    ("bare line feeds", "GET /api/v1/health HTTP/1.1\nHost: localhost\n\n", 400),
    ("a field of 20,000", f"{GET}X-A: {'a' * 20_000}\r\n\r\n", 200),
    ("a long path", f"GET /{'a' * 20_000} HTTP/1.1\r\n{HOST}\r\n", 414),
    ("a long query", f"GET /api/v1/team?locale=en&{'a' * 20_000} HTTP/1.1\r\n{HOST}\r\n", 414),
    ("an absurd Accept", f"GET /en HTTP/1.1\r\n{HOST}Accept: {'a/b;q=0.1,' * 2_000}\r\n\r\n", 406),
    ("an Accept of commas", f"GET /en HTTP/1.1\r\n{HOST}Accept: {',' * 20_000}\r\n\r\n", 200),
    ("a q of nothing", f"GET /en HTTP/1.1\r\n{HOST}Accept: text/html;q=;q=NaN;q=9e99\r\n\r\n", 200),
    ("an Accept that is not text", b"GET /en HTTP/1.1\r\nHost: localhost\r\nAccept: \xff\xfe\r\n\r\n", 200),
    ("an absurd If-None-Match", f"GET /en HTTP/1.1\r\n{HOST}If-None-Match: {QUOTES}\r\n\r\n", 200),
    ("an absurd Range", f"GET /en HTTP/1.1\r\n{HOST}Range: bytes={'0-,' * 2_000}\r\n\r\n", 200),
    ("a credential that is not text", b"GET /api/v1/team HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \xff\xfe\r\n\r\n", 401),
    ("a body on GET", f"{GET}Content-Length: 5\r\n\r\nhello", 200),
    ("a chunked body on GET", f"{GET}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200),
    ("a huge body announced", f"{GET}Content-Length: 99999999999\r\n\r\n", 200),
    ("a length past all numbers", f"{GET}Content-Length: {'9' * 40}\r\n\r\n", 400),
    ("a length below zero", f"{GET}Content-Length: -1\r\n\r\n", 400),
    ("a length with a sign", f"{GET}Content-Length: +5\r\n\r\nhello", 400),
    ("two lengths", f"{GET}Content-Length: 0\r\nContent-Length: 5\r\n\r\n", 400),
    ("length and chunks", f"{GET}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("an unknown transfer coding", f"{GET}Transfer-Encoding: frob\r\n\r\n", 400),
    ("a bad chunk", f"{POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n", 405),
    ("an expectation", f"{GET}Expect: 999-nonsense\r\n\r\n", 200),
    ("an upgrade", f"{GET}Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", 200),
    ("CONNECT", "CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n", 405),
    ("an absolute target", f"GET http://elsewhere.example/en HTTP/1.1\r\n{HOST}\r\n", 200),
    ("an asterisk", f"OPTIONS * HTTP/1.1\r\n{HOST}\r\n", 404),
    ("an unknown method", f"FROB /api/v1/team HTTP/1.1\r\n{HOST}\r\n", 405),
    ("a method of 10,000 letters", f"{'A' * 10_000} / HTTP/1.1\r\n{HOST}\r\n", 405),
    ("a percent alone", f"GET /en/% HTTP/1.1\r\n{HOST}\r\n", 404),
    ("an encoded NUL", f"GET /en%00 HTTP/1.1\r\n{HOST}\r\n", 404),
    ("encoded bytes that are not text", f"GET /en/%ff%fe HTTP/1.1\r\n{HOST}\r\n", 404),
    ("a locale that is not text", f"GET /api/v1/team?locale=%ff HTTP/1.1\r\n{HOST}\r\n", 400),
    # Security: a request in a body must not be read as a request.
    ("a request in a body", f"{GET}Content-Length: {len(INNER)}\r\n\r\n{INNER}", 200),
    ("a request in a chunk", f"{GET}Transfer-Encoding: chunked\r\n\r\n{len(INNER):x}\r\n{INNER}\r\n0\r\n\r\n", 200),
    ("a request behind length and chunks", f"{GET}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{INNER}", 400),
    ("a request behind a coding that ends in chunked", f"{GET}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{INNER}", 400),
    ("a request behind two codings", f"{GET}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n{INNER}", 400),
]

# The same for requests longer than a server reads: it answers and closes, and unread bytes may destroy the response on its
# way (RFC 9112, 9.6), so a reset is correct too.
FLOODS = [
    ("a field of 200,000", f"{GET}X-A: {'a' * 200_000}\r\n\r\n", 431),
    ("5,000 fields", GET + "".join(f"X-{i}: a\r\n" for i in range(5_000)) + "\r\n", 431),
    ("a path longer than any", f"GET /{'a' * 100_000} HTTP/1.1\r\n{HOST}\r\n", 414),
    ("a first line without end", "A" * 300_000, 414),
]

# Paths out of the folder, plain and encoded, which are all unknown.
TRAVERSALS = [
    "/../manifest.json", "/..%2fmanifest.json", "/%2e%2e/%2e%2e/etc/passwd", "/en/..%2f..%2f..%2fetc/passwd", "/..%5c..%5cetc",
    "/assets/%2e%2e/manifest.json", "/assets/..%252f..%252fetc/passwd", "//etc/passwd", "/en//team", "/./en", "/%c0%ae%c0%ae/",
    "/manifest.json", "/.previous/", "/.kept.json", "/.parts/search.en", "/.build.json", "/.lock", "/.git/config",
    "/en.md/../manifest.json", "/en/team;/../../etc/passwd",
]  # fmt: skip


class Server:
    """The server under test; with its process number, its memory too."""

    def __init__(self, url: str, process: str | None) -> None:
        address = urlsplit(url)
        self.address = (address.hostname, address.port)
        self.folder = Path("/proc", process) if process and Path("/proc", process, "status").exists() else None

    def connect(self, client: int = 0) -> socket.socket:
        """Opens a connection with a time limit. Clients use several addresses, because one has too few ports."""
        source = (f"127.0.0.{2 + client // 10_000}", 0) if client and sys.platform == "linux" else None
        return socket.create_connection(self.address, timeout=PATIENCE, source_address=source)

    def statuses(self, request: bytes) -> list[int]:
        """Returns the status of each response to `request`; empty if the server only closes. Raises TimeoutError."""
        answer = b""
        with self.connect() as connection:
            # The server may stop reading; the response before counts.
            with suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(request)
            with suppress(ConnectionResetError):
                while b"\r\n" not in answer and (part := connection.recv(65_536)):
                    answer += part
            connection.settimeout(AFTERWARDS)
            with suppress(ConnectionResetError, TimeoutError):
                while part := connection.recv(65_536):
                    answer += part
        return [int(rest[2:5]) for rest in answer.split(b"HTTP/1.")[1:] if rest[1:2] == b" " and rest[2:5].isdigit()]

    def memory(self) -> int:
        """Returns the resident memory in bytes."""
        fields = dict(line.split(":", 1) for line in (self.folder / "status").read_text().splitlines())
        return int(fields["VmRSS"].split()[0]) * 1024

    def files(self) -> int:
        """Open files, connections included."""
        return len(os.listdir(self.folder / "fd"))

    def most_files(self) -> int:
        """Returns the limit on open files."""
        line = next(it for it in (self.folder / "limits").read_text().splitlines() if it.startswith("Max open files"))
        return int(line.split()[3])


class Judgement:
    """The findings."""

    def __init__(self) -> None:
        self.findings: list[str] = []
        self.looked = 0

    def expect(self, condition: bool, what: str) -> None:
        """Records `what` unless the condition holds."""
        self.looked += 1
        if not condition:
            self.findings.append(what)
            print(what)


def oddities(server: Server, judgement: Judgement) -> None:
    """Checks that each oddity gets its response, and only one."""
    traversals = [(f"the path {path}", f"GET {path} HTTP/1.1\r\n{HOST}\r\n", 404) for path in TRAVERSALS]
    for name, request, expected in ODDITIES + traversals + FLOODS:
        request = request if isinstance(request, bytes) else request.encode("latin-1")
        try:
            statuses = server.statuses(request)
        except TimeoutError:
            judgement.expect(False, f"{name}: no answer within {PATIENCE:.0f} s")
            continue
        is_flood = any(name == flood for flood, _, _ in FLOODS)
        judgement.expect(statuses == [expected] or (is_flood and not statuses), f"{name}: {statuses}, expected {expected}")


def silent_clients(server: Server, judgement: Judgement) -> None:
    """Checks that a client that only opens a connection, or sends empty lines, is disconnected."""
    for name, request in [("nothing", b""), ("empty lines", b"\r\n\r\n\r\n"), ("half a request line", b"GET /en")]:
        try:
            statuses = server.statuses(request)
        except TimeoutError:
            judgement.expect(False, f"{name}: still connected after {PATIENCE:.0f} s")
            continue
        judgement.expect(statuses in ([], [408]), f"{name}: {statuses}, expected 408 or the end of the connection")


def many_connections(server: Server, judgement: Judgement, at_first: int) -> None:
    """Checks that thousands of idle and hundreds of slow connections do not delay an ordinary request, and cost little."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    allowed = min(hard, server.most_files() if server.folder else hard)
    idle = min(IDLE, allowed - SLOW - KEPT_FREE)
    if idle < IDLE:
        print(f"{idle} idle connections instead of {IDLE}: a process may open {allowed} files here")
    clients: list[socket.socket] = []
    try:
        # A connection without a request is closed after some seconds; one with a request stays longer.
        for number in range(idle):
            client = server.connect(number + 1)
            client.sendall(f"{GET}\r\n".encode())
            clients.append(client)
        answered = sum(client.recv(4096).startswith(b"HTTP/1.1 200 ") for client in clients)
        judgement.expect(answered == idle, f"{answered} of {idle} idle connections were answered")
        for count in range(SLOW):
            client = server.connect(count + 1)
            client.sendall(f"GET /en HTTP/1.1\r\nHost: localhost\r\nX-{count}: ".encode())
            clients.append(client)
        if server.folder:
            judgement.expect(server.files() >= idle + SLOW, f"{server.files()} files are open with {idle + SLOW} connections")
            cost = (server.memory() - at_first) / (idle + SLOW)
            print(f"{idle + SLOW} connections cost {cost / 1024:.1f} KiB each")
            judgement.expect(cost <= CONNECTION_COST, f"a connection costs {cost:.0f} bytes; {CONNECTION_COST} are allowed")
        for second in range(3):
            for client in clients[idle:]:
                # The server may close them.
                with suppress(OSError):
                    client.sendall(b"a")
            ordinary(server, judgement, f"among {idle} idle and {SLOW} slow connections, second {second}")
            time.sleep(1)
    finally:
        for client in clients:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if server.folder:
        end = time.monotonic() + PATIENCE
        while (left := server.files()) > OWN_FILES and time.monotonic() < end:
            time.sleep(0.05)
        judgement.expect(left <= OWN_FILES, f"{left} files are still open {PATIENCE:.0f} s after all connections were closed")


def ordinary(server: Server, judgement: Judgement, when: str) -> None:
    """Checks that an ordinary request is answered in time."""
    start = time.monotonic()
    try:
        statuses = server.statuses(f"{GET}Connection: close\r\n\r\n".encode())
    except OSError as error:
        judgement.expect(False, f"{when}: {error}")
        return
    seconds = time.monotonic() - start
    judgement.expect(statuses == [200], f"{when}: an ordinary request gets {statuses}")
    judgement.expect(seconds < LATE, f"{when}: an ordinary request takes {seconds:.2f} s")


def main() -> int:
    """Checks the server at the given address, and its process if that is given too."""
    server, judgement = Server(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None), Judgement()
    ordinary(server, judgement, "at first")
    at_first = server.memory() if server.folder else 0
    oddities(server, judgement)
    silent_clients(server, judgement)
    ordinary(server, judgement, "after the oddities")
    many_connections(server, judgement, at_first)
    ordinary(server, judgement, "after many connections")
    print(f"{judgement.looked} looks: {len(judgement.findings)} findings")
    return 1 if judgement.findings else 0


if __name__ == "__main__":
    sys.exit(main())
