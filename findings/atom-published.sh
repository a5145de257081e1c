#!/usr/bin/env bash
# RFC 4287, 4.2.9: atom:published is the time of an event early in the life of the entry, atom:updated that of the last change. htmlparser2
# and @extractus/feed-extractor give the second for the first, so every corrected article is "published" anew; and both open the first
# link of an entry, whatever its relation.
cd "$FINDING" && npm install --silent --no-audit --no-fund htmlparser2@12.0.0 @extractus/feed-extractor@8.0.3 >/dev/null || exit 1
cat >feed.mjs <<'JS'
import { parseFeed } from 'htmlparser2';
import { extractFromXml } from '@extractus/feed-extractor';
const xml = `<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:f</id><title>F</title><updated>2026-02-02T00:00:00Z</updated>
<entry><id>urn:e</id><title>E</title><link rel="related" href="https://a.example/e.md"/><link rel="alternate" href="https://a.example/e"/>
<published>2025-01-01T00:00:00Z</published><updated>2026-02-02T00:00:00Z</updated></entry></feed>`;
const one = parseFeed(xml).items[0];
const other = extractFromXml(xml).entries[0];
console.log(one.pubDate.toISOString().slice(0, 10), one.link, other.published.slice(0, 10), other.link);
JS
output=$(node feed.mjs) || exit 1
[[ $output == "2026-02-02 https://a.example/e.md 2026-02-02 https://a.example/e.md" ]] || { echo "$output"; exit 1; }
echo "htmlparser2 12.0.0 and @extractus/feed-extractor 8.0.3 date an Atom entry by its last change and open its first link, even a related one"
