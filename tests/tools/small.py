"""Small firms, made of the firm of the tests, for checks of their pages.

    python small.py CONTENT FOLDER

`FOLDER/solo` is one lawyer with most pages in Turkish only: without articles, network, portrait or an address of her
own. `FOLDER/faces` has people with pictures of every shape, and one
without any contact.
"""

import io
import shutil
import sys
from pathlib import Path

from PIL import Image, ImageDraw

NOT_NEEDED = ["network", "publications", "pages/global-network", "pages/publications", "pages/developers", "pages/about"]
IN_BOTH = ["home", "not-found", "contact", "team", "practice-areas"]


def solo(content):
    for gone in [*NOT_NEEDED, "team/ayse-yilmaz", "team/mehmet-demir", "practice-areas/employment"]:
        shutil.rmtree(content / gone)
    for page in (content / "pages").iterdir():
        if page.name not in IN_BOTH:
            in_one(page)
    for locale in ("en", "tr"):
        area = content / f"practice-areas/tax/{locale}.md"
        area.write_text(area.read_text().replace("@/team/mehmet-demir", "@/team/zeynep-cinar"))
    settings = content / "site.toml"
    text = settings.read_text()
    settings.write_text(text[: text.index("[[category]]")])


def in_one(entry):
    """Deletes the English text, and moves its fields into the Turkish one."""
    english, turkish = ((entry / f"{locale}.md").read_text().split("---\n", 2) for locale in ("en", "tr"))
    known = {line.split(":")[0] for line in turkish[1].splitlines()}
    shared = [line for line in english[1].splitlines() if line.split(":")[0] in {"name", "slug", "order", "updated"} - known]
    (entry / "tr.md").write_text("---\n".join(["", "\n".join([*shared, turkish[1]]), turkish[2]]))
    (entry / "en.md").unlink()


def faces(content):
    sizes = {"tall": (40, 1200), "wide": (1200, 40), "tiny": (2, 2), "clear": (240, 320), "turned": (320, 240)}
    for order, (name, size) in enumerate(sizes.items(), start=4):
        person = content / f"team/{name}"
        person.mkdir()
        ending = "jpg" if name == "turned" else "png"
        (person / f"face.{ending}").write_bytes(face(name, size))
        title, summary = "Avukat", "Testler için uydurulmuş bir avukat."
        (person / "en.md").write_text(
            f"---\nname: {name.capitalize()} Deneme-Karşıyakalıoğulları\ntitle: Attorney\nslug: {name}\norder: {order}\nupdated: 2026-09-01\n"
            f"summary: A lawyer who was invented for tests.\nportrait: face.{ending}\nportrait_alt: A drawn face\n---\n\nWorks.\n"
        )
        (person / "tr.md").write_text(f"---\ntitle: {title}\nsummary: {summary}\nportrait_alt: Çizilmiş bir yüz\n---\n\nÇalışır.\n")


def face(name, size):
    picture = Image.new("RGBA", size, (0, 0, 0, 0) if name == "clear" else (200, 170, 140, 255))
    ImageDraw.Draw(picture).ellipse((size[0] // 4, size[1] // 4, size[0] * 3 // 4, size[1] * 3 // 4), fill=(90, 60, 40, 255))
    out = io.BytesIO()
    if name == "turned":
        notes = Image.Exif()
        notes[0x0112] = 6
        picture.convert("RGB").save(out, "JPEG", exif=notes)
    else:
        picture.save(out, "PNG")
    return out.getvalue()


for make in (solo, faces):
    content = Path(sys.argv[2]) / make.__name__
    shutil.copytree(sys.argv[1], content)
    make(content)
