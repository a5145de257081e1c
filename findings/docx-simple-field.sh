#!/usr/bin/env bash
# ECMA-376, part 1, 17.16.19, 17.5.1 and 17.3.2.8: a field in its simple form, a block of custom XML and an embedding of a
# direction hold the words that are shown. pandoc reads a document and leaves out these words, with the exit status 0 and no warning.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q pypandoc_binary==1.17 || exit 1
output=$(py/bin/python -W error -c '
import zipfile
import pypandoc
kinds = "http://schemas.openxmlformats.org/package/2006/"
office = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
run = "<w:r><w:t xml:space=\"preserve\">%s </w:t></w:r>"
body = "<w:p>" + run % "under" + "<w:fldSimple w:instr=\"REF a\">" + run % "field" + "</w:fldSimple>" + run % "Article" + "</w:p>"
body += "<w:customXml w:element=\"a\"><w:p>" + run % "block" + "</w:p></w:customXml><w:p><w:dir w:val=\"ltr\">" + run % "direction" + "</w:dir></w:p>"
with zipfile.ZipFile("a.docx", "w") as file:
    file.writestr("[Content_Types].xml", f"<Types xmlns=\"{kinds}content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Override PartName=\"/word/document.xml\" ContentType=\"{office}\"/></Types>")
    file.writestr("_rels/.rels", f"<Relationships xmlns=\"{kinds}relationships\"><Relationship Id=\"a\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/></Relationships>")
    file.writestr("word/document.xml", f"<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}</w:body></w:document>")
print(pypandoc.get_pandoc_version(), pypandoc.convert_file("a.docx", "plain").split())') || exit 1
[[ $output == "3.9 ['under', 'Article']" ]] || { echo "$output"; exit 1; }
echo "pandoc 3.9 leaves out the words of simple fields, of blocks of custom XML and of embedded directions"
