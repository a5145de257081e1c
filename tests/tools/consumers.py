"""Reads a build as crawlers and libraries in Python do: quotations and their sources by trafilatura, robots.txt by
parsers that take the first rule and by those that take the longest, llms.txt by its reference parser.

    python consumers.py DIST [PAGES]
"""

import re
import sys
from pathlib import Path
from urllib.robotparser import RobotFileParser

from llms_txt import parse_llms_file
from lxml import html
from protego import Protego
from robotexclusionrulesparser import RobotExclusionRulesParser
from trafilatura import extract

AGENTS = ("Mozilla", "GPTBot")
CLOSED = "/agent/auth"
OPEN = "/en/publications"


def plain(text: str) -> str:
    """Returns the letters and digits, which every extraction keeps."""
    return re.sub(r"\W+", "", text)


def quotations(dist: Path, pages: int) -> tuple[int, list[str]]:
    """Compares the quotations with a source on some pages with the text that trafilatura extracts."""
    count, problems = 0, []
    for path in sorted(dist.glob("*/publications/*.html")) + sorted(dist.glob("*/yayinlar/*.html")):
        text = path.read_text(encoding="utf-8")
        if 'class="quotation"' not in text:
            continue
        if (pages := pages - 1) < 0:
            break
        extracted = plain(extract(text) or "")
        for quotation in html.fromstring(text).xpath('//div[@class="quotation"]'):
            count += 1
            for part in quotation.xpath('./p[@class="source"] | ./blockquote/p'):
                if plain(part.text_content()) not in extracted:
                    problems.append(f"{path}: trafilatura loses {part.text_content()!r}")
    if not count:
        problems.append("there is no quotation with a source")
    return count, problems


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


def main() -> int:
    dist, pages = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8
    count, problems = quotations(dist, pages)
    problems += robots(dist) + overviews(dist)
    print("\n".join([*problems, f"{count} quotations, robots.txt, llms.txt: {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
