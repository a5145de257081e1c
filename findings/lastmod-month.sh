#!/usr/bin/env bash
# Sitemap protocol: lastmod is a W3C Datetime, which may be a month or a year only. ultimate-sitemap-parser completes it with today's day and
# month: a page of which only the year is known gets a day, and each day another one.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q ultimate-sitemap-parser==1.8.1 || exit 1
output=$(py/bin/python -c '
from datetime import date
from usp.tree import sitemap_from_str
page = "<url><loc>https://a.example/%s</loc><lastmod>%s</lastmod></url>"
text = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">" + page % ("a", "2020") + page % ("b", "2020-01") + "</urlset>"
today = date.today()
days = [(page.last_modified.month, page.last_modified.day) for page in sitemap_from_str(text).all_pages()]
print(days == [(today.month, today.day), (1, today.day)])') || exit 1
[[ $output == "True" ]] || { echo "$output"; exit 1; }
echo "ultimate-sitemap-parser 1.8.1 takes <lastmod>2020</lastmod> for today's day and month of that year, and 2020-01 for today's day of January"
