"""Forwards requests to a server on this machine, and records every message with its response, one a line.

    python3 recorder.py PORT TARGET_PORT FILE
"""

import http.client
import http.server
import json
import sys
import threading

PORT, TARGET, FILE = int(sys.argv[1]), int(sys.argv[2]), open(sys.argv[3], "w", encoding="utf-8")
LOCK = threading.Lock()
HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def hand_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        upstream = http.client.HTTPConnection("127.0.0.1", TARGET, timeout=30)
        # Forward repeated fields too, since their treatment is checked.
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in HOP:
                upstream.putheader(name, value)
        if body or self.command == "POST":
            upstream.putheader("Content-Length", str(len(body)))
        upstream.endheaders(body or None)
        reply = upstream.getresponse()
        answer = reply.read()
        if self.path.split("?")[0] == "/mcp" and self.command == "POST":
            revisions = self.headers.get_all("MCP-Protocol-Version") or []
            line = {"revisions": revisions, "asked": body.decode("utf-8", "replace"), "status": reply.status,
                    "answer": answer.decode("utf-8")}
            with LOCK:
                print(json.dumps(line), file=FILE, flush=True)
        self.send_response_only(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        length = reply.getheader("Content-Length") if self.command == "HEAD" else str(len(answer))
        if length is not None and reply.status not in (204, 304):
            self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(answer)
        upstream.close()

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = hand_on

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


Server(("127.0.0.1", PORT), Recorder).serve_forever()
