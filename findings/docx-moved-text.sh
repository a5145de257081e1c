#!/usr/bin/env bash
# ECMA-376, part 1, 17.13.5.18, 17.13.5.22 and 17.13.5.25: w:ins and w:moveTo hold words of the text, w:moveFrom words that are no longer
# there. docx2txt and docx2python read moved words at both places, although they leave out deleted ones; python-docx reads neither place,
# nor inserted words.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q docx2txt==0.9 docx2python==3.7.1 python-docx==1.2.0 || exit 1
cat >read.py <<'PY'
import zipfile
import docx
import docx2txt
from docx2python import docx2python
kinds = "http://schemas.openxmlformats.org/package/2006/"
run = '<w:r><w:t xml:space="preserve">%s </w:t></w:r>'
mark = 'w:id="%d" w:author="A" w:date="2026-01-01T00:00:00Z"'
body = f"<w:moveFrom {mark % 1}>{run % 'moved'}</w:moveFrom>{run % 'ten'}<w:ins {mark % 2}>{run % 'new'}</w:ins>"
body += f"<w:del {mark % 3}><w:r><w:delText>old </w:delText></w:r></w:del>{run % 'days'}<w:moveTo {mark % 4}>{run % 'moved'}</w:moveTo>"
with zipfile.ZipFile("a.docx", "w") as file:
    file.writestr("[Content_Types].xml", f'<Types xmlns="{kinds}content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>')
    file.writestr("_rels/.rels", f'<Relationships xmlns="{kinds}relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>')
    file.writestr("word/document.xml", f'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body><w:p>{body}</w:p></w:body></w:document>')
texts = (docx2txt.process("a.docx"), docx2python("a.docx").text, docx.Document("a.docx").paragraphs[0].text)
print(*(" ".join(text.split()) for text in texts), sep="; ")
PY
output=$(py/bin/python read.py) || exit 1
[[ $output == "moved ten new days moved; moved ten new days moved; ten days" ]] || { echo "$output"; exit 1; }
echo "where Word has 'ten new days moved' after tracked changes, docx2txt 0.9 and docx2python 3.7.1 read 'moved ten new days moved', python-docx 1.2.0 'ten days'"
