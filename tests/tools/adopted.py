"""A new firm as docs/adopting.md describes it: filled in by hand, then checked on the served site.

    python adopted.py edit FOLDER      adds to a new folder, in which `generator new` started a page `careers` and a person
                                       `deniz-aksoy`, what a firm adds first
    python adopted.py look URL         checks these additions on the served site

Pillow writes and reads the pictures, independently of the generator, which removes metadata.
"""

import io
import json
import random
import re
import sys
import urllib.request
from pathlib import Path

from PIL import Image

from extent import PATIENCE

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
CAMERA = "Telefon 4711"
MENU = ["practice-areas", "team", "publications", "about", "careers", "contact"]
OFFICES = {
    "en": """offices:
  - { key: istanbul, name: Istanbul, street: "Deneme Sokak No: 1", postal_code: "34371", city: Şişli / İstanbul, country: TR }
  - key: london
    name: London
    street: 1 Example Street
    postal_code: EC1A 1AA
    city: London
    country: GB
    telephone: "+442079460000\"""",
    "tr": "offices: [{ key: istanbul, name: İstanbul }, { key: london, name: Londra, city: Londra }]",
}
TEXTS = {
    "en": "The firm takes trainees in spring. Send us [the form](Başvuru%20Formu.pdf).\n\n![The entrance](IMG_0001.JPG)",
    "tr": "Büro ilkbaharda stajyer alır. [Formu](<Başvuru Formu.pdf>) gönderin.\n\n![Giriş](IMG_0001.JPG)",
}


def edit(folder):
    content = Path(folder) / "content"
    careers, person, article = (content / it for it in ["pages/careers", "team/deniz-aksoy", "publications/sample-article"])
    for locale, text in TEXTS.items():
        description = "Work, traineeships and clerkships at a firm that was invented for a test; how to apply, and with what."
        change(careers / f"index.{locale}.md", r"^description: .*$", f'description: "{description}"', text)
        change(person / f"index.{locale}.md", r"^title: .*$", "title: Avukat", "A lawyer who was invented for a test.")
        change(person / f"index.{locale}.md", r"^summary: .*$", "summary: A lawyer who was invented for a test.")
        change(content / f"contact/index.{locale}.md", r"^address: .*$", OFFICES[locale])
    change(article / "index.tr.md", r"^author: .*$", "authors: [sample-lawyer, deniz-aksoy]")
    (careers / "Başvuru Formu.pdf").write_bytes(PDF)
    (careers / "IMG_0001.JPG").write_bytes(photograph())
    entries = (f'\n[[navigation]]\n{"page" if name in ["about", "careers"] else "section"} = "{name}"\n' for name in MENU)
    settings = content / "site.toml"
    settings.write_text(settings.read_text() + "".join(entries))


def change(path, old, new, text=""):
    before = path.read_text()
    after, count = re.subn(old, lambda _: new, before, flags=re.MULTILINE)
    assert count == 1, f"{path} has {old} {count} times"
    path.write_text(f"{after}{text}\n" if text else after)


def photograph():
    """Returns a photograph of a phone, of twelve megapixels: on its side, with the place where it was taken; red is on the
    left of the sensor, which is the top."""
    random.seed(1)
    noise = Image.frombytes("RGB", (504, 378), random.randbytes(504 * 378 * 3)).resize((4032, 3024))
    halves = Image.new("RGB", (4032, 3024), (30, 40, 200))
    halves.paste((200, 40, 30), (0, 0, 2016, 3024))
    notes = Image.Exif()
    notes[0x010F], notes[0x0112] = CAMERA, 6
    notes.get_ifd(0x8825).update({1: "N", 2: (41.0, 2.0, 30.0), 3: "E", 4: (28.0, 58.0, 0.0)})
    out = io.BytesIO()
    Image.blend(halves, noise, 0.1).save(out, "JPEG", quality=95, exif=notes)
    assert Image.open(out).getexif().get_ifd(0x8825)[2] == (41.0, 2.0, 30.0)
    return out.getvalue()


