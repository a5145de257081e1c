"""Gives the generator valid but odd files, just within each limit and just beyond it: no file makes `check` or `build` take more than
400 MB or five seconds above what the site takes without it, and none ends the process without a finding.

    python bounds.py GENERATOR CONTENT WORK [NAME...]
"""

import io
import multiprocessing
import os
import random
import shutil
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

from PIL import Image, ImageFile

GENERATOR, CONTENT, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
# Bytes of resident memory, of every process.
MEMORY = 400_000_000
# Seconds above the usual; a build without optimization takes several times as long.
SECONDS = 5 * (5 if "debug" in GENERATOR.parts else 1)
# An input may take this much, in seconds: far more than any does.
PATIENCE = 300
ARTICLE = "publications/tax-settlement/en.md"
MEBIBYTE = 1 << 20

INPUTS = {}
Image.MAX_IMAGE_PIXELS = None


def given(function):
    INPUTS[function.__name__] = function
    return function


def text(content, body, fields=""):
    """Replaces the text of an article, and adds fields."""
    path = content / ARTICLE
    head = path.read_text().split("---\n")[1]
    path.write_text(f"---\n{head}{fields}---\n\n{body}\n")


def shown(content, name, data):
    """Puts a picture beside an article that shows it."""
    text(content, f"Words about it.\n\n![A picture]({name})")
    (content / ARTICLE).with_name(name).write_bytes(data)


def icon(content, svg):
    (content / "icon.svg").write_text(svg)
    settings = content / "site.toml"
    settings.write_text(settings.read_text() + '\n[theme]\nicon = "icon.svg"\n')


# Texts of at most 1 MiB.

for name, body in {
    "quotations_in_quotations": "> " * 200_000 + "a",
    "lists_in_lists": "\n".join("  " * level + "- a" for level in range(800)),
    "lists_on_one_line": "- " * 300_000 + "a",
    "one_long_line": "word " * 200_000,
    "one_long_word": "a" * 1_000_000,
    "open_brackets": "[" * 900_000,
    "closed_brackets": "[a](" * 200_000,
    "emphasis": "*a **b " * 140_000,
    "underscores": "_" * 900_000,
    "code_marks": "".join("`" * (1 + number % 900) + " " for number in range(2_000)),
    "footnotes": "".join(f"a[^{number}]\n\n[^{number}]: b\n\n" for number in range(30_000)),
    "footnotes_of_footnotes": "".join(f"[^{number}]: [^{number + 1}]\n\n" for number in range(40_000)) + "a[^0]",
    "references": "".join(f"[a{number}]: /en/about\n" for number in range(30_000)) + "[a1]" * 50_000,
    "links": "[a](@/pages/about) " * 45_000,
    "dead_links": "[a](@/pages/abaut) " * 45_000,
    "addresses": "https://a.example/b?c=d " * 40_000,
    "headings": "".join(f"## Article {number}\n\n" for number in range(60_000)),
    "headings_of_one_name": "## a\n\n" * 150_000,
    "questions": "## FAQ\n\n" + "### a?\n\nb\n\n" * 80_000,
    "clauses": "## Article 1\n\n" + "".join(f"({number})\u00a0a\n" for number in range(90_000)),
    "table_of_columns": "|" + "a|" * 9_000 + "\n|" + "-|" * 9_000 + "\n" + ("|" + "b|" * 9_000 + "\n") * 50,
    "table_of_rows": "|a|b|\n|-|-|\n" + "|c|d|\n" * 150_000,
    "table_with_missing_cells": "|" + "a|" * 4_000 + "\n|" + "-|" * 4_000 + "\n" + "|\n" * 300_000,
    "html": "<b>" * 300_000,
    "entities": "&amp;" * 200_000,
    "laws": "TTK m. 553, 6102 sayılı Kanun m. 1/2-a, Law No. 6098, art. 344. " * 14_000,
    "blanks": " \n" * 500_000,
    "line_ends": "\n" * 1_000_000,
    "backslashes": "\\" * 1_000_000,
    "combining_marks": "a" + "\u0301" * 500_000,
    "letters_of_three_bytes": "字" * 340_000,
    "right_to_left": "\u05d0\u202e" * 200_000,
    "code": "```\n" + "a\n" * 400_000 + "```",
    "beyond_the_limit_of_a_text": "a " * 530_000,
}.items():
    INPUTS[name] = lambda content, body=body: text(content, body)


# Fields, at most 64 KiB.

