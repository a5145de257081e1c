#!/usr/bin/env python3
"""The comments of a pull request, by the APIs of GitHub, Forgejo and GitLab: `forge.py PORT FILE`. The comments
are in FILE, one JSON list. Requests without the token `of-the-test` are refused."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

PORT, FILE = int(sys.argv[1]), Path(sys.argv[2])
LISTS = ["/api/repos/firm/site/issues/7/comments", "/api/projects/9/merge_requests/7/notes"]
CHANGES = {"PATCH": "/api/repos/firm/site/issues/comments/", "PUT": LISTS[1] + "/"}


class Forge(BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        comments = json.loads(FILE.read_text()) if FILE.exists() else []
        path = self.path.split("?")[0]
        tokens = [self.headers.get("Authorization"), self.headers.get("PRIVATE-TOKEN")]
        if not {"Bearer of-the-test", "of-the-test"}.intersection(tokens):
            return self.say(401, {})
        if self.command == "GET" and path in LISTS:
            return self.say(200, comments)
        if self.command == "POST" and path in LISTS:
            comments.append({"id": len(comments) + 100, **json.loads(body)})
        elif path.startswith(CHANGES.get(self.command, "nowhere")):
            one = [it for it in comments if str(it["id"]) == path.rsplit("/", 1)[1]]
            if not one:
                return self.say(404, {})
            one[0].update(json.loads(body))
        else:
            return self.say(404, {})
        FILE.write_text(json.dumps(comments))
        return self.say(200, comments[-1])

    do_GET = do_POST = do_PATCH = do_PUT = answer

    def say(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", PORT), Forge).serve_forever()
