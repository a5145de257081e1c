"""Imports documents of Word and an export of WordPress into the firm of the tests, and reads what comes out.

    python import.py GENERATOR CONTENT FOLDER
"""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import import_documents as documents

generator, content, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
found = []


def expect(is_so, what):
    if not is_so:
        found.append(what)


def run(*arguments, **options):
    command = [generator, "--lang", "en", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def firm(name):
    """Returns a copy of the firm's content."""
    folder = work / name
    shutil.copytree(content, folder)
    return folder


def load(content, *arguments):
    """Imports, and returns the report."""
    answer = run("import", *arguments, "--content", content, "--format", "json")
    if answer.returncode:
        sys.exit(f"import {arguments}: {answer.stderr}")
    return json.loads(answer.stdout)


def body(file):
    return file.read_text(encoding="utf-8").split("\n---\n", 1)[1].strip()


def lost(report, words):
    return [it for it in report["not_carried_over"] if words in it["message"]]


def documents_of_an_office():
    folder, into = work / "documents", firm("word")
    folder.mkdir()
    (folder / "plan.png").write_bytes(documents.picture())
    documents.statute(folder / "tuzuk.docx")
    documents.decision(folder / "karar.docx")
    documents.contract(folder / "danismanlik.tr.docx", "tr")
    documents.contract(folder / "danismanlik.en.docx", "en")
    documents.letterhead(folder / "salon.docx", folder / "plan.png")
    documents.tracked(folder / "ihtarname.docx")
    documents.form(folder / "form.docx")
    documents.headings(folder / "fesih.docx")
    report = load(into, *sorted(folder.glob("*.docx")), "--kind", "publications", "--locale", "tr")
    # The picture without a description.
    expect(report["errors"] == 0 and report["warnings"] == 1, f"findings after the import: {report}")
    texts = into / "publications"

    text = body(texts / "ornek-dernegi-tuzugu/index.tr.md")
    for line in ["Madde 1 – Bu tüzüğün amacı", "Madde 2 – Bu tüzükte geçen:", "a) Dernek,", "b) Üye,", "Madde 3 – Üyelik", "(1) Başvuru", "(2) Ret"]:
        expect(re.search("^" + re.escape(line), text, re.M), f"statute: no line {line!r} in\n{text}")
    expect(text.count("\n## ") + text.startswith("## ") == 2, f"statute: headings in\n{text}")

    text = body(texts / "kira-uyarlamasina-iliskin-karar-notu/index.tr.md")
    expect("120 m²" in text and "> Uyarlama, öngörülemez" in text, f"decision: {text}")
    expect("[^1]" in text and "[^1]: Sonuç metnindeki karar uydurmadır." in text, f"decision: note in\n{text}")
    expect(re.search(r"\| *Dava *\| *3 Mart 2024", text), f"decision: table in\n{text}")
    expect(lost(report, "spans several"), "decision: the joined cell is not reported")

    pair = texts / "consultancy-agreement"
    expect(sorted(it.name for it in pair.iterdir()) == ["index.en.md", "index.tr.md"], "contract: not one entry")
    expect("1.1. The consultant" in body(pair / "index.en.md").replace("\\", ""), body(pair / "index.en.md"))
    expect("2.2. Gecikmede" in body(pair / "index.tr.md").replace("\\", ""), body(pair / "index.tr.md"))

    plan = texts / "durusma-salonu-plani"
    text = body(plan / "index.tr.md")
    expect((plan / "salon-1.png").read_bytes() == documents.picture(), "letterhead: picture")
    expect("![Görsel: [TAMAMLAYIN: ne gösterdiği]](salon-1.png)" in text and re.search(r"^- +Sanık.*\n- +Kâtip", text, re.M), f"letterhead: {text}")
    expect(lost(report, "has no description") and lost(report, "headers and footers"), "letterhead: losses")
    for words in ("a text box", "Wingdings", "hidden text"):
        expect(lost(report, words), f"letterhead: {words} is not reported")

    text = body(texts / "vekaletname-bilgi-formu/index.tr.md")
    for words in ["Dayanak: Madde 504", "~~bir yıl~~ iki yıl", "☒ Özel yetki\\\nGenel yetki", "İmza noterde atılır."]:
        expect(words in text, f"form: no {words!r} in\n{text}")
    expect(re.search(r"\| *Vekil eden *\| *Örnek Kişi", text) and re.search(r"\| *Konu *\| *Tapu", text), f"form: {text}")
    expect(not [it for it in report["not_carried_over"] if "form.docx" in it.get("source", "")], f"form: {report}")

    text = body(texts / "ihtarname-uzerine-not/index.tr.md")
    expect(text == "İhtarname noterden ve iadeli taahhütlü gönderilir.", f"tracked: {text}")
    for words in ["deletion is left out: “elden”", "insertion is taken over: “ve iadeli taahhütlü”", "comment is left out: “Süreyi de yazalım.”"]:
        expect(lost(report, words), f"tracked: {words} is not reported")

    text = body(texts / "is-sozlesmesinin-feshi/index.tr.md")
    lines = [line.replace("\\", "") for line in text.splitlines() if line.startswith("#")]
    expect(lines == ["## I. Giriş", "### 1. Şekil", "## II. Süreler", "### A. İhbar süresi"], f"headings: {lines}")

    checked = run("check", "--drafts", "--content", into)
    expect(checked.returncode == 0, f"check: {checked.stderr}")
    again = run("import", folder / "tuzuk.docx", "--kind", "publications", "--locale", "tr", "--content", into)
    expect(again.returncode == 1 and "exists" in again.stderr, f"a second import: {again.stderr}")


def export_of_wordpress():
    folder, into = work / "wordpress", firm("site")
    (folder / "uploads/2019/05").mkdir(parents=True)
    (folder / "uploads/2019/05/bina.png").write_bytes(documents.picture(1200, 800))
    documents.export(folder / "export.xml")
    dry = run("import", folder / "export.xml", "--content", into, "--dry-run", "--uploads", folder / "uploads")
    expect(dry.returncode == 0 and not (into / "pages/how-we-work").exists(), f"--dry-run: {dry.stderr}")
    report = load(into, folder / "export.xml", "--uploads", folder / "uploads")
    expect(report["errors"] == 0, f"errors after the import: {run('check', '--drafts', '--content', into).stderr}")
    texts = [file for entry in report["entries"] for file in entry["files"] if file.endswith(".md")]
    expect(len(texts) == 44 and len(report["entries"]) == 29, f"{len(texts)} texts in {len(report['entries'])} entries")
    expect(lost(report, "pages/contact exists") and lost(report, "/?page_id=3042"), "the page that exists is not reported")
    first = into / "publications/note-on-rent-1"
    text = (first / "index.tr.md").read_text(encoding="utf-8")
    expect('aliases: ["/2019/05/01/kira-notu-1/", "/?p=' in text, text)
    expect("date: 2019-05-12" in (first / "index.en.md").read_text() + text and "](bina.png)" in text, text)
    expect("](@/publications/note-on-rent-2)" in text and "## Süreler" in text, text)
    expect("The rent rises in year 1.\n\nSee the *contract*." in (first / "index.en.md").read_text(), "paragraphs")
    expect("author: ayse-yilmaz" in (first / "index.en.md").read_text() + text, text)
    notice = (into / "publications/duyuru-10/index.tr.md").read_text(encoding="utf-8")
    expect("draft: true" in notice and 'title: "Duyuru “10”"' in notice or "title: Duyuru “10”" in notice, notice)
    expect("Büro kapalıdır.\\\nSaat 10." in notice, f"line break: {notice}")
    expect(lost(report, "[gallery") and lost(report, "<iframe>") and lost(report, "Duyurular"), "losses of WordPress")
    for words, message in [
        ("Silinmiş yazı", "trash"), ("Otomatik taslak", "never saved"), ("", "earlier versions of texts are left out: 2"),
        ("/?p=", "neither a title nor a text"), ("Parolalı yazı", "(with a password): it is carried over as a draft"),
        ("Özel yazı", "(private): it is carried over as a draft"), ("İleri tarihli yazı", "(scheduled): it is carried over as a draft"),
        ("Parolalı sayfa", "(with a password); it is left out"), ("Özel sayfa", "(private); it is left out"),
        ("Half a translation", "(a draft); it is left out"), ("Duyuru “10”", "(a draft): it is carried over as a draft"),
    ]:
        expect(len([it for it in lost(report, message) if words in it["words"]]) == 1, f"{words}: {message} is not reported once")
    for title in ["Parolalı sayfa", "Özel sayfa", "Silinmiş yazı", "Otomatik taslak", "Half a translation"]:
        found_in = [file for file in into.rglob("*.md") if title in file.read_text(encoding="utf-8")]
        expect(not found_in, f"{title} is in {found_in}")
    archives = ["/2019/", "/author/ayse/", "/category/duyurular/", "/category/is-hukuku/"]
    line = f"aliases: {json.dumps(archives)}"
    expect(lost(report, line), "the lists are not reported")
    page = next((into / "pages/publications").glob("*tr.md"))
    page.write_text(page.read_text(encoding="utf-8").replace("---\n", f"---\n{line}\n", 1), encoding="utf-8")

    dist = work / "dist"
    built = run("build", "--content", into, "--out", dist, "--site-url", "http://127.0.0.1:1", "--compression", "none")
    expect(built.returncode == 0, f"build: {built.stderr}")
    if built.returncode:
        return
    published = "".join(file.read_text(encoding="utf-8") for file in dist.rglob("*.md"))
    for title in ["Parolalı yazı", "Özel yazı", "İleri tarihli yazı"]:
        expect(f"Metin: {title}" not in published, f"{title} is published")
    expect("Metin: Yarım çeviri" in published, "the public language is not published")
    redirects = {it["from"]: it["to"] for it in json.loads((dist / "manifest.json").read_text())["redirects"]}
    routes = {it["path"] for it in json.loads((dist / "manifest.json").read_text())["routes"]}
    for number in range(1, 15):
        for former in [f"/2019/05/{number:02}/kira-notu-{number}", f"/en/2019/05/{number:02}/note-on-rent-{number}"]:
            expect(redirects.get(former) in routes, f"{former} leads to {redirects.get(former)}")
    for former in archives:
        to = redirects.get(former.rstrip("/"))
        expect(to == "/tr/yayinlar", f"{former} leads to {to}")
    expect(redirects.get("/?p=9001") in routes, "/?p=9001")
    expect(redirects.get("/calisma-ilkelerimiz") == "/tr/calisma-ilkelerimiz", "the page")


def bad_input():
    """Each is refused with a sentence, and nothing is written."""
    folder, into = work / "bad", firm("untouched")
    folder.mkdir()
    before = sorted(into.rglob("*"))
    documents.tracked(folder / "whole.docx")
    documents.wordless(folder / "wordless.docx")
    (folder / "empty.docx").write_bytes(b"")
    (folder / "text.docx").write_text("no document")
    (folder / "old.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    whole = (folder / "whole.docx").read_bytes()
    (folder / "cut.docx").write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(folder / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("word/document.xml", bytes(70 << 20))
    with zipfile.ZipFile(folder / "sheet.docx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    (folder / "broken.xml").write_text("<rss><channel><item>")
    (folder / "other.xml").write_text("<rss><channel/></rss>")
    (folder / "entities.xml").write_text('<!DOCTYPE rss [<!ENTITY a "aaaa">]><rss><channel>&a;</channel></rss>')
    kind = ["--kind", "publications", "--locale", "tr"]
    for words, arguments in [
        ("no whole .docx", [folder / "text.docx", *kind]),
        ("save it as .docx", [folder / "old.docx", *kind]),
        ("no whole .docx", [folder / "cut.docx", *kind]),
        ("larger than an import reads", [folder / "bomb.docx", *kind]),
        ("no whole .docx", [folder / "sheet.docx", *kind]),
        ("there is no such file or folder", [folder / "absent.docx", *kind]),
        ("has no text, or only a title", [folder / "empty.docx", *kind]),
        ("has no text, or only a title", [folder / "wordless.docx", *kind]),
        ("in which language", [folder / "whole.docx", "--kind", "publications"]),
        ("--kind publications", [folder / "whole.docx", "--locale", "tr"]),
        ("the export is broken", [folder / "broken.xml"]),
        ("no export of WordPress", [folder / "other.xml"]),
        ("the export is broken", [folder / "entities.xml"]),
        ("by itself", [folder / "broken.xml", folder / "whole.docx"]),
        ("second text would have the key", [folder / "whole.docx", work / "documents/ihtarname.docx", *kind]),
        ("not a folder", [folder / "whole.docx", *kind, "--content", folder / "none"]),
    ]:
        options = [] if "--content" in arguments else ["--content", into]
        answer = run("import", *arguments, *options)
        expect(answer.returncode == 1 and words in answer.stderr, f"{arguments}: {answer.returncode}, {answer.stderr}")
    answer = run("import", folder / "whole.docx", *kind, "--content", into, env={"PATH": "/nonexistent"})
    expect(answer.returncode == 1 and "apt install pandoc" in answer.stderr, f"without pandoc: {answer.stderr}")
    expect(sorted(into.rglob("*")) == before, "a refused import left files")


for part in [documents_of_an_office, export_of_wordpress, bad_input]:
    part()
for sentence in found:
    print(sentence)
print("import: documents, an export and bad input" if not found else f"{len(found)} differences")
sys.exit(bool(found))
