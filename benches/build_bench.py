#!/usr/bin/env python3
"""Build the same corpus with the generator and with Hugo, in turn.

    build_bench.py [--publications 1000,10000] [--rounds 3]

Publications are per language; pages are twice as many plus 40. Each round writes to a new folder.
"""
import argparse
import glob
import math
import shutil
import sys

import servers
from measure import HERE, REPOSITORY, content_megabytes, count_rewritten, digest, files, markdown, median, program, run, workspace

NOW = ["--now", "2026-11-20T09:00:00Z"]


def hugo_program():
    """Returns the path of Hugo itself: the package's launcher is Python, whose time would be measured too."""
    return glob.glob(str(HERE / ".venv/lib/python3*/site-packages/hugo/binaries/hugo"))[0]


class Corpus:
    def __init__(self, root, publications):
        self.root = root
        self.publications = publications
        self.pages = 2 * publications + 40
        run([sys.executable, HERE / "make_corpus.py", root, str(publications)])
        self.out = root / "out"
        self.out.mkdir()

    def generate(self, out, templates="product", compression="none"):
        folder = REPOSITORY / "templates" if templates == "product" else self.root / "mecelle" / "templates"
        return run([program("generator"), "build", "--content", self.root / "mecelle" / "content",
                    "--templates", folder, "--out", out, "--compression", compression, *NOW])

    def hugo(self, out):
        cache = self.root / "hugo-cache"
        return run([hugo_program(), "build", "--quiet", "--cacheDir", cache, "-d", out], cwd=self.root / "hugo")

    def builds(self):
        return {
            "Hugo, HTML and feed": self.hugo,
            "generator, product templates": lambda out: self.generate(out),
            "generator, plain templates": lambda out: self.generate(out, "plain"),
        }


def measure_cold_builds(corpus, rounds, on_tmpfs):
    """Runs interleaved cold builds; returns median CPU seconds by name."""
    costs, counts = {}, {}
    for number in range(rounds):
        for name, build in corpus.builds().items():
            out = corpus.out / f"{name.replace(' ', '-')}-{number}"
            costs.setdefault(name, []).append(build(out))
            if number == 0:
                sizes = [stat.st_size for stat in files(out).values()]
                counts[name] = len(sizes), sum(sizes) / 1e6
            # ext4 avoids inodes freed in the last minutes, which would slow the next build down.
            if on_tmpfs:
                shutil.rmtree(out)
    base = median(cost.cpu for cost in costs["Hugo, HTML and feed"])
    rows, result = [], {}
    for name, series in costs.items():
        cpu, wall, peak = (median(getattr(cost, field) for cost in series) for field in ("cpu", "wall", "peak"))
        low, high = min(cost.cpu for cost in series), max(cost.cpu for cost in series)
        result[name] = cpu
        rows.append([name, f"{cpu:.2f} ({low:.2f}–{high:.2f})", f"{wall:.2f}", f"{peak:.0f}", counts[name][0],
                     f"{counts[name][1]:.0f}", f"{cpu / corpus.pages * 1e3:.3f}", f"{base / cpu:.2f} ×"])
    markdown(f"Cold build, {corpus.pages:,} pages, {rounds} rounds, medians",
             ["program", "CPU s (range)", "wall s", "peak MB", "files", "MB", "CPU ms/page", "less CPU than Hugo"], rows)
    return result


def measure_rebuilds(corpus, rounds):
    """Measures builds over their own output: with nothing changed, and with one file changed."""
    out = corpus.out / "again"
    corpus.generate(out)
    idle, changed, rows = [], [], []
    before = files(out)
    for _ in range(rounds):
        idle.append(corpus.generate(out))
    rows.append(["nothing changed", cpu(idle), count_rewritten(before, files(out)), "0"])
    article = corpus.root / "mecelle/content/publications/pub-000500/en.md"
    original = article.read_text()
    for number in range(rounds):
        before = files(out)
        article.write_text(original + f"\nChange number {number}.\n")
        changed.append(corpus.generate(out))
        written = count_rewritten(before, files(out))
    fresh = corpus.out / "fresh"
    corpus.generate(fresh)
    equal = digest(fresh) == digest(out)
    article.write_text(original)
    rows.append(["one file changed", cpu(changed), written, "equal to a cold build" if equal else "DIFFERS from a cold build"])
    rows[0][3] = f"peak {median(cost.peak for cost in idle):.0f} MB"
    markdown(f"Rebuilt by a new process, {corpus.pages:,} pages", ["case", "CPU s", "files written", "notes"], rows)
    shutil.rmtree(fresh)
    shutil.rmtree(out)


def cpu(series):
    return f"{median(cost.cpu for cost in series):.2f}"


def measure_compression(corpus, rounds):
    """Measures compressed siblings: the difference of cold builds with and without them, for pages equal to Hugo's and for the
    product's longer pages."""
    rows = []
    for templates in ("plain", "product"):
        price = []
        for number in range(rounds):
            without, fast = (corpus.out / f"{templates}-{kind}-{number}" for kind in ("none", "fast"))
            price.append(-corpus.generate(without, templates).cpu)
            price[-1] += corpus.generate(fast, templates, compression="fast").cpu
            sizes = {path: stat.st_size for path, stat in files(fast).items()}
            long = [size for path, size in sizes.items() if f"{path}.br" in sizes]
            shutil.rmtree(without)
            shutil.rmtree(fast)
        cost = median(price)
        rows.append([templates, f"{len(long):,.0f}", f"{sum(long) / len(long) / 1e3:.1f}", f"{cost:.2f}",
                     f"{cost / len(long) * 1e4:.2f}"])
    markdown(f"Compressed siblings (br, zst, gz), cold, {corpus.pages:,} pages",
             ["templates", "files with siblings", "KB a file", "CPU s", "CPU s per 10,000 files"], rows)


def measure_sidecar(corpus):
    """Measures how long the sidecar takes to load the build, and its memory."""
    out = corpus.out / "served"
    corpus.generate(out)
    size = content_megabytes(out)
    starts = []
    for number in range(3):
        server = servers.sidecar(out, corpus.root / f"sidecar-{number}")
        starts.append(server.started)
        peak = server.memory()
        server.stop()
    shutil.rmtree(out)
    markdown(f"The sidecar with {corpus.pages:,} pages, no siblings", ["figure", "value"],
             [["start until the first answer, s", f"{median(starts):.2f}"], ["content, MB", f"{size:.0f}"],
              ["peak memory, MB", f"{peak:.0f}"], ["peak memory beside the content, MB", f"{peak - size:.0f}"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--publications", default="1000,10000")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    sizes = [int(size) for size in options.publications.split(",")]
    folder, kind = workspace("build", max(sizes) * 0.0003 + 1)
    print(f"\nInput and output on {kind}.")
    try:
        costs = {}
        for size in sizes:
            corpus = Corpus(folder / str(size), size)
            costs[corpus.pages] = measure_cold_builds(corpus, options.rounds, kind == "tmpfs")
            if size == sizes[min(1, len(sizes) - 1)]:
                measure_rebuilds(corpus, options.rounds)
                measure_sidecar(corpus)
                measure_compression(corpus, 1 if options.rounds < 3 else 2)
            if kind == "tmpfs":
                shutil.rmtree(corpus.root)
        small, large = min(costs), max(costs)
        if small < large:
            rows = [[name, f"{math.log(costs[large][name] / costs[small][name]) / math.log(large / small):.3f}"]
                    for name in costs[small]]
            markdown(f"Growth of CPU from {small:,} to {large:,} pages", ["program", "exponent"], rows)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
