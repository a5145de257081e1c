"""Makes the documents and the export that `import.py` imports: shapes of a law office, all invented."""

import struct
import zlib

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm


def numbered(document, number, levels):
    """Adds a list; `levels` are start, format and text of each level."""
    rows = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for level, (start, form, text) in enumerate(levels)
    )
    element = document.part.numbering_part.element
    element.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{number}">{rows}</w:abstractNum>'))
    element.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'))


def item(document, text, number, level=0):
    """Adds a paragraph with a number of Word, indented as Word does."""
    paragraph = document.add_paragraph(text)
    properties = paragraph._p.get_or_add_pPr()
    properties.append(
        parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')
    )
    properties.append(parse_xml(f'<w:ind {nsdecls("w")} w:left="{567 * (level + 1)}" w:hanging="567"/>'))
    return paragraph


def picture(width=40, height=30, colour=(31, 58, 95)):
    """Returns a PNG of one colour."""
    rows = b"".join(b"\0" + bytes(colour) * width for _ in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def statute(path):
    document = docx.Document()
    numbered(document, 90, [(1, "decimal", "Madde %1 –"), (1, "decimal", "(%2)"), (1, "lowerLetter", "%3)")])
    document.add_heading("Örnek Derneği Tüzüğü", 0)
    document.add_heading("Birinci Bölüm: Genel Hükümler", 1)
    item(document, "Bu tüzüğün amacı, üyelerin hak ve yükümlülüklerini düzenlemektir.", 90)
    item(document, "Bu tüzükte geçen:", 90)
    item(document, "Dernek, Örnek Derneğini,", 90, 2)
    item(document, "Üye, derneğe kayıtlı gerçek kişileri ifade eder.", 90, 2)
    document.add_heading("İkinci Bölüm: Üyelik", 1)
    item(document, "Üyelik başvurusu yazılı yapılır.", 90)
    item(document, "Başvuru otuz gün içinde karara bağlanır.", 90, 1)
    item(document, "Ret kararı gerekçeli olur.", 90, 1)
    document.save(path)


def decision(path):
    """A note on a decision: a footnote, a table with joined cells, a quotation, a raised digit."""
    document = docx.Document()
    document.add_heading("Kira uyarlamasına ilişkin karar notu", 0)
    document.add_heading("Olay", 1)
    paragraph = document.add_paragraph("Kiracı, kira bedelinin uyarlanmasını istemiştir; taşınmaz 120 m")
    paragraph.add_run("2").font.superscript = True
    paragraph.add_run(" büyüklüğündedir.")
    document.add_paragraph("Uyarlama, öngörülemez değişiklikte mümkündür.", style="Quote")
    document.add_heading("Tarihler", 1)
    table = document.add_table(rows=3, cols=3)
    for row, cells in zip(table.rows, [("Aşama", "Tarih", "Süre"), ("Dava", "3 Mart 2024", "–"), ("Karar", "9 Eylül 2025", "18 ay")]):
        for cell, text in zip(row.cells, cells):
            cell.text = text
    table.rows[1].cells[1].merge(table.rows[1].cells[2])
    document.add_heading("Sonuç", 1)
    paragraph = document.add_paragraph("Mahkeme talebi kabul etmiştir.")
    document.save(path)
    add_footnote(path, "Sonuç metnindeki karar uydurmadır.")


def add_footnote(path, text):
    """python-docx writes no footnotes: adds the part, its relation and the reference in the last paragraph."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    note = (
        f'<w:footnotes {nsdecls("w")}><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>'
        f'<w:r><w:t xml:space="preserve"> {text}</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    parts["word/footnotes.xml"] = note.encode()
    types = parts["[Content_Types].xml"].decode()
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    parts["[Content_Types].xml"] = types.replace(
        "</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'
    ).encode()
    relations = parts["word/_rels/document.xml.rels"].decode()
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    parts["word/_rels/document.xml.rels"] = relations.replace(
        "</Relationships>", f'<Relationship Id="rIdNotes" Type="{relation}" Target="footnotes.xml"/></Relationships>'
    ).encode()
    body = parts["word/document.xml"].decode()
    at = body.rindex("</w:p>")
    parts["word/document.xml"] = (
        body[:at] + '<w:r><w:footnoteReference w:id="2"/></w:r>' + body[at:]
    ).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def contract(path, language):
    words = {
        "tr": ("Danışmanlık Sözleşmesi", "Konu", "Danışman, hukuki danışmanlık verir.", "Ücret", "Ücret aylık ödenir.", "Gecikmede faiz işler."),
        "en": ("Consultancy Agreement", "Subject", "The consultant gives legal advice.", "Fee", "The fee is paid monthly.", "Late payment bears interest."),
    }[language]
    document = docx.Document()
    numbered(document, 91, [(1, "decimal", "%1."), (1, "decimal", "%1.%2."), (1, "lowerRoman", "(%3)")])
    document.add_heading(words[0], 0)
    item(document, words[1], 91)
    item(document, words[2], 91, 1)
    item(document, words[3], 91)
    item(document, words[4], 91, 1)
    item(document, words[5], 91, 1)
    document.save(path)


def letterhead(path, picture_file):
    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = "Örnek Hukuk Bürosu · Deneme Sokak 1"
    document.add_heading("Duruşma salonu planı", 0)
    document.add_paragraph("Salonun planı aşağıdadır.")
    document.add_picture(str(picture_file), width=Cm(4))
    document.add_paragraph("Sanık solda, müdahil sağda oturur.", style="List Bullet")
    document.add_paragraph("Kâtip kürsünün önündedir.", style="List Bullet")
    paragraph = document.add_paragraph("Duruşma açıktır ")
    w, v = nsdecls("w"), 'xmlns:v="urn:schemas-microsoft-com:vml"'
    box = "<w:p><w:r><w:t>Salona telefonla girilmez.</w:t></w:r></w:p>"
    for part in (
        '<w:sym w:font="Wingdings" w:char="F0FE"/>',
        f"<w:pict {v}><v:shape><v:textbox><w:txbxContent>{box}</w:txbxContent></v:textbox></v:shape></w:pict>",
        "<w:rPr><w:vanish/></w:rPr><w:t>Taslak notudur.</w:t>",
    ):
        paragraph._p.append(parse_xml(f"<w:r {w}>{part}</w:r>"))
    document.save(path)


def form(path):
    """A form of an office: words in fields, content controls and boxes, and a revised term."""
    document = docx.Document()
    document.add_heading("Vekâletname bilgi formu", 0)
    w = nsdecls("w")

    def run(text, properties=""):
        return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'

    def control(inside):
        return f'<w:sdt><w:sdtPr><w:id w:val="1"/></w:sdtPr><w:sdtContent>{inside}</w:sdtContent></w:sdt>'

    def cell(inside):
        return f"<w:tc><w:p>{inside}</w:p></w:tc>"

    box = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    rows = f"<w:tr>{control(cell(run('Vekil eden')))}{cell(run('Örnek Kişi'))}</w:tr>"
    rows += control(f"<w:tr>{cell(run('Konu'))}{cell(run('Tapu işlemi'))}</w:tr>")
    for element in (
        f"<w:p {w}>{run('Dayanak: ')}<w:fldSimple w:instr=\"REF madde\">{run('Madde 504')}</w:fldSimple></w:p>",
        f"<w:p {w}>{run('Süre: ')}{run('bir yıl', '<w:dstrike/>')}{control(run(' iki yıl'))}</w:p>",
        f"<w:p {w}>{box}{run(' Özel yetki')}<w:r><w:cr/></w:r>{run('Genel yetki')}</w:p>",
        f'<w:customXml w:element="not" {w}><w:p>{run("İmza noterde atılır.")}</w:p></w:customXml>',
        f"<w:tbl {w}><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{cell(run('Alan'))}{cell(run('Bilgi'))}</w:tr>{rows}</w:tbl>",
    ):
        body = document.element.body
        body.insert(len(body) - 1, parse_xml(element))
    document.save(path)


def tracked(path):
    """Insertions, deletions and a comment."""
    document = docx.Document()
    document.add_heading("İhtarname üzerine not", 0)
    paragraph = document.add_paragraph("İhtarname noterden ")
    change = f'w:id="1" w:author="Örnek Kişi" w:date="2026-01-05T09:00:00Z"'
    paragraph._p.append(parse_xml(f'<w:ins {nsdecls("w")} {change}><w:r><w:t xml:space="preserve">ve iadeli taahhütlü </w:t></w:r></w:ins>'))
    paragraph._p.append(parse_xml(f'<w:del {nsdecls("w")} {change}><w:r><w:delText xml:space="preserve">elden </w:delText></w:r></w:del>'))
    run = paragraph.add_run("gönderilir.")
    document.add_comment(run, text="Süreyi de yazalım.", author="Örnek Kişi", initials="ÖK")
    document.save(path)


def wordless(path):
    """A title and empty paragraphs."""
    document = docx.Document()
    document.add_heading("Yazılacak not", 0)
    document.add_paragraph("")
    document.save(path)


def headings(path):
    """Headings of a Turkish Word, whose levels skip one, and numbers of headings."""
    document = docx.Document()
    numbered(document, 92, [(1, "upperRoman", "%1."), (1, "upperLetter", "%2."), (1, "decimal", "%3.")])
    document.add_heading("İş sözleşmesinin feshi", 0)
    for level, text in [(1, "Giriş"), (3, "Şekil"), (1, "Süreler"), (2, "İhbar süresi")]:
        heading = document.add_heading(text, level)
        heading._p.get_or_add_pPr().append(
            parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level - 1}"/><w:numId w:val="92"/></w:numPr>')
        )
        document.add_paragraph(f"{text} hakkında bir cümle; ğ, ü, ş, ı, ö ve ç harfleriyle.")
    document.save(path)


def export(path, pairs=14):
    """An export of 40 entries in two languages: 14 pairs of posts, ten posts in Turkish, one pair of pages; and a page that
    every site has."""
    items, number = [], 3000

    def cdata(text):
        return f"<![CDATA[{text}]]>"

    def add(kind, title, slug, link, body, terms=(), meta=(), status="publish", date="2019-05-12 10:00:00", password=""):
        nonlocal number
        number += 1
        rows = "".join(
            f'<category domain="{domain}" nicename="{short}">{cdata(name)}</category>' for domain, short, name in terms
        )
        rows += "".join(
            f"<wp:postmeta><wp:meta_key>{cdata(key)}</wp:meta_key><wp:meta_value>{cdata(value)}</wp:meta_value></wp:postmeta>"
            for key, value in meta
        )
        items.append(
            f"<item><title>{cdata(title)}</title><link>{link}</link><dc:creator>{cdata('ayse')}</dc:creator>"
            f"<content:encoded>{cdata(body)}</content:encoded><excerpt:encoded>{cdata('')}</excerpt:encoded>"
            f"<wp:post_id>{number}</wp:post_id><wp:post_date>{cdata(date)}</wp:post_date>"
            f"<wp:post_modified>{cdata(date)}</wp:post_modified><wp:post_name>{cdata(slug)}</wp:post_name>"
            f"<wp:status>{cdata(status)}</wp:status><wp:post_type>{cdata(kind)}</wp:post_type>"
            f"<wp:post_password>{cdata(password)}</wp:post_password>{rows}</item>"
        )
        return number

    site = "https://eski.firma.example"
    photo = add("attachment", "Bina", "bina", f"{site}/bina/", "", status="inherit")
    items[-1] = items[-1].replace(
        "</item>",
        f"<wp:attachment_url>{cdata(site + '/wp-content/uploads/2019/05/bina.png')}</wp:attachment_url></item>",
    )
    for at in range(1, pairs + 1):
        group = [("post_translations", f"pll_{at}", f"pll_{at}")]
        body = (
            f"<!-- wp:paragraph --><p>Kira bedeli {at}. yılda <strong>artar</strong>; "
            f'bkz. <a href="{site}/2019/05/{at % pairs + 1:02}/kira-notu-{at % pairs + 1}/">diğer not</a>.</p><!-- /wp:paragraph -->'
            "<!-- wp:heading --><h2>Süreler</h2><!-- /wp:heading --><ul><li>Otuz gün</li><li>Altmış gün</li></ul>"
        )
        meta = [("_thumbnail_id", str(photo))] if at == 1 else []
        add("post", f"Kira notu {at}", f"kira-notu-{at}", f"{site}/2019/05/{at:02}/kira-notu-{at}/", body,
            [("language", "tr", "Türkçe"), ("category", "is-hukuku", "İş Hukuku"), *group], meta)
        add("post", f"Note on rent {at}", f"note-on-rent-{at}", f"{site}/en/2019/05/{at:02}/note-on-rent-{at}/",
            f"The rent rises in year {at}.\n\nSee the <em>contract</em>.",
            [("language", "en", "English"), ("category", "is-hukuku", "İş Hukuku"), *group])
    for at in range(1, 11):
        add("post", f"Duyuru &#8220;{at}&#8221;", f"duyuru-{at}", f"{site}/?p={9000 + at}",
            f"[gallery ids=\"1,2\"]Büro kapalıdır.\nSaat {at}.\n\n<iframe src=\"https://video.example/{at}\"></iframe>",
            [("language", "tr", "Türkçe"), ("category", "duyurular", "Duyurular")],
            status="draft" if at == 10 else "publish")
    about = [("post_translations", "pll_page", "pll_page")]
    description = ("_yoast_wpseo_metadesc", "Örnek bir büronun çalışma biçimini ve ilkelerini birkaç cümleyle anlatan sayfa metni.")
    add("page", "Çalışma ilkelerimiz", "calisma-ilkelerimiz", f"{site}/calisma-ilkelerimiz/", "<p>İlkelerimiz.</p>",
        [("language", "tr", "Türkçe"), *about], [description])
    add("page", "How we work", "how-we-work", f"{site}/en/how-we-work/", "<p>Our principles.</p>",
        [("language", "en", "English"), *about],
        [("_yoast_wpseo_metadesc", "A page that tells in a few sentences how an invented firm works and what its principles are.")])
    add("page", "Contact", "contact", f"{site}/en/contact/", "<p>Write to us.</p>", [("language", "en", "English")])
    turkish = [("language", "tr", "Türkçe")]
    both = [("post_translations", "pll_half", "pll_half")]
    for kind, title, status, password, terms in [
        ("post", "Silinmiş yazı", "trash", "", turkish),
        ("post", "Otomatik taslak", "auto-draft", "", turkish),
        ("revision", "Kira notu 1", "inherit", "", turkish),
        ("revision", "Kira notu 1", "inherit", "", turkish),
        ("post", "", "publish", "", turkish),
        ("post", "Parolalı yazı", "publish", "sifre", turkish),
        ("post", "Özel yazı", "private", "", turkish),
        ("post", "İleri tarihli yazı", "future", "", turkish),
        ("page", "Parolalı sayfa", "publish", "sifre", turkish),
        ("page", "Özel sayfa", "private", "", turkish),
        ("post", "Yarım çeviri", "publish", "", turkish + both),
        ("post", "Half a translation", "draft", "", [("language", "en", "English"), *both]),
    ]:
        add(kind, title, "", f"{site}/?p={number + 1}", f"<p>Metin: {title}.</p>" if title else "", terms, status=status, password=password)
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Eski site</title><language>tr</language>'
        "<wp:wxr_version>1.2</wp:wxr_version><wp:author><wp:author_login><![CDATA[ayse]]></wp:author_login>"
        "<wp:author_display_name><![CDATA[Ayşe Yılmaz]]></wp:author_display_name></wp:author>"
        + "".join(items)
        + "</channel></rss>\n",
        encoding="utf-8",
    )
