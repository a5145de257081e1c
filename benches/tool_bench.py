#!/usr/bin/env python3
"""Measure runs of the command-line tool beside curl, each a new process against the same sidecar.

    tool_bench.py [--rounds 40]
"""
import argparse
import os
import shutil
import subprocess
import time

from build_bench import NOW
from measure import REPOSITORY, markdown, median, program, run, workspace
from servers import sidecar


def once(command, environment):
    """Runs a command once; returns wall and CPU milliseconds."""
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=40)
    rounds = arguments.parse_args().rounds
    folder, _ = workspace("tool", 0.5)
    try:
        measure(folder, rounds)
    finally:
        shutil.rmtree(folder)


def measure(folder, rounds):
    run([program("generator"), "build", "--content", REPOSITORY / "content", "--templates", REPOSITORY / "templates",
         "--out", folder / "dist", *NOW])
    server = sidecar(folder / "dist", folder / "sidecar")
    url = f"http://127.0.0.1:{server.port}"
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "MECELLE_BASE_URL": url}
    tool = program("mecelle")
    cases = {
        "curl, the list of people": ["curl", "-s", f"{url}/api/v1/team"],
        "mecelle team, piped": [tool, "team", "--no-cache"],
        "mecelle team, piped, with the cached response": [tool, "team"],
        "mecelle team --output table": [tool, "team", "--no-cache", "--output", "table"],
        "mecelle team --jq '.items[].name'": [tool, "team", "--no-cache", "--jq", ".items[].name"],
        "mecelle --version": [tool, "--version"],
    }
    try:
        times = {name: [] for name in cases}
        for _ in range(rounds):
            for name, command in cases.items():
                times[name].append(once(command, environment))
    finally:
        server.stop()
    base = median(wall for wall, _ in times["curl, the list of people"])
    rows = []
    for name, found in times.items():
        wall, cpu = (median(column) for column in zip(*found))
        rows.append([name, f"{wall:.1f}", f"{wall / base:.2f}", f"{cpu:.1f}"])
    markdown(f"Tool: medians of {rounds} processes each, in turn", ["run", "wall ms", "to curl", "CPU ms"], rows)


if __name__ == "__main__":
    main()
