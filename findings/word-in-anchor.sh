#!/usr/bin/env bash
# The anchor of a heading is an address. Firefox's reader view judges a heading by it, and leaves out one about shares, media or contact.
cd "$FINDING" && npm install --silent --no-audit --no-fund @mozilla/readability@0.6.0 linkedom@0.18.15 >/dev/null || exit 1
cat >page.mjs <<'JS'
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
const words = 'The shareholder who leaves is paid what the articles of association provide for this case. '.repeat(4);
const kept = (anchor) => {
  const page = `<!doctype html><html><head><title>t</title></head><body><main><article><p>${words}</p><h2 id="${anchor}">Value</h2><p>${words}</p></article></main></body></html>`;
  return new Readability(parseHTML(page).document).parse().textContent.includes('Value');
};
console.log(...['value-of-shares', 'media-law', 'contact-with-children', 'value-of-stock'].map(kept));
JS
output=$(node page.mjs) || exit 1
[[ $output == "false false false true" ]] || { echo "$output"; exit 1; }
echo "@mozilla/readability 0.6.0 leaves out headings with the anchors value-of-shares, media-law and contact-with-children, and keeps value-of-stock"
