"""Reads a build as crawlers, converters and libraries in Python do: quotations and their sources by trafilatura, days by htmldate,
links by courlan, Markdown and pages by pandoc, feeds by three readers, robots.txt by parsers that take the first rule and by those
that take the longest, llms.txt by its reference parser.

    python consumers.py DIST [PAGES]
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.robotparser import RobotFileParser

import atoma
import fastfeedparser
import feedparser
from courlan import extract_links
from htmldate import find_date
from llms_txt import parse_llms_file
from lxml import html
from protego import Protego
from robotexclusionrulesparser import RobotExclusionRulesParser
from trafilatura import extract

AGENTS = ("Mozilla", "GPTBot")
CLOSED = "/agent/auth"
OPEN = "/en/publications"
PUBLIC = "https://firm.example"


def plain(text: str) -> str:
    """Returns the letters and digits, which every extraction keeps."""
    return re.sub(r"\W+", "", text)


def quotations(dist: Path, pages: int) -> tuple[int, list[str]]:
    """Compares the headings, the answers and the quotations with a source on some pages with the text that trafilatura extracts."""
    count, problems = 0, []
    for path in sorted(dist.glob("*/publications/*.html")) + sorted(dist.glob("*/yayinlar/*.html")):
        text = path.read_text(encoding="utf-8")
        has_questions = 'class="question"' in text
        if 'class="quotation"' not in text and not has_questions:
            continue
        if (pages := pages - 1) < 0 and not has_questions:
            continue
        extracted = plain(extract(text) or "")
        parts = html.fromstring(text).xpath('//h2[@id and not(@class)] | //h3[@id] | //details[@class="question"]/p')
        problems += [
            f"{path}: trafilatura loses {part.text_content()!r}" for part in parts if plain(part.text_content()) not in extracted
        ]
        for quotation in html.fromstring(text).xpath('//div[@class="quotation"]'):
            count += 1
            for part in quotation.xpath('./p[@class="source"] | ./blockquote/p'):
                if plain(part.text_content()) not in extracted:
                    problems.append(f"{path}: trafilatura loses {part.text_content()!r}")
    if not count:
        problems.append("there is no quotation with a source")
    return count, problems


def converted(dist: Path, pages: int) -> tuple[int, list[str]]:
    """Compares the notes, cells, quotations and clauses of some articles with what pandoc makes of page and Markdown."""
    count, problems = 0, []
    for path in sorted(dist.glob("*/publications/*.html")) + sorted(dist.glob("*/yayinlar/*.html")):
        page = html.fromstring(path.read_text(encoding="utf-8"))
        parts = page.xpath('//div[@class="quotation"]//p | //*[contains(@class, "prose")]//td | //span[starts-with(@class, "clause")]')
        notes = page.xpath('//section[@class="footnotes"]//li')
        if not parts or not notes or (pages := pages - 1) < 0:
            continue
        twin = path.with_suffix(".md")
        # As GitHub reads it, and with all extensions, among them its own for lists and notes.
        read = {f"{twin}, {form}": pandoc(twin, form) for form in ("gfm+yaml_metadata_block", "markdown")}
        read[f"{path}"] = pandoc(path, "html")
        for name, text in read.items():
            found = html.fromstring(text)
            words = plain(found.text_content())
            problems += [
                f"{name}: pandoc loses {part.text_content()!r}" for part in parts if plain(part.text_content()) not in words
            ]
            count += len(parts)
            items = found.xpath('//*[contains(@class, "footnotes")]//li')
            if len(items) != len(notes):
                problems.append(f"{name}: pandoc reads {len(items)} of {len(notes)} notes")
    if not count:
        problems.append("there is no article with notes and parts that pandoc reads")
    return count, problems


def pandoc(file: Path, form: str) -> str:
    command = ["pandoc", f"--from={form}", "--to=html", "--wrap=none", str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def robots(dist: Path) -> list[str]:
    text = (dist / "robots.txt").read_text(encoding="utf-8")
    first, second, longest = RobotFileParser(), RobotExclusionRulesParser(), Protego.parse(text)
    first.parse(text.splitlines())
    second.parse(text)
    parsers = {
        "urllib": first.can_fetch,
        "robotexclusionrulesparser": second.is_allowed,
        "Protego": lambda agent, path: longest.can_fetch(path, agent),
    }
    return [
        f"robots.txt: {name} {'lets' if allowed else 'keeps'} {agent} {'into' if allowed else 'out of'} {path}"
        for name, allows in parsers.items()
        for agent in AGENTS
        for path, wanted in ((CLOSED, False), (OPEN, True))
        if (allowed := allows(agent, path)) != wanted
    ]


def overviews(dist: Path) -> list[str]:
    problems = []
    for path in (dist / "llms.txt", dist / "en/llms.txt", dist / "tr/llms.txt"):
        text = path.read_text(encoding="utf-8")
        sections = parse_llms_file(text).sections
        lines = [line for line in text.splitlines() if line.startswith("- [")]
        links = sum(map(len, sections.values()))
        if links != len(lines):
            problems.append(f"{path}: {links} links of {len(lines)} are read")
        problems += [f"{path}: {name!r} is not one word" for name in sections if not name.isidentifier()]
    return problems


def days(dist: Path) -> list[str]:
    """Compares the days of articles with those that htmldate finds, and their links with those of courlan."""
    problems = []
    for path in sorted(dist.glob("*/publications/*.html")) + sorted(dist.glob("*/yayinlar/*.html")):
        text = path.read_text(encoding="utf-8")
        written = {name: re.search(rf'"{name}":"([0-9-]{{10}})', text) for name in ("datePublished", "dateModified")}
        if not all(written.values()):
            continue
        for name, found in ("datePublished", find_date(text, original_date=True)), ("dateModified", find_date(text)):
            if found not in {written[name][1], written["datePublished"][1]}:
                problems.append(f"{path}: htmldate finds {found}, not {written[name][1]}")
    for path in dist / "en/publications.html", dist / "tr/yayinlar.html":
        text = path.read_text(encoding="utf-8")
        origin = re.search(r'<link rel="canonical" href="(https?://[^/"]+)', text)[1]
        # courlan drops every address with a port of this machine.
        text, origin = text.replace(origin, PUBLIC), PUBLIC
        found = extract_links(text, url=f"{origin}/{path.relative_to(dist).with_suffix('')}")
        links = {link.get("href") for link in html.fromstring(text).xpath("//main//a[starts-with(@href, '/')]")}
        lost = [link for link in links if "." not in link and "?" not in link and "#" not in link and origin + link not in found]
        problems += [f"{path}: courlan loses {link}" for link in lost]
    return problems


def feeds(dist: Path) -> list[str]:
    """Compares what three readers find in each entry: the address of its page, its day, its people."""
    problems = []
    for path in sorted(dist.glob("*/atom.xml")):
        text = path.read_bytes()
        first = [
            (it.link, it.published[:10], [author["name"] for author in it.authors]) for it in feedparser.parse(text).entries
        ]
        second = [
            # It reads the first author only.
            (it["link"], it["published"][:10], [author["name"] for author in it["authors"]])
            for it in fastfeedparser.parse(text.decode()).entries
        ]
        third = [
            (
                next(link.href for link in it.links if link.rel in (None, "alternate")),
                it.published.date().isoformat(),
                [author.name for author in it.authors],
            )
            for it in atoma.parse_atom_bytes(text).entries
        ]
        if not len(first) == len(second) == len(third) > 0:
            problems.append(f"{path}: {len(first)}, {len(second)} and {len(third)} entries are read")
        for one, two, three in zip(first, second, third):
            if one != three or one[:2] != two[:2] or one[2][:1] != two[2][:1]:
                problems.append(f"{path}: {one}, {two}, {three}")
    return problems


def main() -> int:
    dist, pages = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8
    count, problems = quotations(dist, pages)
    conversions, lost = converted(dist, max(1, pages // 2))
    problems += lost + days(dist) + feeds(dist) + robots(dist) + overviews(dist)
    print("\n".join([*problems, f"{count} quotations, {conversions} conversions, days, links, feeds, robots.txt, llms.txt: {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
