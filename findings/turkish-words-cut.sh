#!/usr/bin/env bash
# Orama's guide lists Turkish among its languages. Its Turkish words end at each letter outside of its list, which lacks â, î and û (hâkim,
# vekâlet, mahkûm) and the two characters to which JavaScript lower-cases İ (İcra, İş, İdare).
cd "$FINDING" && npm install --silent --no-audit --no-fund @orama/orama@3.1.18 >/dev/null || exit 1
cat >search.mjs <<'JS'
import { create, insert, search } from '@orama/orama';
const db = create({ schema: { title: 'string' }, language: 'turkish' });
for (const title of ['İcra takibi', 'hâkim kararı', 'kim kimdir']) await insert(db, { title });
const find = async (term) => (await search(db, { term })).hits.map((hit) => hit.document.title).sort().join(', ') || 'nothing';
console.log([await find('icra'), await find('kararı'), await find('hâkim'), await find('kim')].join('; '));
JS
output=$(node search.mjs) || exit 1
[[ $output == 'nothing; hâkim kararı; hâkim kararı, kim kimdir; hâkim kararı, kim kimdir' ]] || { echo "$output"; exit 1; }
echo "with language 'turkish', Orama 3.1.18 does not find 'İcra takibi' by icra, and cuts hâkim (judge) into h and kim (who)"
