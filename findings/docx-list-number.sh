#!/usr/bin/env bash
# ECMA-376, part 1, 17.9.25: a list begins at the number of w:start, and paragraphs of one w:num are counted on across the text between
# them. mammoth, and markitdown on top of it, begin each list at 1, with no message: a reader takes clause 5 for clause 1.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q mammoth==1.13.0 "markitdown[docx]==0.1.9" &&
  npm install --silent --no-audit --no-fund mammoth@1.13.0 >/dev/null || exit 1
cat >convert.py <<'PY'
import zipfile
import mammoth
from markitdown import MarkItDown
kinds = "http://schemas.openxmlformats.org/package/2006/"
office = "application/vnd.openxmlformats-officedocument.wordprocessingml."
relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
number = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
body = "".join(f"<w:p>{number if is_item else ''}<w:r><w:t>{text}</w:t></w:r></w:p>"
               for text, is_item in (("five", True), ("six", True), ("between", False), ("seven", True)))
with zipfile.ZipFile("a.docx", "w") as file:
    file.writestr("[Content_Types].xml", f'<Types xmlns="{kinds}content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="{office}document.main+xml"/><Override PartName="/word/numbering.xml" ContentType="{office}numbering+xml"/></Types>')
    file.writestr("_rels/.rels", f'<Relationships xmlns="{kinds}relationships"><Relationship Id="a" Type="{relation}officeDocument" Target="word/document.xml"/></Relationships>')
    file.writestr("word/_rels/document.xml.rels", f'<Relationships xmlns="{kinds}relationships"><Relationship Id="a" Type="{relation}numbering" Target="numbering.xml"/></Relationships>')
    file.writestr("word/document.xml", f"<w:document {word}><w:body>{body}</w:body></w:document>")
    file.writestr("word/numbering.xml", f'<w:numbering {word}><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="5"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>')
with open("a.docx", "rb") as file:
    result = mammoth.convert_to_html(file)
print(result.value, result.messages, *MarkItDown().convert("a.docx").text_content.split())
PY
output=$(py/bin/python convert.py &&
  node -e 'require("mammoth").convertToHtml({ path: "a.docx" }).then((result) => console.log(result.value, result.messages.length))') || exit 1
html='<ol><li>five</li><li>six</li></ol><p>between</p><ol><li>seven</li></ol>'
[[ $output == "$html [] 1. five 2. six between 1. seven"$'\n'"$html 0" ]] || { echo "$output"; exit 1; }
echo "of a list in Word with the numbers 5, 6 and, after a paragraph, 7, mammoth 1.13.0 (PyPI, npm) and markitdown 0.1.9 make 1, 2 and 1"
