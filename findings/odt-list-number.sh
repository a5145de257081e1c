#!/usr/bin/env bash
# OpenDocument 1.3, part 3, 5.3: text:start-value of an item sets its number, and text:continue-list continues the numbers of another list.
# pandoc reads neither, although it reads the start-value of a style and text:continue-numbering: clause 7 becomes 2, clause 3 becomes 1.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q pypandoc_binary==1.17 || exit 1
output=$(py/bin/python -W error -c '
import zipfile
import pypandoc
names = "urn:oasis:names:tc:opendocument:xmlns:"
spaces = " ".join(f"xmlns:{name}=\"{names}{name}:1.0\"" for name in ("office", "text", "style"))
style = "<text:list-style style:name=\"L\"><text:list-level-style-number text:level=\"1\" style:num-suffix=\".\" style:num-format=\"1\"/></text:list-style>"
item = "<text:list-item%s><text:p>%s</text:p></text:list-item>"
body = "<text:list text:style-name=\"L\">" + item % ("", "one") + item % (" text:start-value=\"7\"", "seven") + "</text:list><text:p>between</text:p>"
body += "<text:list text:style-name=\"L\" xml:id=\"a\">" + item % ("", "one") + item % ("", "two") + "</text:list><text:p>between</text:p>"
body += "<text:list text:style-name=\"L\" text:continue-list=\"a\">" + item % ("", "three") + "</text:list>"
with zipfile.ZipFile("a.odt", "w") as file:
    file.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    file.writestr("META-INF/manifest.xml", f"<m:manifest xmlns:m=\"{names}manifest:1.0\" m:version=\"1.3\"><m:file-entry m:full-path=\"/\" m:media-type=\"application/vnd.oasis.opendocument.text\"/><m:file-entry m:full-path=\"content.xml\" m:media-type=\"text/xml\"/><m:file-entry m:full-path=\"styles.xml\" m:media-type=\"text/xml\"/></m:manifest>")
    file.writestr("content.xml", f"<office:document-content {spaces} office:version=\"1.3\"><office:automatic-styles>{style}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>")
    file.writestr("styles.xml", f"<office:document-styles {spaces} office:version=\"1.3\"><office:styles/></office:document-styles>")
print(pypandoc.get_pandoc_version(), *pypandoc.convert_file("a.odt", "plain").split())') || exit 1
[[ $output == "3.9 1. one 2. seven between 1. one 2. two between 1. three" ]] || { echo "$output"; exit 1; }
echo "of an .odt, pandoc 3.9 gives the item with text:start-value=\"7\" the number 2, and begins a list with text:continue-list at 1"
