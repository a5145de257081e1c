#!/usr/bin/env python3
"""Build the same corpus with the generator and with Hugo, in turn.

    build_bench.py [--publications 1000,10000] [--rounds 3] [--before FOLDER]

Publications are per language; pages are twice as many plus 40. Each round writes to a new folder. FOLDER has the
programs of an earlier commit, which builds the same in the same rounds.
"""
import argparse
import glob
import math
import os
import shutil
import sys

import servers
from measure import (HERE, REPOSITORY, content_megabytes, count_rewritten, digest, files, judged, markdown, median, program, run,
                     workspace)

NOW = ["--now", "2026-11-20T09:00:00Z"]
HUGO, PRODUCT, ONE_PICTURE = "Hugo, HTML and feed", "generator, product templates", "generator, one picture for all"
# CPU time to Hugo's, and megabytes.
GOALS, PEAK = {PRODUCT: 0.75, ONE_PICTURE: 0.30}, 150


def hugo_program():
    """Returns the path of Hugo itself: the package's launcher is Python, whose time would be measured too."""
    return glob.glob(str(HERE / ".venv/lib/python3*/site-packages/hugo/binaries/hugo"))[0]


class Corpus:
    def __init__(self, root, publications, before):
        self.root = root
        self.before = before
        self.publications = publications
        self.pages = 2 * publications + 40
        run([sys.executable, HERE / "make_corpus.py", root, str(publications)])
        self.out = root / "out"
        self.out.mkdir()

    def generate(self, out, templates="product", compression="none", generator=None):
        command = [generator or program("generator"), "build", "--content", self.root / "mecelle" / "content",
                   "--out", out, "--compression", compression, *NOW]
        # The product's templates are part of the program, also of an earlier one: not those of the current folder.
        plain = ["--templates", self.root / "mecelle" / "templates"] if templates == "plain" else []
        return run(command + plain, cwd=self.root)

    def generate_with_one_picture(self, out, generator=None):
        settings = self.root / "mecelle" / "content" / "site.toml"
        original = settings.read_text()
        shutil.copy(REPOSITORY / "tests/fixtures/firm/content/share.png", settings.with_name("share.png"))
        settings.write_text(original.replace("[firm]\n", '[firm]\nshare_picture = "share.png"\n', 1))
        try:
            return self.generate(out, generator=generator)
        finally:
            settings.write_text(original)
            settings.with_name("share.png").unlink()

    def hugo(self, out):
        cache = self.root / "hugo-cache"
        return run([hugo_program(), "build", "--quiet", "--cacheDir", cache, "-d", out], cwd=self.root / "hugo")

    def builds(self):
        builds = {
            HUGO: self.hugo,
            PRODUCT: lambda out: self.generate(out),
            ONE_PICTURE: lambda out: self.generate_with_one_picture(out),
            "generator, plain templates": lambda out: self.generate(out, "plain"),
        }
        if self.before:
            before = os.path.join(self.before, "generator")
            builds[f"before: {PRODUCT}"] = lambda out: self.generate(out, generator=before)
            builds[f"before: {ONE_PICTURE}"] = lambda out: self.generate_with_one_picture(out, before)
        return builds


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
    rows, result = [], {}
    for name, series in costs.items():
        cpu, wall, peak = (median(getattr(cost, field) for cost in series) for field in ("cpu", "wall", "peak"))
        low, high = min(cost.cpu for cost in series), max(cost.cpu for cost in series)
        result[name] = cpu
        to_hugo = median(cost.cpu / hugo.cpu for cost, hugo in zip(series, costs[HUGO]))
        is_bounded = name == PRODUCT and corpus.pages < 50_000
        rows.append([name, f"{cpu:.2f} ({low:.2f}–{high:.2f})", f"{wall:.2f}",
                     judged(peak, PEAK, f"{peak:.0f}") if is_bounded else f"{peak:.0f}", counts[name][0],
                     f"{counts[name][1]:.0f}", f"{cpu / corpus.pages * 1e3:.3f}",
                     judged(to_hugo, GOALS[name], f"{to_hugo:.2f}") if name in GOALS else f"{to_hugo:.2f}"])
    markdown(f"Cold build, {corpus.pages:,} pages, {rounds} rounds, medians; ratios taken within a round",
             ["program", "CPU s (range)", "wall s", "peak MB", "files", "MB", "CPU ms/page", "CPU to Hugo's"], rows)
    return result


def measure_rebuilds(corpus, rounds, cold):
    """Measures builds over their own output: with nothing changed, and with one file changed. `cold` is the CPU time of a cold
    build with one picture for all."""
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
    share = median(cost.cpu for cost in changed) / cold
    rows.append(["one file changed", f"{cpu(changed)}; to a cold build without pictures " + judged(share, 0.35, f"{share:.2f}"),
                 written, "equal to a cold build" if equal else "DIFFERS from a cold build"])
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
                     judged(cost / len(long) * 1e4, 3.5, f"{cost / len(long) * 1e4:.2f}")])
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
             [["start until the first answer, s", judged(median(starts), 2, f"{median(starts):.2f}")], ["content, MB", f"{size:.0f}"],
              ["peak memory, MB", f"{peak:.0f}"], ["peak memory beside the content, MB", f"{peak - size:.0f}"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--publications", default="1000,10000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", help="folder with the programs of an earlier commit")
    options = parser.parse_args()
    sizes = [int(size) for size in options.publications.split(",")]
    folder, kind = workspace("build", max(sizes) * 0.0003 + 1)
    print(f"\nInput and output on {kind}.")
    try:
        costs = {}
        for size in sizes:
            corpus = Corpus(folder / str(size), size, options.before)
            costs[corpus.pages] = measure_cold_builds(corpus, options.rounds, kind == "tmpfs")
            if size == sizes[min(1, len(sizes) - 1)]:
                measure_rebuilds(corpus, options.rounds, costs[corpus.pages][ONE_PICTURE])
                measure_sidecar(corpus)
                measure_compression(corpus, 1 if options.rounds < 3 else 2)
            if kind == "tmpfs":
                shutil.rmtree(corpus.root)
        small, large = min(costs), max(costs)
        if small < large:
            growth = {name: math.log(costs[large][name] / costs[small][name]) / math.log(large / small) for name in costs[small]}
            rows = [[name, judged(exponent, 1.05, f"{exponent:.3f}") if name == PRODUCT else f"{exponent:.3f}"]
                    for name, exponent in growth.items()]
            markdown(f"Growth of CPU from {small:,} to {large:,} pages", ["program", "exponent"], rows)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
