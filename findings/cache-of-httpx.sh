#!/usr/bin/env bash
# RFC 9111: a response with `Cache-Control: no-cache` may be stored, but must be validated before each use. With its default policy hishel
# 2 does what its own configuration says, not what the response says.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q "hishel[httpx]==2.0.0" || exit 1
cat >get.py <<'PY'
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
import hishel.httpx

count = 0
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        global count
        count += 1
        body = str(count).encode()
        self.send_response(200)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("ETag", f'"{count}"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
import asyncio

async def main():
    async with hishel.httpx.AsyncCacheClient() as client:
        print([(await client.get(f"http://127.0.0.1:{server.server_port}/")).text for _ in range(3)])

asyncio.run(main())
PY
output=$(py/bin/python get.py) || exit 1
[[ $output == "['1', '1', '1']" ]] || { echo "$output"; exit 1; }
echo "hishel 2.0.0 serves a response with Cache-Control: no-cache from its cache without asking the server again"
