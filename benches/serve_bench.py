#!/usr/bin/env python3
"""Serve the same bytes with the sidecar and with nginx, in turn, and load each with wrk.

    serve_bench.py [--rounds 5] [--seconds 3] [--connections 64,256] [--dist FOLDER]

The routes come from a build of the demonstration firm: the JSON responses nearest to 2 KB and 20 KB and the page nearest to
15 KB. No response of the firm has 20 KB, so some publications are duplicated. nginx serves copies of the files, with the same
compressed siblings, under short names. Requests carry the headers of a proxy, except in rows marked `direct`; no request
equals the one before it.
"""
import argparse
import json
import re
import shutil
from pathlib import Path

from measure import REPOSITORY, content_megabytes, judged, markdown, median, program, run, workspace
from servers import nginx, sidecar


AGAIN = 25


def content(folder):
    """Copies the content of the demonstration firm and duplicates the first publications."""
    shutil.copytree(REPOSITORY / "content", folder)
    for entry in sorted((folder / "publications").iterdir())[:AGAIN]:
        copied = shutil.copytree(entry, entry.with_name(entry.name + "-again"))
        for file in copied.glob("*.md"):
            # The copy needs its own address and no aliases.
            text = re.sub(r"^(slug: .*)$", r"\1-again", file.read_text(), count=1, flags=re.MULTILINE)
            file.write_text(re.sub(r"^aliases: .*\n", "", text, count=1, flags=re.MULTILINE))
    return folder


def nearest(routes, size, accept, kind):
    found = [(abs(variant["size"] - size), route, variant) for route in routes for variant in route["variants"]
             if accept(route) and variant["media_type"].startswith(kind)]
    _, route, variant = min(found, key=lambda item: item[0])
    return route, variant


def copy(dist, root, variant, name):
    for suffix in ("", ".br", ".gz"):
        source = dist / (variant["file"] + suffix)
        if source.exists():
            shutil.copy(source, root / (name + suffix))


class Cases:
    """The cases, with their paths and files."""

    def __init__(self, dist, root):
        manifest = json.loads((dist / "manifest.json").read_text())
        routes = manifest["routes"]
        is_list = lambda route: route["class"] == "api"
        is_page = lambda route: route["class"] == "page"
        self.paths, self.sizes, self.key = {}, {}, manifest["sandbox_key"]
        for name, size, accept, kind in (("small.json", 2_000, is_list, "application/json"),
                                         ("large.json", 20_000, is_list, "application/json"),
                                         ("page.html", 15_000, is_page, "text/html")):
            route, variant = nearest(routes, size, accept, kind)
            copy(dist, root, variant, name)
            query = f"?locale={variant['locale']}" if route.get("axis") == "locale" else ""
            self.paths[name] = route["path"] + query
            self.sizes[name] = variant["size"]
            if name == "page.html":
                twin = next(one for one in route["variants"] if one["media_type"].startswith("text/markdown"))
                copy(dist, root, twin, name + ".md")
                self.sizes["twin"] = twin["size"]

    def list(self):
        """Yields name, file, headers, whether nginx needs its map, and whether the request has a proxy's headers."""
        br = {"Accept-Encoding": "br, gzip"}
        for label, name in (("2 KB JSON", "small.json"), ("20 KB JSON", "large.json"), ("15 KB HTML", "page.html")):
            yield label, name, {}, False, True
            if name == "small.json":
                # Next to the row it is compared with, because the machine's speed drifts.
                yield label + ", sandbox key", name, {"Authorization": f"Bearer {self.key}"}, False, True
            yield label + ", br", name, br, False, True
            yield label + ", direct", name, {}, False, False
        yield "HTML, 304 by ETag", "page.html", {"If-None-Match": None}, False, True
        yield "Markdown by Accept", "page.html", {"Accept": "text/markdown"}, True, True
        yield "Markdown by Accept, br", "page.html", {"Accept": "text/markdown", **br}, True, True


