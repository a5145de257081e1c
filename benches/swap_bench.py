#!/usr/bin/env python3
"""Publish two versions of a site in turn while the sidecar serves it under load.

    swap_bench.py [--swaps 100] [--connections 64]

wrk keeps the sidecar busy; a few more connections request paths on which the versions differ. Each of their responses must be
200 with bytes that match its ETag and belong to one of the two versions; a connection that received the new version must not
receive the old one before the next swap.
"""
import argparse
import hashlib
import http.client
import json
import shutil
import signal
import subprocess
import threading
import time

from build_bench import NOW
from measure import REPOSITORY, judged, markdown, program, run, workspace
from servers import sidecar

CHECKERS = 4
CALM = 1.5  # seconds between the end of one swap and the next


def publish(folder, content, out):
    """Runs the generator on wrk's core with low priority."""
    run(["taskset", "-c", "1", "nice", "-n", "19", program("generator"), "build", "--content", folder / content,
         "--templates", REPOSITORY / "templates", "--out", folder / out, *NOW])


def two_versions(folder):
    """Creates content folders `a` and `b`, which differ in every page's footer and in one article."""
    shutil.copytree(REPOSITORY / "content", folder / "a")
    shutil.copytree(folder / "a", folder / "b")
    settings = folder / "b" / "site.toml"
    settings.write_text(settings.read_text().replace('short_name = "', 'short_name = "New ', 1).replace(
        'disclaimer = { en = "', 'disclaimer = { en = "Second edition. ', 1))
    article = min((folder / "b" / "publications").iterdir()) / "en.md"
    article.write_text(article.read_text() + "\nThis is the second edition.\n")


def expectations(folder):
    """Returns, for each path on which the versions differ, the version by digest of the default variant."""
    found = {}
    for version in ("a", "b"):
        publish(folder, version, "of-" + version)
        manifest = json.loads((folder / ("of-" + version) / "manifest.json").read_text())
        for route in manifest["routes"]:
            if route["class"] != "asset":
                found.setdefault(route["path"], {})[route["variants"][0]["digest"]] = version
    return {path: digests for path, digests in found.items() if len(digests) == 2}


class Checker(threading.Thread):
    def __init__(self, port, expected, offset):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        paths = sorted(expected)
        self.expected, self.paths = expected, paths[offset:] + paths[:offset]
        self.failures, self.changes, self.times, self.seen, self.ends = [], 0, [], None, False

    def run(self):
        while not self.ends:
            for path in self.paths:
                if self.ends:
                    break
                try:
                    self.ask(path)
                except (OSError, http.client.HTTPException) as error:
                    self.failures.append(f"{path}: {error!r}")
                    self.connection.close()

    def ask(self, path):
        start = time.monotonic()
        self.connection.request("GET", path)
        response = self.connection.getresponse()
        body = response.read()
        self.times.append((start, time.monotonic() - start))
        digest = hashlib.sha256(body).hexdigest()
        version = self.expected[path].get(digest)
        if response.status != 200 or version is None or not digest.startswith(response.headers["ETag"].strip('"')):
            self.failures.append(f"{path}: {response.status} {response.headers['ETag']} with bytes {digest}")
        elif version != self.seen:
            self.changes += self.seen is not None
            self.seen = version


def percentile(times, share=0.99):
    return sorted(times)[int(len(times) * share)] * 1e3 if times else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swaps", type=int, default=100)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    folder, _ = workspace("swap", 1)
    server = load = None
    try:
        two_versions(folder)
        expected = expectations(folder)
        publish(folder, "a", "dist")
        server = sidecar(folder / "dist", folder / "sidecar")
        load = subprocess.Popen(["taskset", "-c", "1", "wrk", "-t1", f"-c{options.connections}", "-d3600s",
                                 "--timeout", "10s", f"http://127.0.0.1:{server.port}/en"], stdout=subprocess.PIPE, text=True)
        step = max(1, len(expected) // CHECKERS)
        checkers = [Checker(server.port, expected, number * step) for number in range(CHECKERS)]
        for checker in checkers:
            checker.start()
        time.sleep(CALM)
        swaps = [swap(folder, checkers, "ba"[number % 2]) for number in range(options.swaps)]
        for checker in checkers:
            checker.ends = True
            checker.join()
        load.send_signal(signal.SIGINT)
        report(checkers, swaps, load.communicate()[0], len(expected), server)
    finally:
        if load and load.poll() is None:
            load.kill()
        if server:
            server.stop()
        shutil.rmtree(folder)


def swap(folder, checkers, version):
    """Publishes `version`; returns the times of its start, of its publishing, and when every checker received it."""
    start = time.monotonic()
    publish(folder, version, "dist")
    published = time.monotonic()
    while any(checker.seen != version for checker in checkers):
        time.sleep(0.005)
        if time.monotonic() - published > 30:
            raise SystemExit(f"version {version} was not served within 30 s after publishing")
    seen = time.monotonic()
    time.sleep(CALM)
    return start, published, seen


def report(checkers, swaps, output, paths, server):
    failures = [failure for checker in checkers for failure in checker.failures]
    relapses = sum(abs(checker.changes - len(swaps)) for checker in checkers)
    times = [one for checker in checkers for one in checker.times]
    # A swap is over when every checker received the new version.
    near = [cost for start, cost in times if any(seen - 1 <= start <= seen for _, _, seen in swaps)]
    calm = [cost for start, cost in times if any(seen + 0.1 < start < seen + CALM - 0.1 for _, _, seen in swaps)]
    bad = [line.strip() for line in output.splitlines() if "Non-2xx" in line or "Socket errors" in line]
    requests = next((line.split()[0] for line in output.splitlines() if "requests in" in line), "?")
    delays = sorted(seen - published for _, published, seen in swaps)
    markdown(f"{len(swaps)} swaps of dist/ under load", ["figure", "value"], [
        ["requests of wrk", f"{int(requests):,}"],
        ["failures of wrk", "; ".join(bad) or "0"],
        [f"checked responses ({paths} paths)", f"{len(times):,}"],
        ["failed or mixed responses", judged(len(failures), 0, len(failures))],
        ["changes of version beyond one per swap and connection", relapses],
        ["from published to served everywhere, median / worst, ms",
         f"{delays[len(delays) // 2] * 1e3:.0f} / {delays[-1] * 1e3:.0f}"],
        ["p99 in the second of the swap / at other times, ms (generator, wrk and checks share a core)",
         f"{percentile(near):.1f} / {percentile(calm):.1f} = {percentile(near) / percentile(calm):.2f}"],
        ["slowest checked response, ms", f"{max(cost for _, cost in times) * 1e3:.0f}"],
        ["peak memory, MB", f"{server.memory():.1f}"]])
    for failure in failures[:5]:
        print(f"\n{failure}")


if __name__ == "__main__":
    main()
