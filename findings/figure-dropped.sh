#!/usr/bin/env bash
# HTML, 4.4.12: a figure may hold a quotation, with its source as the caption. With its default settings trafilatura drops a figure with all
# words in it.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q trafilatura==2.3.1 lxml_html_clean || exit 1
output=$(py/bin/python -c '
from trafilatura import extract
words = "<p>" + "Directors are liable for the damage that they cause by their fault. " * 6 + "</p>"
quotation = "<blockquote><p>The quoted words of the Code.</p></blockquote>"
page = "<html><body><main><article><h1>A</h1>{0}{1}{0}</article></main></body></html>"
bare, framed = (extract(page.format(words, text)) for text in (quotation, f"<figure>{quotation}<figcaption>Code, Art. 5</figcaption></figure>"))
print("quoted words" in bare, "quoted words" in framed)') || exit 1
[[ $output == "True False" ]] || { echo "$output"; exit 1; }
echo "trafilatura 2.3.1 keeps a quotation, but drops it with its source when both are in a figure"
