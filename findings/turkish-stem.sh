#!/usr/bin/env bash
# Snowball's page on Turkish: the algorithm removes suffixes from nouns. It takes the ends of some of the most frequent words of law for
# suffixes: kanun (law) has the stem of kan (blood), hakim (judge) that of hak (right), yasa (statute) that of yas (mourning).
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q snowballstemmer==3.1.1 &&
  npm install --silent --no-audit --no-fund lunr@2.3.9 lunr-languages@1.22.0 @orama/stemmers@3.1.18 >/dev/null || exit 1
cat >stem.mjs <<'JS'
import { createRequire } from 'node:module';
import { stemmer } from '@orama/stemmers/turkish';
const require = createRequire(import.meta.url);
const lunr = require('lunr');
require('lunr-languages/lunr.stemmer.support')(lunr);
require('lunr-languages/lunr.tr')(lunr);
const words = ['kanun', 'kan', 'hakim', 'hak', 'yasa', 'yas'];
console.log(...words.map((word) => lunr.tr.stemmer(new lunr.Token(word, {})).toString()));
console.log(...words.map((word) => stemmer(word)));
JS
output=$(py/bin/python -c '
from snowballstemmer import stemmer
print(*stemmer("turkish").stemWords(["kanun", "kan", "hakim", "hak", "yasa", "yas"]))' && node stem.mjs) || exit 1
stems='kan kan hak hak yas yas'
[[ $output == "$stems"$'\n'"$stems"$'\n'"$stems" ]] || { echo "$output"; exit 1; }
echo "snowballstemmer 3.1.1, lunr-languages 1.22.0 and @orama/stemmers 3.1.18 give kanun and kan, hakim and hak, yasa and yas one stem each"
