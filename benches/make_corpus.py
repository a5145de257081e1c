#!/usr/bin/env python3
"""Write one deterministic law-firm corpus in two layouts, with the same text in each.

    make_corpus.py OUT N

N publications, 8 practice areas and 12 team members, each in English and Turkish; OUT/mecelle is content for
the generator (with the demonstration firm's own settings, pages, contact and network), OUT/hugo a site for
Hugo. The templates in OUT/mecelle/templates and in OUT/hugo give the same output.
"""
import hashlib
import json
import sys
from pathlib import Path

from corpus import hugo, mecelle, text
from corpus.words import LOCALES


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out, publications = Path(sys.argv[1]), int(sys.argv[2])
    repository = Path(__file__).resolve().parent.parent
    categories = mecelle.prepare(out / "mecelle", repository)
    hugo.prepare(out / "hugo")
    digest, pages, length = hashlib.sha256(), 0, 0
    for locale in LOCALES:
        for entry in text.entries(publications, locale, categories):
            mecelle.write(out / "mecelle", locale, entry)
            hugo.write(out / "hugo", locale, entry)
            body = entry.body.encode()
            digest.update(body)
            pages, length = pages + 1, length + len(body)
    facts = {"publications": publications, "pages": pages, "body_bytes": length, "sha256": digest.hexdigest()}
    (out / "corpus.json").write_text(json.dumps(facts) + "\n")
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
