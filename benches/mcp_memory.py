#!/usr/bin/env python3
"""Measure the resident memory of the sidecar under MCP load on a large site.

    mcp_memory.py [--publications 10000] [--requests 1000000] [--connections 32]

wrk requests lists, pages, searches, parts of pages and invalid addresses in turn, in both protocol versions. Resident
memory is recorded ten times; the figure is its growth between the second and the last record.
"""
import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from build_bench import NOW
from mcp_bench import HANDSHAKE, request_parts
from measure import HERE, REPOSITORY, content_megabytes, cpu_seconds, markdown, program, run, workspace
from servers import sidecar

NOTES = 10

SCRIPT = """local questions = {{ {questions} }}
local at = 0
request = function()
  at = at % #questions + 1
  return questions[at]
end
dofile("{report}")
"""


def build(folder, publications):
    run([sys.executable, HERE / "make_corpus.py", folder / "corpus", str(publications)])
    run([program("generator"), "build", "--content", folder / "corpus" / "mecelle" / "content", "--templates",
         REPOSITORY / "templates", "--out", folder / "dist", "--compression", "none", *NOW])
    shutil.rmtree(folder / "corpus")
    return folder / "dist"


def questions(dist):
    """Yields method, parameters and protocol version of every request, invalid ones included."""
    manifest = json.loads((dist / "manifest.json").read_text())
    site = manifest["site_url"]
    twins = [route["path"] for route in manifest["routes"] if route["class"] == "twin"]
    some = twins[:: max(1, len(twins) // 40)]
    call = lambda name, arguments: ("tools/call", {"name": name, "arguments": arguments})
    yield "initialize", HANDSHAKE, False
    yield "server/discover", {}, True
    for newest in (False, True):
        for method in ("tools/list", "resources/list", "prompts/list", "resources/templates/list"):
            yield method, {}, newest
        for path in some:
            yield "resources/read", {"uri": site + path}, newest
            yield *call("get_page_markdown", {"url": path, "max_chars": 2_000}), newest
        for query in ("contract", "sözleşme tazminatı", "\"the contract\"", "kira artisi", "xyzzy", "tax disputes"):
            yield *call("search", {"query": query}), newest
        yield *call("list_publications", {"offset": 100}), newest
        yield *call("get_page_markdown", {"url": "/nothing"}), newest
        yield "resources/read", {"uri": site + "/nothing.md"}, newest


def script(folder, requests):
    """Writes a script for wrk that sends all requests in turn; returns its path."""
    texts = []
    for method, params, newest in requests:
        body, fields = request_parts(method, params, newest)
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        text = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body.encode())}\r\n\r\n{body}"
        texts.append(json.dumps(text, ensure_ascii=False))
    path = folder / "questions.lua"
    path.write_text(SCRIPT.format(questions=",\n".join(texts), report=HERE / "wrk_report.lua"))
    return path


def load(server, path, connections, seconds):
    command = ["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(path),
               f"http://127.0.0.1:{server.port}/mcp"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    line = next(line for line in output.splitlines() if line.startswith("RESULT"))
    return int(line.split("\t")[1]), int(line.split("\t")[5])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--publications", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--dist", type=Path, help="Use this build instead of a generated corpus")
    options = parser.parse_args()
    folder, _ = workspace("mcp-memory", 4)
    server = None
    try:
        dist = options.dist or build(folder, options.publications)
        content = content_megabytes(dist)
        path = script(folder, questions(dist))
        server = sidecar(dist, folder / "sidecar")
        fresh = server.memory("VmRSS")
        rate = load(server, path, options.connections, 2)[0] / 2
        seconds = max(1, round(options.requests / NOTES / rate))
        done, notes, before = 0, [], cpu_seconds(server.process.pid)
        while done < options.requests:
            count, failures = load(server, path, options.connections, seconds)
            done += count
            notes.append((done, failures, server.memory("VmRSS")))
        cpu = (cpu_seconds(server.process.pid) - before) * 1e6 / done
        rows = [["started", "", f"{fresh:.1f}"], *([f"{done:,}", failures, f"{now:.1f}"] for done, failures, now in notes)]
        markdown(f"Memory under load on /mcp: {content:.0f} MB of content",
                 ["requests", "connection failures", "resident MB"], rows)
        growth = notes[-1][2] - notes[min(1, len(notes) - 1)][2]
        print(f"\nGrowth after the second record: {growth:.1f} MB; {cpu:.0f} µs of CPU time per request on average; "
              f"peak {server.memory():.1f} MB.")
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
