"""The corpus as a site for Hugo: front matter in TOML, no highlighting, no taxonomies."""
import json
import re

from . import frame
from .words import LOCALES, MEMBERS, WORDS
from .text import member_name

CONFIG = """baseURL = "https://firm.example/"
defaultContentLanguage = "en"
disableHugoGeneratorInject = true
defaultContentLanguageInSubdir = true
disableKinds = ["taxonomy", "term", "sitemap", "robotsTXT", "404"]
[markup.highlight]
codeFences = false
[markup.goldmark.extensions]
typographer = false
[outputs]
home = ["html", "feed"]
section = ["html"]
page = ["html"]
[outputFormats.feed]
mediaType = "application/atom+xml"
baseName = "atom"
isPlainText = true
[mediaTypes."application/atom+xml"]
suffixes = ["xml"]
"""

FEED = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{{ site.Language.Lang }}">
<title>{{ site.Title }}</title>
<id>https://firm.example/{{ site.Language.Lang }}</id>
{{ range first 20 (where site.RegularPages.ByDate.Reverse "Section" "publications") -}}
<entry><title>{{ .Title }}</title><id>{{ .Permalink }}</id><link href="{{ .Permalink }}"/><updated>{{ .Date.Format "2006-01-02" }}T00:00:00Z</updated><author><name>{{ .Params.author }}</name></author><summary>{{ .Description }}</summary></entry>
{{ end }}</feed>
"""

NAMES = dict(title="{{ .Title }}", date='{{ .Date.Format "2006-01-02" }}', author="{{ .Params.author }}",
             category="{{ .Params.category }}", excerpt="{{ .Description }}", body="{{ .Content }}",
             url="{{ .RelPermalink }}")


def prepare(root):
    layouts = root / "layouts" / "_default"
    layouts.mkdir(parents=True)
    (root / "static").mkdir()
    (root / "static" / "style.css").write_text("body{font:16px/1.5 serif}\n")
    config = CONFIG
    for weight, locale in enumerate(LOCALES, 1):
        words = WORDS[locale]
        config += (f'[languages.{locale}]\ncontentDir = "content/{locale}"\nweight = {weight}\n'
                   f'title = {quote(words["home"])}\n')
        config += f'[languages.{locale}.params]\nhome = {quote(words["home"])}\n'
        config += "".join(f'{name(section)} = {quote(title)}\n' for section, title in words["sections"].items())
        for section, title in words["sections"].items():
            folder = root / "content" / locale / section
            folder.mkdir(parents=True)
            (folder / "_index.md").write_text(f"+++\ntitle = {quote(title)}\n+++\n")
    (root / "hugo.toml").write_text(config)
    # Section titles come from the settings: `site.Sections` walks over the whole site for every page.
    links = (f'<a href="/{{{{ site.Language.Lang }}}}/{section}/">{{{{ site.Params.{name(section)} }}}}</a>'
             for section in WORDS["en"]["sections"])
    navigation = '<a href="/{{ site.Language.Lang }}/">{{ site.Params.home }}</a> ' + " ".join(links)
    base = frame.BASE % dict(lang="{{ site.Language.Lang }}", title="{{ .Title }}", home="{{ site.Params.home }}",
                             feed="/{{ site.Language.Lang }}/atom.xml", navigation=navigation,
                             main='{{ block "main" . }}{{ end }}')
    newest = '(first 10 (where site.RegularPages.ByDate.Reverse "Section" "publications"))'
    (layouts / "baseof.html").write_text(base)
    (layouts / "single.html").write_text(main_block(frame.PAGE % NAMES))
    (layouts / "list.html").write_text(main_block(item_list(".Pages.ByDate.Reverse")))
    (root / "layouts" / "index.html").write_text(main_block(item_list(newest)))
    (root / "layouts" / "index.feed.xml").write_text(FEED)


def main_block(inner):
    return '{{ define "main" }}' + inner + "{{ end }}\n"


def item_list(pages):
    return f"<h1>{{{{ .Title }}}}</h1>\n<ul>\n{{{{ range {pages} }}}}{frame.ITEM % NAMES}\n{{{{ end }}}}</ul>"


def name(section):
    return section.replace("-", "_")


def quote(text):
    return json.dumps(text, ensure_ascii=False)


def write(root, locale, entry):
    author = member_name(MEMBERS.index(entry.author)) if entry.author else ""
    fields = {"title": entry.title, "slug": entry.key, "description": entry.excerpt, "author": author,
              "category": entry.category}
    lines = [f"{name} = {quote(value)}" for name, value in fields.items()] + [f"date = {entry.day}"]
    body = re.sub(r"\{link:([^}]+)\}", rf"/{locale}/\1/", entry.body)
    path = root / "content" / locale / entry.section / f"{entry.key}.md"
    path.write_text("+++\n" + "\n".join(lines) + "\n+++\n\n" + body)
