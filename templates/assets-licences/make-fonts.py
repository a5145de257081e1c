"""Makes the files in ../assets/fonts and crates/render/fonts from the npm packages @fontsource-variable/literata and /inter 5.3.

    npm install @fontsource-variable/literata@5.3 @fontsource-variable/inter@5.3
    pip install fonttools==4.60.1 brotli
    python make-fonts.py node_modules/@fontsource-variable ../assets/fonts ../../crates/render/fonts

The upstream files cover all weights and many more characters, and have ğ, ş and İ in a file of their own. Readers get the
weights and the characters that the site uses, each face in one file: a word of two files could be shown in two faces, where
one of them comes too late to be used. Both families are under the SIL Open Font License without a reserved name, so they
may be changed under their own names; the licences stand beside this file and inside each font.

The faces in crates/render/fonts are for pictures, which the build draws: one weight each, and the letters of all languages that
are written in Latin letters, since a title may name a person or a place of any of them.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

LATIN = [
    *range(0x20, 0x7F), *range(0xA0, 0x100), 0x131, 0x152, 0x153, 0x2C6, 0x2DA, 0x2DC,
    0x2009, 0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2022, 0x2026,
    0x2032, 0x2033, 0x2039, 0x203A, 0x2044, 0x20AC, 0x2122, 0x2191, 0x2193, 0x2212,
]
TURKISH = [0x11E, 0x11F, 0x130, 0x15E, 0x15F, 0x20BA]
DRAWN = [*range(0x100, 0x180), 0x218, 0x219, 0x21A, 0x21B, 0x20BA]
FEATURES = ["kern", "liga", "locl", "ccmp", "mark", "mkmk"]
# Lines run from left to right, and the widths of the bold are in the outlines' own variations too.
UNUSED = ["HVAR", "VVAR", "vhea", "vmtx"]

TEXT = {"wght": (400, 600), "opsz": (12, 48)}
ITALIC = {"wght": 400}
INTERFACE = {"wght": (400, 600)}

# Source (with {} for its range of characters), result, axes kept.
LITERATA = "literata/files/literata-{}-opsz-normal.woff2"
INTER = "inter/files/inter-{}-wght-normal.woff2"
FACES = [
    (LITERATA, "literata.woff2", TEXT, TURKISH),
    ("literata/files/literata-{}-wght-italic.woff2", "literata-italic.woff2", ITALIC, TURKISH),
    (INTER, "inter.woff2", INTERFACE, TURKISH),
]
PICTURES = [
    (LITERATA, "literata.ttf", {"wght": 500, "opsz": 36}, DRAWN),
    (INTER, "inter.ttf", {"wght": 500}, DRAWN),
]


def cut(source: Path, characters: list[int], axes: dict, folder: Path) -> TTFont:
    """The font of these characters and axes."""
    font = instancer.instantiateVariableFont(TTFont(source, recalcTimestamp=False), axes)
    # Write once and read again: the subsetter needs the tables in their compiled form.
    font.flavor = None
    plain = folder / "plain.ttf"
    font.save(plain)
    font = TTFont(plain, recalcTimestamp=False)
    if "gvar" in font:
        for glyph in font.getGlyphOrder():
            font["gvar"].variations.setdefault(glyph, [])

    options = subset.Options()
    options.layout_features = FEATURES
    options.hinting = False
    # 0 and 14 are the copyright and the licence: every copy carries them.
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.drop_tables += UNUSED
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    return font


def join(font: TTFont, more: TTFont, added: list[int]) -> None:
    """Adds the glyphs of `more`, which comes from the same drawing, to `font`."""
    names = {name: f"more.{name}" for name in more.getGlyphOrder() if name != ".notdef"}
    font.setGlyphOrder(font.getGlyphOrder() + list(names.values()))
    for old, new in names.items():
        glyph = more["glyf"][old]
        for component in getattr(glyph, "components", []):
            component.glyphName = names[component.glyphName]
        font["glyf"].glyphs[new] = glyph
        font["hmtx"].metrics[new] = more["hmtx"].metrics[old]
        if "gvar" in font:
            font["gvar"].variations[new] = more["gvar"].variations.get(old, [])
    characters = more.getBestCmap()
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap.update({code: names[characters[code]] for code in added})
    font["post"].formatType = 3.0


def make(faces: list, packages: Path, target: Path) -> None:
    for source, name, axes, added in faces:
        with TemporaryDirectory() as folder:
            font = cut(packages / source.format("latin"), LATIN, axes, Path(folder))
            more = cut(packages / source.format("latin-ext"), added, axes, Path(folder))
            join(font, more, [code for code in added if code in more.getBestCmap()])
        font.flavor = "woff2" if name.endswith(".woff2") else None
        result = target / name
        font.save(result)
        print(f"{result.name:32}{result.stat().st_size:7}")


def main() -> None:
    packages, published, drawn = map(Path, sys.argv[1:4])
    make(FACES, packages, published)
    make(PICTURES, packages, drawn)


if __name__ == "__main__":
    main()
