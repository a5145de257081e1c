"""The corpus as content for the generator, and plain templates beside it."""
import json
import re
import shutil
from pathlib import Path

from . import frame
from .words import AREAS

KINDS_OF_LISTS = ["home", "practice-areas", "team", "publications", "publications-archive"]
KINDS_OF_PAGES = ["publication", "practice-area", "person", "page", "contact", "global-network", "not-found", "start"]


def prepare(root, repository):
    """Copies pages, contact, network and settings of the demonstration firm; returns the keys of the remaining categories."""
    content = root / "content"
    for folder in ("pages", "contact", "network"):
        shutil.copytree(repository / "content" / folder, content / folder)
    # The settings, which are rewritten below, and their pictures.
    for file in filter(Path.is_file, (repository / "content").iterdir()):
        shutil.copy(file, content)
    settings, *categories = (repository / "content" / "site.toml").read_text().split("[[category]]\n")
    kept = [text for text in categories if re.search(r'practice_area = "(.*)"', text).group(1) in AREAS]
    (content / "site.toml").write_text("[[category]]\n".join([settings, *kept]))
    plain_templates(root / "templates", repository / "templates")
    return [re.search(r'key = "(.*)"', text).group(1) for text in kept]


def plain_templates(root, product):
    """Writes templates with the output of Hugo's, and twins with title and text."""
    # Forms and e-mails are part of every build; Hugo has none.
    for folder in ("strings", "agents", "forms", "per_locale", "mail", "partials", "assets"):
        shutil.copytree(product / folder, root / folder)
    # Hugo's layout has none of these parts; without a file, the built-in one would be rendered.
    for part in [*(product / "lists").iterdir(), *(product / "shared_parts").iterdir()]:
        empty = root / part.relative_to(product)
        empty.parent.mkdir(exist_ok=True)
        empty.write_text("")
    pages = root / "pages"
    pages.mkdir()
    navigation = ('<a href="{{ site.home_path }}">{{ site.name }}</a>{% for link in site.navigation %} '
                  '<a href="{{ link.path }}">{{ link.title }}</a>{% endfor %}')
    base = frame.BASE % dict(lang="{{ page.locale }}", title="{{ page.title }}", home="{{ site.name }}",
                             feed="{{ site.atom_path }}", navigation=navigation,
                             main="{% block main %}{% endblock %}")
    (root / "base.html").write_text(base)
    bare = dict(title="{{ page.title }}", date="{{ page.updated.iso }}", author="", category="",
                excerpt="{{ page.description }}", body="{{ page.body | safe }}")
    undated = dict(bare, date="")
    article = dict(bare, date="{{ page.data.date.iso }}", author="{{ page.data.author_names }}",
                   category="{{ page.data.category.title }}", excerpt="{{ page.data.excerpt }}")
    special = {"publication": article, "start": undated, "not-found": undated}
    for kind in KINDS_OF_PAGES:
        (pages / f"{kind}.html").write_text(main_block(frame.PAGE % special.get(kind, bare)))
    lists = {"practice-areas": ("areas", "title", "summary"), "team": ("people", "name", "summary")}
    for kind in KINDS_OF_LISTS:
        (pages / f"{kind}.html").write_text(main_block(item_list(*lists.get(kind, ("publications", "title", "excerpt")))))
    (pages / "law.html").write_text(main_block("<h1>{{ page.title }}</h1>"))
    for kind in KINDS_OF_PAGES + KINDS_OF_LISTS:
        (pages / f"{kind}.md").write_text("\n\n{{ page.body | trim }}")
    twin = root / "twin"
    twin.mkdir()
    (twin / "head.md").write_text("# {{ page.title }}")
    (twin / "foot.md").write_text("")


def main_block(inner):
    return '{% extends "base.html" %}{% block main %}' + inner + "{% endblock %}\n"


def item_list(field, title, excerpt):
    dated = field == "publications"
    item = frame.ITEM % dict(
        url="{{ item.path }}", title="{{ item.%s }}" % title, excerpt="{{ item.%s }}" % excerpt,
        date="{{ item.date.iso }}" if dated else "", author="{% for author in item.authors %}{{ author.title }}{% endfor %}" if dated else "")
    return ("<h1>{{ page.title }}</h1>\n<ul>\n{%% for item in page.data.%s %%}%s\n{%% endfor %%}</ul>" % (field, item))


def quote(text):
    return json.dumps(text, ensure_ascii=False)


def write(root, locale, entry):
    named = {"slug": entry.key, "summary": quote(entry.excerpt), "order": entry.order, "updated": entry.day}
    fields = {
        "publications": {"title": quote(entry.title), "slug": entry.key, "excerpt": quote(entry.excerpt),
                         "date": entry.day, "author": entry.author, "category": entry.category},
        "practice-areas": {"name": quote(entry.title), **named},
        "team": {"name": quote(entry.title), "title": quote(entry.role), **named,
                 "practice_areas": f"[{', '.join(entry.areas)}]"},
    }[entry.section]
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    body = re.sub(r"\{link:([^}]+)\}", r"@/\1", entry.body)
    folder = root / "content" / entry.section / entry.key
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{locale}.md").write_text(f"---\n{head}---\n\n{body}")
