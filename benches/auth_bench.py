#!/usr/bin/env python3
"""Measure calls with an issued credential, and registrations, on SQLite and on PostgreSQL.

    auth_bench.py [--rounds 3] [--seconds 5] [--connections 16] [--calls 100000] [--registrations 400] [--dist FOLDER]

The sidecar runs on the first core with one worker, wrk and PostgreSQL on the second. CPU time is the sidecar's; calls per
second and core are its reciprocal and do not depend on the load. Both stores are on disk and durable as shipped: SQLite
flushes at each commit, PostgreSQL has fsync on.
"""
import argparse
import http.client
import json
import shutil
import threading
import time
from pathlib import Path

from measure import HERE, REPOSITORY, cpu_seconds, judged, markdown, median, program, run, workspace
from servers import Postgres, sidecar

TEAM = "/api/v1/team?locale=en"
GOAL = {"SQLite": 10_000, "PostgreSQL": 5_000}


def register(port, connection=None):
    """Registers anonymously; returns the credential."""
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/agent/auth", '{"type":"anonymous"}', {"Content-Type": "application/json"})
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise SystemExit(f"registration: {response.status} {body[:200]!r}")
    return json.loads(body)["credential"]


def registrations(server, count, at_once):
    """Returns registrations per second and the CPU time of each in µs, with `at_once` clients."""
    def one():
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        for _ in range(count // at_once):
            register(server.port, connection)

    before, start = cpu_seconds(server.process.pid), time.monotonic()
    threads = [threading.Thread(target=one) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall, used = time.monotonic() - start, cpu_seconds(server.process.pid) - before
    done = count // at_once * at_once
    return done / wall, used / done * 1e6


def calls(server, options, rows, name):
    """Measures calls with and without a credential; returns resident memory before and after, in MB, and the number of calls."""
    credential = register(server.port)
    issued = {"Authorization": f"Bearer {credential}"}
    response, _ = server.get(TEAM, issued)
    if response.status != 200 or server.get(TEAM, {"Authorization": f"Bearer {credential[:-1]}_"})[0].status != 401:
        raise SystemExit("the sidecar does not check the credential")
    before, sent, series = server.memory("VmRSS"), 0, {"none": [], "issued": []}
    for _ in range(options.rounds):
        for which, headers in (("none", {}), ("issued", issued)):
            result = server.load(TEAM, headers, options.connections, options.seconds)
            series[which].append(result)
            sent += result["requests"] if which == "issued" else 0
    while sent < options.calls:
        sent += server.load(TEAM, issued, options.connections, options.seconds)["requests"]
    middle = {which: {field: median(one[field] for one in results) for field in ("rate", "p99", "cpu")}
              for which, results in series.items()}
    cost, failures = middle["issued"], sum(one["failures"] for one in series["issued"])
    rows["calls"].append([name, f"{middle['none']['cpu']:.1f}", f"{cost['cpu']:.1f}",
                          judged(1e6 / cost["cpu"], GOAL[name], f"{1e6 / cost['cpu']:,.0f}", more_is_better=True),
                          f"{cost['rate']:,.0f}", judged(cost["p99"], 5, f"{cost['p99']:.2f}"), failures])
    return before, server.memory("VmRSS"), sent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--registrations", type=int, default=400)
    parser.add_argument("--dist", type=Path, help="Use this build instead of the demonstration firm's")
    options = parser.parse_args()
    folder, _ = workspace("auth", 1)
    folder.chmod(0o755)
    disk = HERE / "results" / folder.name
    disk.mkdir(parents=True, exist_ok=True)
    running, rows = [], {"calls": [], "registrations": [], "memory": []}
    most = {f"MECELLE_LIMITS_{name}": "100000000" for name in ("ANONYMOUS", "ANONYMOUS_PER_CLIENT",
                                                              "REGISTRATION_PER_MINUTE")}
    try:
        dist = options.dist or folder / "dist"
        if not options.dist:
            run([program("generator"), "build", "--content", REPOSITORY / "content", "--templates",
                 REPOSITORY / "templates", "--out", dist])
        postgres = Postgres(folder / "postgres", disk / "postgres")
        running.append(postgres)
        for name, store in (("SQLite", f"sqlite://{disk}/store.db"), ("PostgreSQL", postgres.store())):
            server = sidecar(dist, folder / name, MECELLE_STORE=store, **most)
            running.append(server)
            before, after, sent = calls(server, options, rows, name)
            for at_once in (1, 16):
                rate, used = registrations(server, options.registrations, at_once)
                rows["registrations"].append([name, at_once, f"{rate:,.0f}", f"{used:,.0f}"])
            rows["memory"].append([name, f"{server.started * 1e3:.0f}", f"{before:.1f}", f"{after:.1f}", f"{sent:,.0f}",
                                   f"{server.memory():.1f}"])
            server.stop()
            running.pop()
    finally:
        for one in reversed(running):
            one.stop()
        shutil.rmtree(folder)
        shutil.rmtree(disk, ignore_errors=True)
    markdown(f"Calls with an issued credential, {options.connections} connections",
             ["store", "CPU µs, no credential", "CPU µs, issued", "calls/s and core", "calls/s here", "p99 ms",
              "failures"], rows["calls"])
    markdown("Anonymous registrations", ["store", "clients at once", "registrations/s", "CPU µs"], rows["registrations"])
    markdown("Start and memory", ["store", "start, ms", "resident before, MB", "after, MB", "calls", "peak, MB"],
             rows["memory"])


if __name__ == "__main__":
    main()
