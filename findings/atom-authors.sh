#!/usr/bin/env bash
# RFC 4287, 4.2.1: an entry may have several authors. The field `author` of feedparser is the last of them, fastfeedparser has only the
# first, and the npm package feedparser names the author of the feed.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q feedparser==6.0.14 fastfeedparser==0.6.5 &&
  npm install --silent --no-audit --no-fund feedparser@2.6.0 >/dev/null || exit 1
cat >feed.xml <<'XML'
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:f</id><title>F</title><updated>2026-02-02T00:00:00Z</updated><author><name>Firm</name></author>
<entry><id>urn:e</id><title>E</title><link href="https://a.example/e"/><updated>2026-02-02T00:00:00Z</updated>
<author><name>Ada</name></author><author><name>Can</name></author></entry></feed>
XML
output=$(py/bin/python -c '
import feedparser, fastfeedparser
xml = open("feed.xml").read()
print(feedparser.parse(xml).entries[0].author, [author["name"] for author in fastfeedparser.parse(xml).entries[0]["authors"]], end=" ")' &&
  node -e 'const F = require("feedparser"); const p = new F({ addmeta: false }); p.on("data", (e) => console.log(e.author));
require("fs").createReadStream("feed.xml").pipe(p)') || exit 1
[[ $output == "Can ['Ada'] Firm" ]] || { echo "$output"; exit 1; }
echo "of the two authors of an Atom entry, feedparser 6.0.14 names the last, fastfeedparser 0.6.5 the first only, npm's feedparser 2.6.0 neither but the feed's"
