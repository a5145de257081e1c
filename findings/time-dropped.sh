#!/usr/bin/env bash
# HTML, 4.5.14: <time> marks a date in its words. defuddle removes some with the words in them.
cd "$FINDING" && npm install --silent --no-audit --no-fund defuddle@0.19.4 linkedom@0.18.15 >/dev/null || exit 1
cat >clip.mjs <<'JS'
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
const words = '<p>' + 'Directors are liable for the damage that they cause. '.repeat(12) + '</p>';
const clip = async (day) => {
  const page = `<!doctype html><html><head><title>A</title></head><body><main><article><h1>A</h1>${words}<table><tr><th>Day</th><th>Law</th></tr>
<tr><td>${day}</td><td>6102</td></tr></table>${words}</article></main></body></html>`;
  return (await Defuddle(parseHTML(page).document, 'https://a.example/', { markdown: true })).content.includes('2026');
};
console.log(await clip('1 June 2026'), await clip('<time datetime="2026-06-01">1 June 2026</time>'));
JS
output=$(node clip.mjs) || exit 1
[[ $output == "true false" ]] || { echo "$output"; exit 1; }
echo "defuddle 0.19.4 empties the cell <td><time>1 June 2026</time></td> of a table, and keeps the day without the element"
