#!/usr/bin/env bash
# HTML, 4.5.19: <sup> sets a mark apart from the word before it, for example that of a note. With its default settings html2text drops links
# within the page and with them the brackets, and inscriptis and trafilatura write plain text: "Art. 553" with a note 1 becomes "Art. 5531".
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q html2text==2025.4.15 inscriptis==2.7.6 trafilatura==2.3.1 lxml_html_clean || exit 1
output=$(py/bin/python -c '
import html2text, inscriptis, trafilatura
mark = "<p>Under Art. 553<sup><a href=\"#fn-1\" id=\"fnref-1\" role=\"doc-noteref\">1</a></sup> they are liable.</p>"
words = "<p>" + "Directors are liable for the damage that they cause by their fault. " * 6 + "</p>"
page = f"<html><body><main><article><h1>A</h1>{words}{mark}{words}</article></main></body></html>"
texts = html2text.html2text(mark), inscriptis.get_text(mark), trafilatura.extract(page)
print(*("Art. 5531 they" in " ".join(text.split()) for text in texts))') || exit 1
[[ $output == "True True True" ]] || { echo "$output"; exit 1; }
echo "html2text 2025.4.15, inscriptis 2.7.6 and trafilatura 2.3.1 (text) join the mark of a note to the number before it: Art. 553 becomes Art. 5531"
