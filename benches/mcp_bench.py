#!/usr/bin/env python3
"""Processor time of a server for each request to its MCP endpoint, on both wires.

    python3 mcp_bench.py URL PID [REQUESTS] [--handshake]

Any server that serves the same content can be measured so: PID is its process, whose time is read before and after.
With `--handshake` only the older wire is asked, for servers that know no other.
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
    arguments = [argument for argument in sys.argv[1:] if argument != "--handshake"]
    url, pid = arguments[0], int(arguments[1])
    count = int(arguments[2]) if len(arguments) > 2 else 20_000
    wires = [False] if "--handshake" in sys.argv else [False, True]
    host = urllib.parse.urlsplit(url).netloc
    site = first_resource(host).rsplit("/", 1)[0]
    calls = {
        "tools/list": ("tools/list", {}),
        "resources/list": ("resources/list", {}),
        "resources/read": ("resources/read", {"uri": f"{site}/en/team.md"}),
        "tools/call list_publications": ("tools/call", {"name": "list_publications", "arguments": {}}),
        "tools/call get_page_markdown": ("tools/call", {"name": "get_page_markdown", "arguments": {"url": "/en/team"}}),
        "tools/call search": ("tools/call", {"name": "search", "arguments": {"query": "employment contract"}}),
    }
    print(f"{'':32}{'octets':>8}{'handshake':>12}{'newest':>12}   µs of processor time a request")
    for name, (method, params) in calls.items():
        measured = [measure(host, pid, count, method, params, newest) for newest in wires]
        print(f"{name:32}{measured[0][1]:>8}" + "".join(f"{time:>12.1f}" for time, _ in measured))
    if True in wires:
        time, size = measure(host, pid, count, "server/discover", {}, newest=True)
        print(f"{'server/discover':32}{size:>8}{'':>12}{time:>12.1f}")


def first_resource(host: str) -> str:
    """The address of the start page's text, which tells for which origin the content was built."""
    body, fields = request("resources/list", {}, newest=False)
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("POST", "/mcp", body, fields)
    return json.loads(connection.getresponse().read())["result"]["resources"][0]["uri"]


main()
