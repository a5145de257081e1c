"""Deterministic entries: the text of entry i does not depend on the size of the corpus.

In a body, `{link:SECTION/KEY}` stands for the address of another entry, which each layout writes in its own way. All other
bytes are the same in every layout.
"""
import hashlib
import random
from dataclasses import dataclass, field
from datetime import date, timedelta

from .words import AREAS, FAMILY, GIVEN, MEMBERS, WORDS

NEIGHBOURS = 50  # a publication links to one of the previous NEIGHBOURS publications


@dataclass
class Entry:
    section: str
    key: str
    title: str
    day: str
    author: str  # key of a member, or ""
    category: str  # key, or ""
    excerpt: str
    body: str
    order: int = 0
    role: str = ""
    areas: list = field(default_factory=list)


def rng(*key):
    seed = hashlib.blake2b("/".join(map(str, key)).encode(), digest_size=8).digest()
    return random.Random(int.from_bytes(seed, "big"))


def plain_sentence(r, locale):
    words = WORDS[locale]
    tail, verb, obj, subject = (r.choice(words[kind]) for kind in ("tail", "verb", "object", "subject"))
    return f"{subject} {verb} {obj} {tail}" if locale == "en" else f"{subject}, {tail} {obj} {verb}"


def sentence(r, locale):
    text = plain_sentence(r, locale)
    if r.random() < 0.35:
        lead = r.choice(WORDS[locale]["lead"])
        lead = lead % r.randint(2, 199) if "%d" in lead else lead
        text = f"{lead} {text if text[0] == 'İ' else text[0].lower() + text[1:]}"
    chance = r.random()
    if chance < 0.06:
        first, _, rest = text.partition(" ")
        text = f"**{first}** {rest}"
    elif chance < 0.12:
        rest, _, last = text.rpartition(" ")
        text = f"{rest} *{last}*"
    elif chance < 0.15:
        text += f" (`{r.randint(1, 99)}/{r.randint(2000, 2026)}`)"
    return text + "."


def table(r, words):
    rows = ["| %s | %s | %s |" % tuple(words["columns"]), "| --- | ---: | --- |"]
    for _ in range(r.randint(3, 6)):
        days = r.choice((7, 15, 30, 60, 90))
        rows.append(f"| {r.choice(words['object'])} | {days} {words['days']} | {r.choice(words['who'])} |")
    return "\n".join(rows)


def code(r):
    return (f'```json\n{{\n  "decision": "{r.randint(2015, 2026)}/{r.randint(1, 900)}",\n'
            f'  "days": {r.choice((15, 30, 60))}\n}}\n```')


def paragraph(r, locale, i, opens_section):
    text = " ".join(sentence(r, locale) for _ in range(r.randint(2, 5)))
    if opens_section and i > 0 and r.random() < 0.6:
        target = publication_key(r.randrange(max(0, i - NEIGHBOURS), i))
        words = WORDS[locale]
        text += f" {words['see']}: [{r.choice(words['noun'])}]({{link:publications/{target}}})."
    elif r.random() < 0.15:
        text += f" [{r.randint(1, 9)}](https://gazette.example/{r.choice(AREAS)}/{r.randint(1000, 9999)})"
    return text


def article(r, locale, i):
    """Returns 600 to 1,300 words: sections, links, lists, a table, and a code block or a footnote."""
    words = WORDS[locale]
    goal, count, blocks = r.randint(600, 1150), 0, []
    headings = r.sample(words["heading"], r.randint(4, 6))
    with_table, with_extra = r.randrange(len(headings)), r.randrange(len(headings))

    def add(block):
        nonlocal count
        count += len(block.split())
        blocks.append(block)

    for number, heading in enumerate(headings):
        add("## " + heading)
        share, opens_section = goal * (number + 1) // len(headings), True
        while count < share or opens_section:
            add(paragraph(r, locale, i, opens_section))
            opens_section = False
            if count < share and r.random() < 0.3:
                mark = "1." if r.random() < 0.3 else "-"
                add("\n".join(f"{mark} {sentence(r, locale)}" for _ in range(r.randint(3, 5))))
        if number == with_table:
            add(table(r, words))
        if number == with_extra:
            add(code(r) if i % 2 else plain_sentence(r, locale) + ".[^1]")
    if i % 2 == 0:
        add("[^1]: " + plain_sentence(r, locale) + ".")
    return "\n\n".join(blocks) + "\n"


def publication_key(i):
    return f"pub-{i:06}"


def publication(i, locale, categories):
    shared, r, words = rng("publication", i), rng("publication", i, locale), WORDS[locale]
    day = date(2010, 1, 1) + timedelta(days=shared.randrange(365 * 16))
    adjective, noun = words["adjective"][shared.randrange(6)], words["noun"][shared.randrange(10)]
    return Entry("publications", publication_key(i), f"{adjective} {noun} ({i})", day.isoformat(),
                 shared.choice(MEMBERS), shared.choice(categories), plain_sentence(r, locale) + ".",
                 article(r, locale, i))


def practice_area(j, locale):
    r = rng("area", j, locale)
    return Entry("practice-areas", AREAS[j], WORDS[locale]["areas"][j], f"2024-01-{j + 1:02}", "", "",
                 plain_sentence(r, locale) + ".", article(r, locale, 0), order=j + 1)


def member_name(j):
    return f"{GIVEN[j % len(GIVEN)]} {FAMILY[j % len(FAMILY)]}"


def member(j, locale):
    shared, r = rng("member", j), rng("member", j, locale)
    blocks = [" ".join(sentence(r, locale) for _ in range(4)) for _ in range(3)]
    blocks.append("\n".join("- " + sentence(r, locale) for _ in range(4)))
    return Entry("team", MEMBERS[j], member_name(j), f"2023-06-{j + 1:02}", MEMBERS[j], "",
                 plain_sentence(r, locale) + ".", "\n\n".join(blocks) + "\n", order=j + 1,
                 role=WORDS[locale]["roles"][shared.randrange(4)],
                 areas=sorted({shared.choice(AREAS), shared.choice(AREAS)}))


def entries(publications, locale, categories):
    yield from (practice_area(j, locale) for j in range(len(AREAS)))
    yield from (member(j, locale) for j in range(len(MEMBERS)))
    yield from (publication(i, locale, categories) for i in range(publications))
