#!/usr/bin/env bash
# HTML, 4.4.5: <ol start="5"> begins at 5, which Markdown can write too. trafilatura, node-html-markdown and inscriptis write 1: what a law
# calls point 5 gets another number. trafilatura also takes the list out of its quotation.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q trafilatura==2.3.1 inscriptis==2.7.6 lxml_html_clean &&
  npm install --silent --no-audit --no-fund node-html-markdown@2.0.0 >/dev/null || exit 1
output=$(py/bin/python -c '
from inscriptis import get_text
from trafilatura import extract
words = "<p>" + "Directors are liable for the damage that they cause by their fault. " * 6 + "</p>"
points = "<ol start=\"5\"><li>Sale.</li><li>Lease.</li></ol>"
page = f"<html><body><main><article><h1>A</h1>{words}<blockquote>{points}</blockquote>{words}</article></main></body></html>"
text = extract(page, output_format="markdown")
print(*(line for line in text.splitlines() if "Sale" in line or "Lease" in line), get_text(points).split())' &&
  node -e 'console.log(require("node-html-markdown").NodeHtmlMarkdown.translate("<ol start=\"5\"><li>Sale.</li><li>Lease.</li></ol>").split(/\s+/).join(" "))') || exit 1
[[ $output == $'1. Sale. 2. Lease. [\'1.\', \'Sale.\', \'2.\', \'Lease.\']\n1. Sale. 2. Lease.' ]] || { echo "$output"; exit 1; }
echo "of <ol start=\"5\">, trafilatura 2.3.1, inscriptis 2.7.6 and node-html-markdown 2.0.0 make a list that begins at 1"