def prepare(server, path, headers):
    """Returns the headers with the server's own ETag, and the size of the body, after checking the response."""
    headers = dict(headers)
    if "If-None-Match" in headers:
        del headers["If-None-Match"]
        headers["If-None-Match"] = server.get(path, headers)[0].headers["ETag"]
    response, body = server.get(path, headers)
    wanted = 304 if "If-None-Match" in headers else 200
    coding = "br" if "Accept-Encoding" in headers else None
    media = response.headers.get("Content-Type", "")
    if response.status != wanted or (wanted == 200 and response.headers["Content-Encoding"] != coding) \
            or ("Accept" in headers and "markdown" not in media):
        raise SystemExit(f"{path} with {headers}: {response.status} {dict(response.headers)}")
    return headers, len(body)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", default="64,256")
    parser.add_argument("--dist", type=Path, help="Use this build with compressed siblings instead of the demonstration firm's")
    options = parser.parse_args()
    folder, kind = workspace("serve", 1)
    folder.chmod(0o755)
    servers = []
    try:
        dist = options.dist or folder / "dist"
        if not options.dist:
            run([program("generator"), "build", "--content", content(folder / "content"), "--templates",
                 REPOSITORY / "templates", "--out", dist, "--compression", "best"])
        root = folder / "root"
        root.mkdir()
        cases = Cases(dist, root)
        plain, mapped = nginx(root, folder / "nginx", False), nginx(root, folder / "mapped", True)
        ours = sidecar(dist, folder / "sidecar")
        servers = [plain, mapped, ours]
        measure(cases, plain, mapped, ours, options)
        in_memory = content_megabytes(dist)
        beside = ours.memory() - in_memory
        started = [ours.started] + [restart(dist, folder / f"start-{number}") for number in range(4)]
        markdown("Memory and start", ["figure", "sidecar", "nginx"], [
            ["start until the first answer, ms", judged(median(started) * 1e3, 200, f"{median(started) * 1e3:.0f}"), f"{plain.started * 1e3:.0f}"],
            ["peak memory, MB", f"{ours.memory():.1f}", f"{plain.memory():.1f}"],
            ["content in it with all siblings, MB", f"{in_memory:.1f}", "none"],
            ["peak memory beside the content, MB", judged(beside, 40, f"{beside:.1f}"), f"{plain.memory():.1f}"]])
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder)


def restart(dist, folder):
    server = sidecar(dist, folder)
    server.stop()
    return server.started


def measure(cases, plain, mapped, ours, options):
    series, sizes, requests, resident = {}, {}, 0, []
    for _ in range(options.rounds):
        for label, name, headers, with_map, proxied in cases.list():
            peer = mapped if with_map else plain
            sent, sizes[label] = prepare(ours, cases.paths[name], headers)
            for connections in (int(count) for count in options.connections.split(",")):
                round_of = series.setdefault((label, connections), {})
                for who, server, path, asked in (("nginx", peer, "/" + name, prepare(peer, "/" + name, headers)[0]),
                                                 ("sidecar", ours, cases.paths[name], sent)):
                    result = server.load(path, asked, connections, options.seconds, proxied)
                    round_of.setdefault(who, []).append(result)
                    requests += result["requests"] if who == "sidecar" else 0
                resident.append((requests, ours.memory("VmRSS")))
    print_results(series, sizes)
    print(f"\nResident memory of the sidecar: {resident[0][1]:.1f} MB after {resident[0][0]:,.0f} requests, "
          f"{resident[-1][1]:.1f} MB after {resident[-1][0]:,.0f}.")


def quotient(results, field):
    """Returns the median of the ratios to nginx within each round; rounds without progress are left out."""
    ratios = [a[field] / b[field] for a, b in zip(results["sidecar"], results["nginx"]) if a[field] and b[field]]
    return median(ratios) if ratios else float("nan")


def print_results(series, sizes):
    rows = []
    for (label, connections), results in series.items():
        middle = {who: {field: median(one[field] for one in rounds) for field in ("rate", "p99", "cpu")}
                  for who, rounds in results.items()}
        failures = {who: sum(one["failures"] for one in rounds) for who, rounds in results.items()}
        ours, peer = middle["sidecar"], middle["nginx"]
        ratio = quotient(results, "cpu")
        # The body of a large, uncompressed response is most of a server's work.
        goal = 1.1 if sizes[label] > 10_000 else 0.95
        rows.append([label, sizes[label], connections, f"{ours['cpu']:.2f}", f"{peer['cpu']:.2f}",
                     judged(ratio, goal, f"{ratio:.2f}"), f"{ours['rate'] / 1e3:.1f}k", f"{peer['rate'] / 1e3:.1f}k",
                     f"**{quotient(results, 'rate'):.2f}**", f"{ours['p99']:.1f}", f"{peer['p99']:.1f}",
                     f"{quotient(results, 'p99'):.2f}", f"{failures['sidecar']} / {failures['nginx']}"])
    markdown("Serving, sidecar beside nginx; medians, ratios taken within a round",
             ["case", "bytes", "conns", "CPU µs", "nginx", "to nginx", "req/s", "nginx", "to nginx", "p99 ms", "nginx",
              "to nginx", "failures"], rows)
    for connections in sorted({connections for _, connections in series}):
        keyed, bare = series["2 KB JSON, sandbox key", connections], series["2 KB JSON", connections]
        cost = median(a["cpu"] / b["cpu"] for a, b in zip(keyed["sidecar"], bare["sidecar"]))
        print(f"\nCPU with the sandbox key to CPU without, {connections} connections: {cost:.2f}")


if __name__ == "__main__":
    main()
