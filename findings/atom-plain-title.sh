#!/usr/bin/env bash
# RFC 4287, 3.1.1.1: a text of the type "text" holds no markup: `&amp;lt;` is the words `&lt;`. @rowanmanning/feed-parser decodes it once
# more, and the npm package feedparser removes what looks like an element.
cd "$FINDING" && npm install --silent --no-audit --no-fund @rowanmanning/feed-parser@2.1.5 feedparser@2.6.0 >/dev/null || exit 1
cat >feed.mjs <<'JS'
import { Readable } from 'node:stream';
import { parseFeed } from '@rowanmanning/feed-parser';
import FeedParser from 'feedparser';
const xml = `<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:f</id><title>F</title><updated>2026-02-02T00:00:00Z</updated><entry><id>urn:e</id>
<title type="text">The words &amp;amp; and &lt;br&gt; in HTML</title><link href="https://a.example/e"/><updated>2026-02-02T00:00:00Z</updated></entry></feed>`;
console.log(parseFeed(xml).items[0].title);
for await (const entry of Readable.from([xml]).pipe(new FeedParser({ addmeta: false }))) console.log(entry.title);
JS
output=$(node feed.mjs) || exit 1
[[ $output == $'The words & and <br> in HTML\nThe words &amp; and  in HTML' ]] || { echo "$output"; exit 1; }
echo "of the plain title 'The words &amp; and <br>', @rowanmanning/feed-parser 2.1.5 makes 'The words & and <br>' and feedparser 2.6.0 'The words &amp; and'"
