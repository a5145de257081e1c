#!/usr/bin/env python3
"""Processor time of a server for each request to its MCP endpoint, on both wires.

    python3 mcp_bench.py URL PID [REQUESTS]

Any server that serves the same content can be measured so: PID is its process, whose time is read before and after.
Processor time does not depend on what else the machine does; requests a second do, and are not reported.
"""

import http.client
import json
import os
import sys
import urllib.parse

NEW = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": NEW,
    "io.modelcontextprotocol/clientCapabilities": {},
}
TICKS = os.sysconf("SC_CLK_TCK")


def processor_time(pid: int) -> float:
    """Seconds of processor time of a process with all its threads."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def request(method: str, params: dict, newest: bool) -> tuple[bytes, dict]:
    fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if newest:
        params = {**params, "_meta": META}
        fields |= {"MCP-Protocol-Version": NEW, "Mcp-Method": method}
        subject = params.get("uri") if method == "resources/read" else params.get("name")
        fields |= {"Mcp-Name": subject} if subject else {}
    else:
        fields["MCP-Protocol-Version"] = "2025-11-25"
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode(), fields


def measure(host: str, pid: int, count: int, method: str, params: dict, newest: bool) -> tuple[float, int]:
    """Microseconds of processor time for each request, and octets of the answer."""
    body, fields = request(method, params, newest)
    connection = http.client.HTTPConnection(host, timeout=10)

    def ask() -> int:
        connection.request("POST", "/mcp", body, fields)
        reply = connection.getresponse()
        answer = reply.read()
        if reply.status != 200 or b'"error":{' in answer[:200]:
            sys.exit(f"{method}: {reply.status} {answer[:200]!r}")
        return len(answer)

    for _ in range(200):
        size = ask()
    before = processor_time(pid)
    for _ in range(count):
        ask()
    return (processor_time(pid) - before) / count * 1e6, size


def main() -> None:
    url, pid = sys.argv[1], int(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    host = urllib.parse.urlsplit(url).netloc
    calls = {
        "tools/list": ("tools/list", {}),
        "resources/list": ("resources/list", {}),
        "resources/read": ("resources/read", {"uri": f"{url}/en/team.md"}),
        "tools/call list_publications": ("tools/call", {"name": "list_publications", "arguments": {}}),
        "tools/call get_page_markdown": ("tools/call", {"name": "get_page_markdown", "arguments": {"url": "/en/team"}}),
        "tools/call search": ("tools/call", {"name": "search", "arguments": {"query": "employment contract"}}),
    }
    print(f"{'':32}{'octets':>8}{'handshake':>12}{'newest':>12}   µs of processor time a request")
    for name, (method, params) in calls.items():
        old, size = measure(host, pid, count, method, params, newest=False)
        new, _ = measure(host, pid, count, method, params, newest=True)
        print(f"{name:32}{size:>8}{old:>12.1f}{new:>12.1f}")
    new, size = measure(host, pid, count, "server/discover", {}, newest=True)
    print(f"{'server/discover':32}{size:>8}{'':>12}{new:>12.1f}")


main()