for name, fields in {
    "lists_in_fields": "tags: " + "[" * 30_000 + "]" * 30_000 + "\n",
    "maps_in_fields": "tags: " + "{a: " * 15_000 + "}" * 15_000 + "\n",
    "indentation_in_fields": "".join(" " * level + "a:\n" for level in range(330)),
    "many_fields": "".join(f"field{number}: a\n" for number in range(4_500)),
    "many_tags": "tags: [" + ", ".join(f"tag {number}" for number in range(5_000)) + "]\n",
    "a_long_field": "keywords: " + "a " * 30_000 + "\n",
    "many_aliases": "aliases: [" + ", ".join(f"former-{number}" for number in range(4_000)) + "]\n",
    "beyond_the_limit_of_fields": "tags: [" + "a, " * 30_000 + "]\n",
}.items():
    INPUTS[name] = lambda content, fields=fields: text(content, "Words.", fields)


# Settings.

for name, settings in {
    "arrays_in_settings": "a = " + "[" * 20_000 + "]" * 20_000,
    "tables_in_settings": "a = " + "{ a = " * 20_000 + "1" + " }" * 20_000,
    "dotted_keys": ".".join(["a"] * 20_000) + " = 1",
    "many_settings": "\n".join(f"[[category]]\nkey = 'k{n}'\nname = {{ en = 'a{n}', tr = 'b{n}' }}\nslug = {{ en = 'a{n}', tr = 'b{n}' }}" for n in range(3_000)),
    "a_long_setting": "a = '" + "b" * 900_000 + "'",
}.items():
    INPUTS[name] = lambda content, settings=settings: (content / "site.toml").open("a").write(f"\n{settings}\n")

for file in ("synonyms", "deviations", "laws", "law-changes"):
    INPUTS[f"nested_{file}"] = lambda content, file=file: (content / f"{file}.toml").write_text("a = " + "[" * 50_000 + "]" * 50_000)
    INPUTS[f"long_{file}"] = lambda content, file=file: (content / f"{file}.toml").write_text(f"[[{file}]]\n" * 60_000)


# Drawings, at most 8 MiB.

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
for name, inside in {
    "groups_in_groups": "<g>" * 200_000 + "</g>" * 200_000,
    "many_elements": "<g/>" * 2_000_000,
    "many_attributes": "<g " + " ".join(f'a{number}=""' for number in range(60_000)) + "/>",
    "many_attributes_of_elements": '<g a="" b="" c="" d="" e=""/>' * 280_000,
    "a_long_path": '<path d="' + "M0 0L9 9" * 1_000_000 + '"/>',
    "a_long_style": "<style>" + ".a{fill:red}" * 650_000 + "</style>",
    "blocks_in_a_style": "<style>" + "a{" * 2_000_000 + "</style>",
    "a_style_of_colours": "<style>.a{" + "fill:red;" * 400_000 + "fill:var(--a)}</style>",
    "unknown_colours": '<g style="' + "fill:red;fill:var(--a);" * 200_000 + '"/>',
    "colours_without_end": "<text>" + "fill:" * 1_500_000 + "</text>",
    "comments_in_a_style": "<style>" + "/*" * 2_000_000 + "</style>",
    "uses_of_uses": "".join(f'<g id="g{n}">' + f'<use href="#g{n - 1}"/>' * 10 + "</g>" for n in range(1, 9)),
    "namespaces": "<g " + " ".join(f'xmlns:a{n}="b"' for n in range(2_000)) + "/>",
    "many_elements_within_the_limit": "<g/>" * 990_000,
    "texts": "<text>" + "word " * 1_500_000 + "</text>",
    "colours_in_a_title": "<title>" + "fill:" * 100_000 + "</title>",
    "colours_in_a_long_style": '<g style="' + "fill:red;fill:var(--a);" * 20_000 + '"/>',
    "classes": "<style>.a{clip-path:url(#a)}</style>" + f'<g class="{"a " * 20_000}"/>' * 10,
    "filters": '<filter id="f">' + "<feGaussianBlur stdDeviation='9'/>" * 200 + '</filter><g filter="url(#f)"><path d="M0 0h9v9z"/></g>',
    "dashes": '<path stroke="red" stroke-dasharray=".00001" d="M0 0L99999 99999"/>',
    "patterns": '<pattern id="p" width=".001" height=".001"><path d="M0 0h1"/></pattern><path fill="url(#p)" d="M0 0h9v9z"/>',
    "gradients": "".join(f'<linearGradient id="a{n}" href="#a{n + 1}"/>' for n in range(20_000)) + '<path fill="url(#a0)" d="M0 0h9v9z"/>',
}.items():
    INPUTS[f"picture_of_{name}"] = lambda content, inside=inside: shown(content, "a.svg", f"{SVG}{inside}</svg>".encode())
    INPUTS[f"icon_of_{name}"] = lambda content, inside=inside: icon(content, f"{SVG}{inside}</svg>")