class Site:
    def __init__(self, url):
        self.url = url

    def ask(self, path, body=None, **fields):
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, body, headers), timeout=PATIENCE) as answer:
            return answer.headers, answer.read()

    def text(self, path, **fields):
        return self.ask(path, **fields)[1].decode().replace("\u00a0", " ")

    def json(self, path):
        return json.loads(self.ask(path)[1])

    def tool(self, name, **arguments):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        fields = {"Content_Type": "application/json", "Accept": "application/json", "MCP_Protocol_Version": "2025-11-25"}
        return json.loads(self.ask("/mcp", json.dumps(message).encode(), **fields)[1])["result"]


def look(url):
    site = Site(url)
    for locale, careers, contact, menu in [
        ("en", "/en/careers", "/en/contact", "Careers"), ("tr", "/tr/kariyer", "/tr/iletisim", "Kariyer"),
    ]:
        page, twin = site.text(careers), site.text(f"{careers}.md")
        assert f'aria-current="page">{menu}</a>' in page, page
        assert twin == site.text(careers, Accept="text/markdown")
        assert site.tool("get_page_markdown", url=careers)["content"][0]["text"].replace("\u00a0", " ") == twin
        size = "PDF, 1 KB"
        assert 'href="/files/basvuru-formu.pdf"' in page and size in page, page
        assert re.search(f"{url}/files/basvuru-formu.pdf>?\\) \\({size}\\)", twin), twin
        forms = re.findall(r"(/assets/img-0001-\d+\.[0-9a-f]+\.webp) (\d+)w", page)
        assert [int(width) for _, width in forms] == [480, 800, 1200], page
        for path, width in forms:
            picture_of(site.ask(path), int(width))
        assert f"{url}{forms[-1][0]}" in twin, twin

        names = {"en": ["Istanbul", "London"], "tr": ["İstanbul", "Londra"]}[locale]
        page, twin = site.text(contact), site.text(f"{contact}.md")
        for part in [*names, "Deneme Sokak No: 1", "1 Example Street", "EC1A 1AA", "+442079460000"]:
            assert part in page and part in twin, f"{part} is not on {contact}"
        api = site.json(f"/api/v1/contact?locale={locale}")
        assert api["address"].startswith("Deneme Sokak No: 1, 34371 Şişli / İstanbul"), api
        assert site.tool("get_contact", locale=locale)["structuredContent"] == api
        people = {item["name"] for item in site.json(f"/api/v1/team?locale={locale}")["items"]}
        assert "Deniz Aksoy" in people and len(people) == 2, people

    article = site.json("/api/v1/publications?locale=en")["items"][0]
    assert article["author"].endswith(" and Deniz Aksoy"), article
    path = article["url"].removeprefix(url)
    page, twin = site.text(path), site.text(f"{path}.md")
    assert page.count('rel="author"') == 2 and "Deniz Aksoy" in twin, page
    listed = site.tool("list_publications", locale="en")["structuredContent"]["items"][0]
    assert listed == article, listed
    assert site.tool("search", query="trainees in spring", locale="en")["structuredContent"]["results"][0]["url"] == f"{url}/en/careers"

    headers, document = site.ask("/files/basvuru-formu.pdf")
    assert document == PDF and headers["content-type"] == "application/pdf", headers
    assert headers["content-disposition"] == "attachment" and headers["x-content-type-options"] == "nosniff", headers


def picture_of(answer, width):
    headers, body = answer
    assert headers["content-type"] == "image/webp" and len(body) < 150_000, len(body)
    picture = Image.open(io.BytesIO(body))
    assert picture.size == (width, (width * 4 + 1) // 3), picture.size
    # No metadata, neither by Exif nor in the bytes.
    assert not picture.getexif() and "xmp" not in picture.info, picture.info
    assert CAMERA.encode() not in body and b"Exif" not in body and b"EXIF" not in body
    pixels = picture.convert("RGB")
    top, bottom = pixels.getpixel((width // 2, 9)), pixels.getpixel((width // 2, picture.height - 9))
    assert top[0] > 140 > top[2] and bottom[2] > 140 > bottom[0], f"the picture is not upright: {top}, {bottom}"


{"edit": edit, "look": look}[sys.argv[1]](*sys.argv[2:])
