#!/usr/bin/env python3
"""Build a site with many large photographs: a cold build, and again.

    photographs_bench.py [--photographs 200] [--rounds 3]

Each photograph has 24 megapixels and several megabytes. Ten are generated; each is stored under several names with a different
comment inside, so that it counts as another picture.
"""
import argparse
import io
import random
import shutil

from PIL import Image

from measure import REPOSITORY, count_rewritten, files, judged, markdown, median, program, run, workspace

NOW = "2026-11-20T09:00:00Z"
SIDES = (6000, 4000)
DRAWN = 10


def photograph(seed):
    """Returns a JPEG with shapes of every size, soft edges and sensor noise."""
    random.seed(seed)
    picture = Image.new("RGB", SIDES, (90, 110, 130))
    for share, sides in [(0.6, (6, 4)), (0.4, (48, 32)), (0.14, (375, 250)), (0.05, (1500, 1000)), (0.03, SIDES)]:
        noise = Image.frombytes("RGB", sides, random.randbytes(sides[0] * sides[1] * 3))
        picture = Image.blend(picture, noise.resize(SIDES, Image.Resampling.BICUBIC), share)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=90)
    return out.getvalue()


def add_comment(jpeg, words):
    """Returns the same picture with a JPEG comment after the first marker."""
    return jpeg[:2] + b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words + jpeg[2:]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--photographs", type=int, default=200)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    folder, kind = workspace("photographs", 3)
    try:
        content = folder / "content"
        shutil.copytree(REPOSITORY / "tests/fixtures/firm/content", content)
        article = content / "publications/remote-work"
        drawn = [photograph(seed) for seed in range(min(DRAWN, chosen.photographs))]
        shown = []
        for number in range(chosen.photographs):
            (article / f"photograph-{number}.jpg").write_bytes(add_comment(drawn[number % len(drawn)], b"%d" % number))
            shown.append(f"![Photograph {number}](photograph-{number}.jpg)\n")
        with (article / "en.md").open("a") as text:
            text.write("\n" + "\n".join(shown))
        cold, again, largest = [], [], 0
        for number in range(chosen.rounds):
            out = folder / f"dist-{number}"
            command = [program("generator"), "build", "--content", content, "--out", out, "--compression", "none", "--now", NOW]
            cold.append(run(command))
            before = files(out)
            largest = max(stat.st_size for name, stat in before.items() if name.endswith(".webp"))
            again.append(run(command))
            assert count_rewritten(before, files(out)) == 0, "a build of the same photographs wrote files"
            shutil.rmtree(out)
        size = sum(map(len, drawn)) / len(drawn) / 1e6
        markdown(
            f"{chosen.photographs} photographs of {SIDES[0] * SIDES[1] / 1e6:.0f} megapixels and {size:.1f} MB, on {kind}",
            ["build", "CPU s", "wall s", "peak MB", "largest form, kB"],
            [(name, judged(median(it.cpu for it in costs), goal, f"{median(it.cpu for it in costs):.2f}"),
              f"{median(it.wall for it in costs):.2f}", judged(max(it.peak for it in costs), 600, f"{max(it.peak for it in costs):.0f}"),
              f"{largest / 1e3:.0f}")
             for name, costs, goal in [("from nothing", cold, 0.3 * chosen.photographs), ("nothing changed", again, 0.2)]],
        )
    finally:
        shutil.rmtree(folder)


main()