@given
def icon_of_great_size(content):
    icon(content, SVG.replace('viewBox="0 0 9 9"', 'width="99999999" height="99999999"') + '<path d="M0 0h99999999v9z"/></svg>')


# Photographs, at most 64 million pixels.


def photograph(mode, size, form, **options):
    # A small pattern, since the cost depends on the number of pixels.
    tile = Image.effect_noise((500, 500), 60).convert(mode)
    picture = Image.new(mode, size)
    for left in range(0, size[0], 500):
        for top in range(0, size[1], 500):
            picture.paste(tile, (left, top))
    out = io.BytesIO()
    ImageFile.MAXBLOCK = 64 * MEBIBYTE
    picture.save(out, form, **options)
    return out.getvalue()


for name, (file, arguments, options) in {
    "baseline": ("a.jpg", ("RGB", (8_000, 7_900), "JPEG"), {"quality": 30}),
    "progressive": ("a.jpg", ("RGB", (8_000, 7_900), "JPEG"), {"quality": 20, "progressive": True}),
    "progressive_of_whole_colours": ("a.jpg", ("RGB", (8_000, 7_900), "JPEG"), {"quality": 10, "progressive": True, "subsampling": 0}),
    "progressive_within_the_limit": ("a.jpg", ("RGB", (5_500, 5_500), "JPEG"), {"quality": 10, "progressive": True, "subsampling": 0}),
    "progressive_grey": ("a.jpg", ("L", (8_000, 7_900), "JPEG"), {"quality": 20, "progressive": True}),
    "printers_colours": ("a.jpg", ("CMYK", (7_900, 8_000), "JPEG"), {"quality": 10}),
    "a_long_line": ("a.jpg", ("RGB", (32_700, 1_900), "JPEG"), {"quality": 20}),
    "palette": ("a.png", ("P", (8_000, 7_900), "PNG"), {"compress_level": 1}),
    "one_bit": ("a.png", ("1", (8_000, 7_900), "PNG"), {}),
    "alpha": ("a.png", ("RGBA", (6_900, 6_900), "PNG"), {"compress_level": 1}),
    "lossy_webp": ("a.webp", ("RGB", (6_900, 6_900), "WEBP"), {"quality": 5, "method": 0}),
    "whole_webp": ("a.webp", ("RGBA", (6_900, 6_900), "WEBP"), {"lossless": True, "method": 0, "quality": 0}),
}.items():
    INPUTS[f"photograph_{name}"] = lambda content, file=file, a=arguments, o=options: shown(content, file, photograph(*a, **o))


