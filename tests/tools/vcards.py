"""Reads every vCard 3.0 of a build with vobject: its values must equal those of version 4.0.

    python vcards.py DIST
"""

import sys
from pathlib import Path

import vobject


def properties(text: str) -> dict[str, object]:
    card = vobject.readOne(text)
    values = {name: getattr(card, name).value for name in ("fn", "org", "url") if hasattr(card, name)}
    for name in ("title", "email"):
        values[name] = getattr(card, name).value if hasattr(card, name) else None
    values["tel"] = card.tel.value.removeprefix("tel:") if hasattr(card, "tel") else None
    values["adr"] = str(card.adr.value)
    return values


def main() -> int:
    cards = sorted(Path(sys.argv[1]).rglob("*.v3.vcf"))
    problems = [] if cards else ["there are no cards"]
    for old in cards:
        new = old.with_name(old.name.removesuffix(".v3.vcf") + ".vcf")
        texts = [path.read_bytes().decode() for path in (old, new)]
        card = vobject.readOne(texts[0])
        try:
            card.validate(raiseException=True)
        except vobject.base.VObjectError as error:
            problems.append(f"{old}: {error}")
            continue
        one, other = map(properties, texts)
        problems += [f"{old}: {name} is {one[name]!r}, in version 4.0 {other[name]!r}" for name in one if one[name] != other[name]]
        name = " ".join(filter(None, (card.n.value.given, card.n.value.family)))
        if name != card.fn.value:
            problems.append(f"{old}: the parts of {card.fn.value!r} are {name!r}")
    print("\n".join([*problems, f"{len(cards)} cards: {len(problems)} problems"]))
    return 1 if problems else 0


sys.exit(main())
