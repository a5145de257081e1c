"""Builds a site whose titles are valid and hostile to programs, and reads each in every form as programs of others do: the page and
the API as they are, llms.txt by its reference parser, Markdown by pandoc, feeds by three readers.

    python titles.py GENERATOR CONTENT WORK
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import atoma
import fastfeedparser
import feedparser
from llms_txt import parse_llms_file
from lxml import html

from consumers import pandoc, plain

GENERATOR, CONTENT, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])

TITLES = [
    "[Draft] of the Communiqué (2026/3)",
    "Rents ] and [ leases",
    "A link] (https://elsewhere.example) in a title",
    "Brackets ([nested [twice]]) and (parentheses))",
    "Fees: 25 % of 1,000 – a summary",
    "- A dash at the start",
    "1. A number at the start",
    "1) Another number",
    "# A hash at the start",
    "## Two hashes",
    "> A quotation mark of Markdown",
    "+ A plus",
    "Section 5 * 3 * 2",
    "snake_case and file_name.ext",
    "Slash / and \u2216",
    "A lone * and a lone ^",
    "About ~5 % and ~10 %",
    "Ampersand & company, AT&T",
    "5 < 6 and 7 > 6",
    "Quotes \"double\", 'single', “curly”, ‘thin’",
    "A pipe | in a | row",
    "An exclamation! [picture] (x.svg)",
    "Footnote [1] ^ reference",
    "Dollar $100 and $200, formula $x^2$",
    "{braces} and {{ templates }} and {% tags %}",
    "https://elsewhere.example/a?b=c&d=e as a title",
    "info@elsewhere.example as a title",
    "Emoji ⚖️ and 👩🏽‍⚖️",
    "עברית and العربية in a title",
    "Ünlü çığlık: İĞÜŞÖÇ ığüşöç",
    "Ends with a colon:",
    "Ends with hashes ##",
    "Ends with a brace {#anchor}",
    "--- three hyphens ---",
    "]]> of XML",
    "%E2%82%AC percent signs %",
    "(a) lower case (b)",
    "@mention and #hashtag",
    "- [ ] task",
    "|---|",
    "key: value",
    "!tag &anchor *alias",
    "~",
    "2026",
]


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(CONTENT, WORK / "content")
    for number, title in enumerate(TITLES):
        folder = WORK / f"content/publications/title-{number}"
        folder.mkdir()
        fields = {"title": title, "slug": f"title-{number}", "excerpt": f"About number {number}.", "date": "2026-01-05"}
        lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
        text = "\n".join(["---", *lines, "author: mehmet-demir", "category: tax", "---", "", "The words of the article.", ""])
        (folder / "en.md").write_text(text, encoding="utf-8")
    command = [GENERATOR, "build", "--content", WORK / "content", "--out", WORK / "dist", "--compression", "none"]
    built = subprocess.run([*command, "--now", "2026-11-01T00:00:00Z"], capture_output=True, text=True, timeout=300)
    problems = [] if built.returncode == 0 else [built.stdout + built.stderr]
    problems = problems or [*overviews(WORK / "dist"), *forms(WORK / "dist"), *feeds(WORK / "dist")]
    print("\n".join([*problems, f"{len(TITLES)} titles in llms.txt, pages, Markdown, the API, feeds: {len(problems)} problems"]))
    return 1 if problems else 0


def spaced(text):
    """Returns text with plain spaces and without what only keeps lines together."""
    return re.sub(r"\s+", " ", text.replace("\u2060", "")).strip()


def overviews(dist):
    problems, seen = [], set()
    for path in (dist / "llms.txt", dist / "en/llms.txt"):
        text = path.read_text(encoding="utf-8")
        links = [link for section in parse_llms_file(text).sections.values() for link in section]
        lines = [line for line in text.splitlines() if line.startswith("- [")]
        if len(links) != len(lines):
            problems.append(f"{path}: {len(links)} links of {len(lines)} are read")
        for link in links:
            found = re.search(r"/title-(\d+)\.md$", link["url"])
            if not found:
                continue
            title = TITLES[int(found[1])]
            seen.add(title)
            if plain(link["title"]) != plain(title):
                problems.append(f"{path}: {title!r} is read as {link['title']!r}")
    return problems + [f"llms.txt: {title!r} is not listed" for title in TITLES if title not in seen]


def forms(dist):
    problems = []
    for number, title in enumerate(TITLES):
        base = dist / f"en/publications/title-{number}"
        page = html.parse(base.with_suffix(".html"), html.HTMLParser(encoding="utf-8")).getroot()
        read = {"the page": page.xpath("string(//h1)"), "its title": page.xpath("string(//title)").rsplit(" – ", 1)[0]}
        graph = json.loads(page.xpath('string(//script[@type="application/ld+json"])'))
        headlines = re.findall(r'"headline": ("(?:[^"\\]|\\.)*")', json.dumps(graph, ensure_ascii=False))
        read["JSON-LD"] = json.loads(headlines[0]) if headlines else "none"
        for form in ("gfm+yaml_metadata_block", "markdown"):
            heading = html.fromstring(pandoc(base.with_suffix(".md"), form)).xpath("string((//h1)[1])")
            read[f"its Markdown, {form}"] = heading
        for where, text in read.items():
            # With all its extensions pandoc changes quotation marks, dashes and other characters.
            same = plain(text) == plain(title) if where.endswith(" markdown") else spaced(text) == spaced(title)
            if not same:
                problems.append(f"{base.name}, {where}: {title!r} is read as {text!r}")
    lists = json.loads((dist / "api/v1/publications.en.json").read_text())
    titles = re.findall(r'"title": ("(?:[^"\\]|\\.)*")', json.dumps(lists, ensure_ascii=False))
    return problems + [f"the API lacks {title!r}" for title in TITLES if title not in map(json.loads, titles)]


def feeds(dist):
    text = (dist / "en/atom.xml").read_bytes()
    readers = {
        "feedparser": [(it.link, it.title) for it in feedparser.parse(text).entries],
        "fastfeedparser": [(it["link"], it["title"]) for it in fastfeedparser.parse(text.decode()).entries],
        "atoma": [(it.links[0].href, it.title.value) for it in atoma.parse_atom_bytes(text).entries],
    }
    problems, count = [], 0
    for reader, entries in readers.items():
        for link, title in entries:
            if found := re.search(r"/title-(\d+)$", link):
                count += 1
                # Some readers remove what looks like an element, or read it as one.
                if plain(html.fromstring(f"<p>{title}</p>").text_content()) not in (plain(TITLES[int(found[1])]), plain(html.fromstring(f"<p>{TITLES[int(found[1])]}</p>").text_content())):
                    problems.append(f"{reader}: {TITLES[int(found[1])]!r} is read as {title!r}")
    return problems if count else [*problems, "no entry of a feed was read"]


if __name__ == "__main__":
    sys.exit(main())
