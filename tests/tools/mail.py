"""Checks messages as a mail server with TLS and a password receives them.

    python mail.py SIDECAR DIST WORK

Starts a mail server and sidecars on free ports. The server is first unreachable, then defers a message,
then accepts it; another rejects for good; a third has an untrusted certificate.
"""

import email
import email.policy
import http.client
import json
import logging
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from extent import PATIENCE

USER, PASSWORD = "mecelle", "p@ss:word/?&"
findings = []


def expect(condition, where, what):
    if not condition:
        findings.append(f"{where}: {what}")


class Handler:
    """Stores messages. Defers the first attempt for each recipient that begins with `later`."""

    def __init__(self):
        self.taken, self.seen, self.logins = [], {}, 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.seen[address] = self.seen.get(address, 0) + 1
        if address.startswith("never"):
            return "550 5.1.1 no such mailbox"
        if address.startswith("later") and self.seen[address] == 1:
            return "451 4.7.1 come back later"
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, server, session, envelope):
        self.taken.append((envelope.mail_from, envelope.rcpt_tos, envelope.original_content, bool(session.ssl)))
        return "250 taken"

    def authenticate(self, server, session, envelope, mechanism, data):
        self.logins += 1
        right = isinstance(data, LoginPassword) and data == LoginPassword(USER.encode(), PASSWORD.encode())
        return AuthResult(success=right)

    def to(self, address):
        return [taken for taken in self.taken if address in taken[1]]


def certificate(folder):
    """Creates a self-signed certificate for 127.0.0.1, and its key."""
    names = [os.path.join(folder, name) for name in ("mail.pem", "mail-key.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    command += ["-keyout", names[1], "-out", names[0], "-subj", "/CN=mail.example"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run(command, check=True, capture_output=True)
    return names


def mail_server(handler, port, chain):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*chain)
    controller = Controller(
        handler, hostname="127.0.0.1", port=port, tls_context=context, require_starttls=True,
        authenticator=handler.authenticate, auth_required=True, auth_require_tls=True,
    )
    controller.start()
    return controller


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Sidecar:
    def __init__(self, binary, dist, folder, mail):
        os.makedirs(folder)
        self.port, self.log = free_port(), os.path.join(folder, "log")
        settings = {
            "LISTEN": f"127.0.0.1:{self.port}", "DIST": dist, "STORE": f"sqlite://{folder}/store.sqlite",
            "SECRET_FILE": f"{folder}/secret", "MAIL": mail, "LOG_LEVEL": "trace",
        }
        environment = dict(os.environ, **{f"MECELLE_{name}": value for name, value in settings.items()})
        self.process = subprocess.Popen([binary, "serve"], env=environment, stderr=open(self.log, "w"))
        until(lambda: self.get("/api/v1/health").status == 200, "the sidecar answers")

    def ask(self, method, path, body=None, fields=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body, fields or {})
        response = connection.getresponse()
        response.text = response.read().decode()
        return response

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, body):
        response = self.ask("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        return json.loads(response.text)

    def form(self, path, **values):
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urllib.parse.urlencode(values), fields)

    def logged(self):
        with open(self.log) as log:
            return log.read()

    def claim(self, address, locale):
        registration = self.post("/agent/auth", {"type": "anonymous"})
        started = self.post("/agent/auth/claim", {"claim_token": registration["claim_token"], "email": address, "locale": locale})
        expect(started.get("status") == "initiated", address, f"the claim does not begin: {started}")
        return registration

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


