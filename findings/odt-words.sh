#!/usr/bin/env bash
# OpenDocument 1.3, part 3, chapters 5 to 9: the content of a field is the text that is shown, text:meta only describes the words in it, a
# paragraph can carry its number by itself, and rows can stand in a group. pandoc leaves all these words out, with the status 0 and no warning.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q pypandoc_binary==1.17 || exit 1
output=$(py/bin/python -W error -c '
import zipfile
import pypandoc
names = "urn:oasis:names:tc:opendocument:xmlns:"
spaces = " ".join(f"xmlns:{name}=\"{names}{name}:1.0\"" for name in ("office", "text", "table", "style"))
cell = "<table:table-row><table:table-cell><text:p>%s</text:p></table:table-cell></table:table-row>"
body = "<text:p>from <text:date text:date-value=\"2026-06-01\">June</text:date> on, <text:user-defined text:name=\"a\">field</text:user-defined> and <text:meta>described</text:meta> words</text:p>"
body += "<text:numbered-paragraph text:list-id=\"a\"><text:p>numbered</text:p></text:numbered-paragraph>"
body += "<table:table>" + cell % "row" + "<table:table-row-group>" + cell % "grouped" + "</table:table-row-group></table:table>"
with zipfile.ZipFile("a.odt", "w") as file:
    file.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    file.writestr("META-INF/manifest.xml", f"<m:manifest xmlns:m=\"{names}manifest:1.0\" m:version=\"1.3\"><m:file-entry m:full-path=\"/\" m:media-type=\"application/vnd.oasis.opendocument.text\"/><m:file-entry m:full-path=\"content.xml\" m:media-type=\"text/xml\"/><m:file-entry m:full-path=\"styles.xml\" m:media-type=\"text/xml\"/></m:manifest>")
    file.writestr("content.xml", f"<office:document-content {spaces} office:version=\"1.3\"><office:body><office:text>{body}</office:text></office:body></office:document-content>")
    file.writestr("styles.xml", f"<office:document-styles {spaces} office:version=\"1.3\"><office:styles/></office:document-styles>")
text = pypandoc.convert_file("a.odt", "plain")
print(pypandoc.get_pandoc_version(), *(word for word in ("from", "June", "field", "described", "words", "numbered", "row", "grouped") if word in text))') || exit 1
[[ $output == "3.9 from words row" ]] || { echo "$output"; exit 1; }
echo "of an .odt, pandoc 3.9 leaves out dates and user fields, words in text:meta, numbered paragraphs and grouped rows"
