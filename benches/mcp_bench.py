#!/usr/bin/env python3
"""Serve the same content with the sidecar, with rmcp on axum and with the TypeScript SDK, in turn, and load each with wrk.

    mcp_bench.py [--rounds 5] [--seconds 2] [--connections 16] [--dist FOLDER]

The figure is the server's CPU time per request, as a ratio to rmcp. The responses of all servers to every request are
compared first. RIVAL names the folder with the program of tests/tools/rmcp.
"""
import argparse
import http.client
import json
import os
import shutil
import subprocess
from pathlib import Path

from measure import REPOSITORY, cpu_seconds, judged, markdown, median, program, run, workspace
from servers import Server, free_port, sidecar

NEW = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {}}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
GOAL = 0.5

# Writes one tab-separated line, as wrk_report.lua does.
SCRIPT = """wrk.method = "POST"
wrk.body = [==[{body}]==]
{fields}
dofile("{report}")
"""


def request_parts(method, params, newest):
    """Returns the body and headers of a request, in the newest protocol version or the one with a handshake."""
    fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if newest:
        params = {**params, "_meta": META}
        fields |= {"MCP-Protocol-Version": NEW, "Mcp-Method": method}
        subject = params.get("uri") if method == "resources/read" else params.get("name")
        fields |= {"Mcp-Name": subject} if subject else {}
    elif method != "initialize":
        fields["MCP-Protocol-Version"] = "2025-11-25"
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), fields


def answer(port, method, params, newest):
    """Returns the result and the size of the response in bytes."""
    body, fields = request_parts(method, params, newest)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/mcp", body.encode(), fields)
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    if reply.status != 200 or "result" not in json.loads(text):
        raise SystemExit(f"{method} on port {port}: {reply.status} {text[:300]}")
    return json.loads(text)["result"], len(text)


def cases(site):
    """Yields name, method, parameters, protocol versions (`True` for the newest) and the result members that must be equal."""
    call = lambda name, arguments: ("tools/call", {"name": name, "arguments": arguments})
    both = (False, True)
    yield "discover", "server/discover", {}, (True,), ("instructions",)
    yield "initialize", "initialize", HANDSHAKE, (False,), ("instructions", "protocolVersion")
    yield "ping", "ping", {}, (False,), ()
    yield "list tools", "tools/list", {}, both, ("tools",)
    yield "list resources", "resources/list", {}, both, ("resources",)
    yield "read a resource", "resources/read", {"uri": f"{site}/en/team.md"}, both, ("contents",)
    yield "call list_publications", *call("list_publications", {}), both, ("content", "structuredContent")
    yield "call get_page_markdown", *call("get_page_markdown", {"url": "/en/team"}), both, ("content",)
    yield "call search", *call("search", {"query": "employment contract"}), both, ("structuredContent",)


def agree(servers, case):
    """Exits unless all servers return the same; returns the sizes of the sidecar's responses."""
    _, method, params, wires, members = case
    sizes = {}
    for newest in wires:
        answers = {name: answer(server.port, method, params, newest) for name, server in servers.items()
                   if not (newest and name == "TypeScript")}
        for name, (result, size) in answers.items():
            for member in members:
                if result.get(member) != answers["sidecar"][0].get(member):
                    raise SystemExit(f"{method}: {member} of {name} differs:\n{json.dumps(result.get(member))[:600]}\n"
                                     f"{json.dumps(answers['sidecar'][0].get(member))[:600]}")
        sizes[newest] = answers["sidecar"][1]
    return sizes


def load(server, script, options):
    """Returns CPU time per request in µs, and requests per second."""
    command = ["taskset", "-c", "1", "wrk", "-t1", f"-c{options.connections}", f"-d{options.seconds}s", "-s", str(script),
               f"http://127.0.0.1:{server.port}/mcp"]
    before = cpu_seconds(server.process.pid)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    used = cpu_seconds(server.process.pid) - before
    line = next(line for line in output.splitlines() if line.startswith("RESULT"))
    requests, duration, _, _, failures = (float(value) for value in line.split("\t")[1:])
    if failures:
        raise SystemExit(f"{failures:.0f} of {requests:.0f} requests failed: {script.read_text()}")
    return used * 1e6 / requests, requests / duration


def start(dist, folder):
    servers = {"sidecar": sidecar(dist, folder / "sidecar")}
    rival = Path(os.environ.get("RIVAL", REPOSITORY / "target" / "rmcp" / "release")) / "mcp-server"
    port = free_port()
    servers["rmcp"] = Server([str(rival), str(dist), str(port)], port)
    port = free_port()
    peer = REPOSITORY / "tests" / "tools" / "mcp" / "peer.mjs"
    servers["TypeScript"] = Server(["node", str(peer), f"http://127.0.0.1:{servers['sidecar'].port}", str(port)], port)
    return servers


def measure(servers, site, folder, options):
    rows = []
    for case in cases(site):
        name, method, params, wires, _ = case
        sizes = agree(servers, case)
        for newest in wires:
            body, fields = request_parts(method, params, newest)
            script = folder / "question.lua"
            lines = [f'wrk.headers["{field}"] = "{value}"' for field, value in fields.items()]
            report = Path(__file__).with_name("wrk_report.lua")
            script.write_text(SCRIPT.format(body=body, fields="\n".join(lines), report=report))
            compared = {who: server for who, server in servers.items() if not (newest and who == "TypeScript")}
            rounds = [{who: load(server, script, options)[0] for who, server in compared.items()}
                      for _ in range(options.rounds)]
            middle = {who: median(one[who] for one in rounds) for who in compared}
            ratio = median(one["sidecar"] / one["rmcp"] for one in rounds)
            rows.append([name, "2026-07-28" if newest else "2025-11-25", sizes[newest], f"{middle['sidecar']:.1f}",
                         f"{middle['rmcp']:.1f}", judged(ratio, GOAL, f"{ratio:.2f}"),
                         f"{middle['TypeScript']:.0f}" if "TypeScript" in middle else ""])
    markdown(f"MCP, CPU time per request in µs; medians of {options.rounds} rounds of {options.seconds} s, "
             f"{options.connections} connections; ratios to rmcp taken within a round",
             ["request", "revision", "bytes", "sidecar", "rmcp on axum", "ratio", "TypeScript SDK"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--dist", type=Path, help="Use this build instead of the demonstration firm's")
    options = parser.parse_args()
    folder, _ = workspace("mcp", 1)
    servers = {}
    try:
        dist = options.dist or folder / "dist"
        if not options.dist:
            run([program("generator"), "build", "--content", REPOSITORY / "content", "--templates",
                 REPOSITORY / "templates", "--out", dist, "--compression", "none"])
        site = json.loads((dist / "manifest.json").read_text())["site_url"]
        servers = start(dist, folder)
        measure(servers, site, folder, options)
    finally:
        for server in servers.values():
            server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
