#!/usr/bin/env bash
# WordPress, block Footnotes (since 6.3): the text holds the marks, and the words of the notes are JSON in the field `footnotes` of the post,
# which the export contains as a `wp:postmeta`. Two converters of exports read the text only: marks without notes, and no warning.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q pelican==4.12.0 feedparser==6.0.14 beautifulsoup4==4.15.0 lxml pypandoc_binary==1.17 &&
  npm install --silent --no-audit --no-fund wordpress-export-to-markdown@2.2.2 >/dev/null || exit 1
cat >export.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>F</title><link>https://a.example</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>https://a.example</wp:base_site_url>
<wp:author><wp:author_login>ada</wp:author_login><wp:author_display_name><![CDATA[Ada]]></wp:author_display_name></wp:author>
<item><title>Post</title><link>https://a.example/post/</link><pubDate>Mon, 02 Feb 2026 10:00:00 +0000</pubDate><dc:creator>ada</dc:creator>
<content:encoded><![CDATA[<!-- wp:paragraph -->
<p>The period is two years<sup data-fn="n-1" class="fn"><a href="#n-1" id="n-1-link">1</a></sup> in all cases.</p>
<!-- /wp:paragraph -->

<!-- wp:footnotes /-->]]></content:encoded><excerpt:encoded><![CDATA[]]></excerpt:encoded>
<wp:post_id>1</wp:post_id><wp:post_date>2026-02-02 10:00:00</wp:post_date><wp:post_date_gmt>2026-02-02 10:00:00</wp:post_date_gmt>
<wp:post_name>post</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type><wp:post_parent>0</wp:post_parent>
<wp:postmeta><wp:meta_key><![CDATA[footnotes]]></wp:meta_key>
<wp:meta_value><![CDATA[[{"content":"Unless a statute shortens it.","id":"n-1"}]]]></wp:meta_value></wp:postmeta>
</item></channel></rss>
XML
mkdir pelican
PATH=$(dirname "$(py/bin/python -c 'import pypandoc; print(pypandoc.get_pandoc_path())')"):$PATH
if ! py/bin/pelican-import --wpfile -m markdown -o pelican export.xml >log 2>&1 ||
  ! node node_modules/wordpress-export-to-markdown/index.js --wizard=false --input=export.xml --output=other --post-folders=false \
    --save-attached-images=false --save-scraped-images=false >>log 2>&1; then
  cat log
  exit 1
fi
output=$(for folder in other pelican; do printf '%s %s ' "$(cat "$folder"/*.md | grep -c 'two years')" "$(cat "$folder"/*.md | grep -c 'Unless')"; done)
[[ $output == "1 0 1 0 " ]] || { echo "$output"; exit 1; }
echo "wordpress-export-to-markdown 2.2.2 and pelican-import 4.12.0 keep the marks of WordPress' footnotes, and drop the words of the notes"