def until(is_so, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if is_so():
                return True
        except OSError:
            pass
        time.sleep(0.05)
    findings.append(f"{what}: not within {seconds:.0f} seconds")
    return False


def judge(taken, address, locale, path):
    """Checks a message; returns its link."""
    sender, recipients, content, encrypted = taken
    where = f"{address} {locale}"
    expect(encrypted, where, "was sent in clear")
    expect(recipients == [address], where, f"went to {recipients}")
    expect(b"\n" not in content.replace(b"\r\n", b"") and b"\r" not in content.replace(b"\r\n", b""), where, "has a bare line end")
    expect(max(map(len, content.split(b"\r\n"))) <= 998, where, "has a line that is too long")
    message = email.message_from_bytes(content, policy=email.policy.default)
    expect(not message.defects, where, f"is malformed: {message.defects}")
    for name in ("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "Content-Language", "MIME-Version"):
        expect(len(message.get_all(name, [])) == 1, where, f"has {name} {len(message.get_all(name, []))} times")
    expect(message["Auto-Submitted"] == "auto-generated", where, "does not say that a program wrote it")
    expect(message["Content-Language"] == locale, where, f"is in {message['Content-Language']}")
    expect(message["To"].addresses[0].addr_spec == address, where, f"is to {message['To']}")
    expect(message["From"].addresses[0].addr_spec == sender == "no-reply@mail.example", where, f"is from {message['From']}")
    expect(message["Reply-To"] is not None, where, "has no Reply-To")
    expect(abs(message["Date"].datetime.timestamp() - time.time()) < 120, where, f"is of {message['Date']}")
    text = message.get_body(("plain",)).get_content()
    html = message.get_body(("html",)).get_content()
    expect(address in text and "{{" not in text + html, where, "is not filled")
    links = re.findall(r"https?://\S+" + re.escape(path) + r"\?token=\S+", text)
    expect(len(links) == 1, where, f"has {len(links)} links")
    expect(links[0].replace("&", "&amp;") in html, where, "has another link in HTML")
    expect(f"locale={locale}" in links[0], where, "has a link to the other language")
    expect(not re.search(r"(?<![\w.:+-])\d{6}(?![\w.-])", text), where, "has what looks like a code")
    split = urllib.parse.urlsplit(links[0])
    return f"{split.path}?{split.query}", dict(urllib.parse.parse_qsl(split.query))["token"]


def ceremony(sidecar, handler, address, locale):
    """Checks the way from the message to the credential, and the revocation."""
    path, token = judge(handler.to(address)[-1], address, locale, "/agent/auth/claim/view")
    expect(sidecar.get(path).status == 200, address, "the link in the message leads nowhere")
    page = sidecar.form("/agent/auth/claim/attempt/challenge", claim_attempt_token=token)
    code = re.search(r"<strong>(\d{6})</strong>", page.text)
    expect(code is not None, address, f"there is no code after the click, but {page.status}")
    return token, code and code.group(1)


def confide(secrets):
    """Records secrets for the search of all logs."""
    if name := os.environ.get("SECRETS_FILE"):
        with open(name, "a") as file:
            file.writelines(f"{secret}\n" for secret in secrets)


def main():
    binary, dist, work = sys.argv[1:]
    # The mail server logs clients that do not trust it, which is intended here.
    logging.disable(logging.CRITICAL)
    chain, port, handler = certificate(work), free_port(), Handler()
    login = f"{USER}:{urllib.parse.quote(PASSWORD, safe='')}"
    place = f"smtp://{login}@127.0.0.1:{port}?tls=required&from=no-reply@mail.example"
    sidecar = Sidecar(binary, dist, os.path.join(work, "trusting"), f"{place}&ca={urllib.parse.quote(chain[0])}")
    doubting = Sidecar(binary, dist, os.path.join(work, "doubting"), place)
    server, secrets = None, [PASSWORD]
    try:
        # The mail server is not running yet: the ceremony waits.
        registrations = {f"ayse.{locale}@client.example": sidecar.claim(f"ayse.{locale}@client.example", locale) for locale in ("en", "tr")}
        until(lambda: "cannot be reached" in sidecar.logged(), "the log says that the mail server cannot be reached")
        server = mail_server(handler, port, chain)
        for address, registration in registrations.items():
            locale = address[5:7]
            if not until(lambda: handler.to(address), f"the message to {address}"):
                continue
            token, code = ceremony(sidecar, handler, address, locale)
            secrets += [token, code, registration["claim_token"], registration["credential"]]
            done = sidecar.post("/agent/auth/claim/complete", {"claim_token": registration["claim_token"], "otp": code})
            expect(done.get("status") == "claimed", address, f"the code is not taken: {done}")
            expect(sidecar.form("/agent/access", email=address, locale=locale).status == 200, address, "no link to access")
            if until(lambda: len(handler.to(address)) == 2, f"the link to access for {address}"):
                path, token = judge(handler.to(address)[-1], address, locale, "/agent/access/view")
                secrets.append(token)
                expect(registration["registration_id"] in sidecar.get(path).text, address, "the list lacks the agent")
        # A deferred message is sent later, once; a rejected one is not retried.
        for address in ("never@client.example", "later@client.example"):
            sidecar.claim(address, "en")
        until(lambda: handler.to("later@client.example"), "the message that was put off")
        expect(handler.seen.get("never@client.example") == 1, "never@client.example", f"was tried {handler.seen.get('never@client.example')} times")
        expect(len(handler.to("later@client.example")) == 1, "later@client.example", "came twice")
        identifiers = [email.message_from_bytes(taken[2])["Message-ID"] for taken in handler.taken]
        expect(len(set(identifiers)) == len(identifiers), "Message-ID", "is used twice")
        # A server with an untrusted certificate receives nothing.
        logins, taken = handler.logins, len(handler.taken)
        doubting.claim("zeynep@client.example", "en")
        until(lambda: "its certificate is not trusted" in doubting.logged(), "the log says that the certificate is not trusted")
        expect(handler.logins == logins and len(handler.taken) == taken, "an untrusted server", "received something")
        confide([it for it in secrets if it] + [*handler.seen, "zeynep@client.example"])
        for one in (sidecar, doubting):
            log = one.logged()
            for secret in [it for it in secrets if it] + ["client.example"]:
                expect(secret not in log, one.log, f"the log holds {secret[:4]}…")
    finally:
        sidecar.stop()
        doubting.stop()
        if server:
            server.stop()
    for line in findings:
        print(line)
    print(f"{len(handler.taken)} messages: {len(findings)} findings")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
