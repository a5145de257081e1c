#!/usr/bin/env bash
# A heading with a link to itself beside it is no navigation. Firefox's reader view takes a div of few words and a link for such.
cd "$FINDING" && npm install --silent --no-audit --no-fund @mozilla/readability@0.6.0 linkedom@0.18.15 >/dev/null || exit 1
cat >page.mjs <<'JS'
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
const words = 'The lease ends when the parties agree on it, and the landlord gives the deposit back. '.repeat(4);
const kept = (tag) => {
  const parts = [1, 2, 3, 4].map((n) => `<${tag}><h2 id="h${n}">Heading ${n}</h2> <a href="#h${n}">#</a></${tag}><p>${words}</p>`);
  const page = `<!doctype html><html><head><title>t</title></head><body><main><article>${parts.join('')}</article></main></body></html>`;
  return new Readability(parseHTML(page).document).parse().textContent.split('Heading').length - 1;
};
console.log(kept('div'), kept('hgroup'));
JS
output=$(node page.mjs) || exit 1
[[ $output == "0 4" ]] || { echo "$output"; exit 1; }
echo "of four headings with a link to themselves in a div, @mozilla/readability 0.6.0 keeps none; in an hgroup, all"
