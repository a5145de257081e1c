//! The redirects of a site, as listed in its manifest.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    iter,
};

use contract::{Locale, manifest::Redirect, text::Slug};
use site::{Document, PageKind, Paths, Site, card_paths, laws_path, office_path, redirects};

use super::{feeds, pages::Archive, vcards};

/// Returns every redirect of `site`, sorted by path.
pub(super) fn all(site: &Site, archives: &[Archive]) -> Vec<Redirect> {
    let with_aliases = documents(site).filter(|(document, _)| !document.aliases.is_empty());
    let aliases: HashMap<&str, &[String]> =
        with_aliases.map(|(document, _)| (document.path.as_str(), document.aliases.as_slice())).collect();
    let articles = site.content.iter().flat_map(|(_, content)| &content.publications).filter(|it| it.date.is_some());
    let authors: HashSet<(Locale, &str)> =
        articles.flat_map(|it| it.authors.iter().map(|author| (it.document.locale, author.as_str()))).collect();
    let of_documents = documents(site).map(|(document, section)| Paths {
        beside: if document.aliases.is_empty() { Vec::new() } else { paths_beside(site, document, section, &authors) },
        ..of_document(site, document, section, &aliases)
    });
    let of_archives = archives.iter().map(|archive| of_archive(site, archive));
    // `check::redirects` computes the same redirects, to check links that lead to them.
    let redirects = redirects(of_documents.collect(), of_archives.collect());
    redirects.into_iter().map(|(from, to)| Redirect { from, to }).collect()
}

fn of_document<'a>(
    site: &'a Site,
    document: &'a Document,
    section: Option<PageKind>,
    aliases: &HashMap<&str, &'a [String]>,
) -> Paths<'a> {
    let there = match (&document.translation, section) {
        (Some(path), _) => paths(path, aliases.get(path.as_str()).copied().unwrap_or_default()),
        (None, Some(section)) => entry_paths(site, document.locale.other(), section, &document.path),
        (None, None) => Vec::new(),
    };
    let former = document.former_addresses.iter().map(|address| Cow::Borrowed(address.as_str())).collect();
    let here = paths(&document.path, &document.aliases);
    Paths { locale: document.locale, here, there, former, beside: Vec::new() }
}

/// Returns the paths of a document's feeds and cards.
fn paths_beside(
    site: &Site,
    document: &Document,
    section: Option<PageKind>,
    authors: &HashSet<(Locale, &str)>,
) -> Vec<String> {
    let content = &site.content[document.locale];
    let mut beside = Vec::new();
    if section == Some(PageKind::Team) {
        if authors.contains(&(document.locale, document.key.as_str())) {
            beside.extend(feeds::PATHS.map(|feed| format!("{}{feed}", document.path)));
        }
        if content.team_member(&document.key).is_some_and(vcards::has_card) {
            beside.extend(card_paths(&document.path));
        }
    } else if section.is_none() && PageKind::of(&document.key) == PageKind::Contact {
        let offices = content.contact.offices.iter().map(|office| office_path(document, office));
        beside.extend(iter::once(document.path.clone()).chain(offices).flat_map(|path| card_paths(&path)));
    }
    beside
}

/// Returns the paths of an archive, including those below former slugs of its section.
fn of_archive<'a>(site: &'a Site, archive: &'a Archive) -> Paths<'a> {
    if let Some(cited) = archive.law() {
        let path = |locale| vec![format!("{}{}", laws_path(locale), cited.law.number).into()];
        let (here, there) = (path(archive.locale), path(archive.locale.other()));
        return Paths { locale: archive.locale, here, there, former: Vec::new(), beside: Vec::new() };
    }
    let there = archive.translation().unwrap_or(&archive.path);
    let categories = &site.settings.categories;
    let category = archive.category().and_then(|key| categories.iter().find(|category| category.key == key));
    let former = category.into_iter().flat_map(|category| category.aliases.iter().map(Slug::as_str));
    let slugs: Vec<&str> = archive.path.rsplit('/').take(1).chain(former).collect();
    let feeds = feeds::PATHS.iter().filter(|_| archive.has_feeds());
    Paths {
        locale: archive.locale,
        here: paths_below(site, archive.locale, PageKind::Publications, &slugs),
        there: entry_paths(site, archive.locale.other(), PageKind::Publications, there),
        former: Vec::new(),
        beside: feeds.map(|feed| format!("{}{feed}", archive.path)).collect(),
    }
}

fn paths<'a>(path: &'a str, former: &'a [String]) -> Vec<Cow<'a, str>> {
    iter::once(path).chain(former.iter().map(String::as_str)).map(Cow::Borrowed).collect()
}

/// Returns the paths of a section's entry with the same slug as `path`.
fn entry_paths<'a>(site: &Site, locale: Locale, section: PageKind, path: &str) -> Vec<Cow<'a, str>> {
    paths_below(site, locale, section, &[path.rsplit('/').next().unwrap_or_default()])
}

/// Returns the paths of each of `slugs` in a section, under the section's present and former paths.
fn paths_below<'a>(site: &Site, locale: Locale, section: PageKind, slugs: &[&str]) -> Vec<Cow<'a, str>> {
    let page = site.page(locale, section).into_iter();
    let sections = page.flat_map(|page| iter::once(&page.document.path).chain(&page.document.aliases));
    sections.flat_map(|section| slugs.iter().map(move |slug| format!("{section}/{slug}").into())).collect()
}

/// Returns every document of both locales with its section.
fn documents(site: &Site) -> impl Iterator<Item = (&Document, Option<PageKind>)> {
    let documents = site.content.iter().flat_map(|(_, content)| content.documents());
    documents.map(|(section, document, _)| (document, section))
}
