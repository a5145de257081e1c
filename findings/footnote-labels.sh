#!/usr/bin/env bash
# The labels of footnotes are compared without regard to case. micromark compares their capitals, and the capital of both ı and i is I:
# two notes of a Turkish text become one.
cd "$FINDING" && npm install --silent --no-audit --no-fund micromark@4.0.3 micromark-extension-gfm-footnote@2.1.0 >/dev/null || exit 1
cat >notes.mjs <<'JS'
import { micromark } from 'micromark';
import { gfmFootnote, gfmFootnoteHtml } from 'micromark-extension-gfm-footnote';
const html = micromark('A[^kalın] b[^kalin].\n\n[^kalın]: One.\n\n[^kalin]: Two.\n', {
  extensions: [gfmFootnote()],
  htmlExtensions: [gfmFootnoteHtml()],
});
console.log(html.match(/<li id=/g).length, html.includes('Two.'));
JS
output=$(node notes.mjs) || exit 1
[[ $output == "1 false" ]] || { echo "$output"; exit 1; }
echo "micromark 4.0.3 takes the footnotes [^kalın] and [^kalin] for one, and drops the second text"