def png(width, height, depth, kind, *, interlaced=0, before=b"", row=b"\0"):
    """Returns a PNG of one colour."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced)
    packer = zlib.compressobj(1)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + before + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


@given
def photograph_of_sixteen_bits(content):
    shown(content, "a.png", png(5_600, 5_600, 16, 2, row=bytes(1 + 5_600 * 6)))


@given
def photograph_interlaced(content):
    data = bytes(8_000 * 7_900 * 3 + 8 * 8_000)
    out = io.BytesIO()
    packer = zlib.compress(data, 1)
    head = struct.pack(">IIBBBBB", 8_000, 7_900, 8, 2, 0, 0, 1)
    out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packer) + chunk(b"IEND", b""))
    shown(content, "a.png", out.getvalue())


@given
def photograph_with_a_packed_profile(content):
    shown(content, "a.png", png(90, 90, 8, 2, before=chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(900 * MEBIBYTE), 9)), row=bytes(271)))


@given
def photograph_with_packed_notes(content):
    notes = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(300 * MEBIBYTE), 9))
    shown(content, "a.png", png(90, 90, 8, 2, before=notes * 3, row=bytes(271)))


@given
def photograph_of_many_chunks(content):
    shown(content, "a.png", png(90, 90, 8, 2, before=chunk(b"tEXt", b"a\0b") * 600_000, row=bytes(271)))


@given
def photograph_of_many_segments(content):
    data = photograph("RGB", (90, 90), "JPEG")
    shown(content, "a.jpg", data[:2] + b"\xff\xe2\x00\x10ICC_PROFILE\0\x01\x01" * 500_000 + data[2:])


@given
def photograph_of_many_scans(content):
    data = photograph("RGB", (2_000, 2_000), "JPEG", quality=10, progressive=True)
    at = data.index(b"\xff\xda")
    scan_end = data.index(b"\xff\xc4", at) if b"\xff\xc4" in data[at:] else len(data) - 2
    shown(content, "a.jpg", data[:at] + data[at:scan_end] * 300 + data[at:])


@given
def photograph_cut_off(content):
    data = photograph("RGB", (7_000, 7_000), "JPEG", quality=20)
    shown(content, "a.jpg", data[: len(data) // 2])


# Documents, at most 16 MiB.


def document(content, name, data):
    text(content, f"[the form]({name})")
    (content / ARTICLE).with_name(name).write_bytes(data)


@given
def document_of_nested_objects(content):
    document(content, "a.pdf", b"%PDF-1.7\ntrailer " + b"[" * (8 * MEBIBYTE) + b"\nstartxref\n9\n%%EOF")


@given
def document_of_dictionaries(content):
    document(content, "a.pdf", b"%PDF-1.7\ntrailer <<" + b"/A 1 0 R" * MEBIBYTE + b"/Encrypt 1 0 R>>\nstartxref\n9\n%%EOF")


@given
def document_of_many_objects(content):
    document(content, "a.pdf", b"%PDF-1.7\n" + b"1 0 obj<</Filter" * 900_000 + b"\ntrailer <</Encrypt 1 0 R>>\nstartxref\n99\n%%EOF")


@given
def document_of_many_files(content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in ["[Content_Types].xml", "word/document.xml", *(f"word/{number}" for number in range(60_000))]:
            archive.writestr(name, b"")
    document(content, "a.docx", out.getvalue())


@given
def document_of_lines(content):
    document(content, "a.ics", b"BEGIN:VCALENDAR\r\n" + b"A:B\r\n" * 3_000_000 + b"END:VCALENDAR\r\n")


# Folders.


@given
def many_unused_files(content):
    for number in range(4_000):
        (content / ARTICLE).with_name(f"{number}.svg").write_text(f"{SVG}</svg>")


@given
def folders_in_folders(content):
    folder = content / "publications" / "/".join(["a"] * 300)
    folder.mkdir(parents=True)
    (folder / "en.md").write_text("a")


def run(command):
    """Returns status, output, seconds and peak memory of a process."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=WORK) as process:
        timer = subprocess.Popen(["sleep", str(PATIENCE)])
        output = b""
        os.set_blocking(process.stdout.fileno(), False)
        while True:
            part = process.stdout.read()
            output += part or b""
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                process.returncode = os.waitstatus_to_exitcode(status)
                output += process.stdout.read() or b""
                break
            if timer.poll() is not None:
                process.kill()
            time.sleep(0.01)
        timer.kill()
        timer.wait()
    return process.returncode, output.decode(errors="replace"), time.monotonic() - start, usage


def commands(content):
    dist = WORK / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    now = ["--now", "2026-11-01T00:00:00Z"]
    yield "check", [GENERATOR, "check", "--content", content, *now]
    yield "build", [GENERATOR, "build", "--content", content, "--out", dist, "--compression", "none", *now]


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    random.seed(7)
    names = sys.argv[4:] or list(INPUTS)
    usual, problems, worst = {}, [], {}
    for name in [None, *names]:
        content = WORK / "content"
        shutil.rmtree(content, ignore_errors=True)
        shutil.copytree(CONTENT, content)
        if name:
            # In a process of its own: the memory of this one counts as that of its children until they start a program.
            maker = multiprocessing.get_context("fork").Process(target=INPUTS[name], args=(content,))
            maker.start()
            maker.join()
            problems += [f"{name}: was not made"] if maker.exitcode else []
        for what, command in commands(content):
            status, output, seconds, usage = run(command)
            cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
            if name is None:
                usual[what] = cpu
                problems += [f"the site without odd files: {output}"] if status else []
                continue
            if os.environ.get("SHOW"):
                print(f"{name}, {what}: {memory / 1e6:.0f} MB, {cpu:.1f} s: {output[:120]!r}", flush=True)
            worst[name] = (max(memory, worst.get(name, (0, 0))[0]), max(cpu, worst.get(name, (0, 0))[1]))
            if status not in (0, 1) or (status == 1 and "error" not in output):
                problems.append(f"{name}, {what}: ends with {status}: {output[-400:]}")
            if memory > MEMORY:
                problems.append(f"{name}, {what}: takes {memory / 1e6:.0f} MB")
            # CPU time, since the machine may be busy.
            if cpu > usual[what] + SECONDS:
                problems.append(f"{name}, {what}: takes {cpu:.1f} s, {usual[what]:.1f} without it")
    shutil.rmtree(WORK / "content", ignore_errors=True)
    for name, (memory, cpu) in sorted(worst.items(), key=lambda item: -item[1][0])[:5]:
        print(f"{name}: {memory / 1e6:.0f} MB, {cpu:.1f} s")
    for name, (memory, cpu) in sorted(worst.items(), key=lambda item: -item[1][1])[:5]:
        print(f"{name}: {cpu:.1f} s, {memory / 1e6:.0f} MB")
    print("\n".join([*problems, f"{len(names)} odd files: {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
