"""The plain templates; each engine inserts its own expressions, and both give the same output."""

BASE = """<!doctype html>
<html lang="%(lang)s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s</title>
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="application/atom+xml" href="%(feed)s">
</head>
<body>
<header><nav>%(navigation)s <a href="/en" hreflang="en">English</a> <a href="/tr" hreflang="tr">Türkçe</a></nav></header>
<main>
%(main)s
</main>
<footer><p>%(home)s &middot; Istanbul</p><p><a href="%(feed)s">Atom</a></p></footer>
</body>
</html>
"""

PAGE = """<article>
<h1>%(title)s</h1>
<p class="meta"><time datetime="%(date)s">%(date)s</time> &middot; <span class="author">%(author)s</span> &middot; <span class="category">%(category)s</span></p>
<p class="excerpt">%(excerpt)s</p>
%(body)s
</article>"""

ITEM = ('<li><a href="%(url)s">%(title)s</a> <time datetime="%(date)s">%(date)s</time> '
        '<span class="author">%(author)s</span><p>%(excerpt)s</p></li>')
