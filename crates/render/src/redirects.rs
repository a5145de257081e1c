//! The redirects of a site, as listed in its manifest.

use std::{borrow::Cow, collections::HashMap, iter};

use contract::{Locale, manifest::Redirect};
use site::{Document, PageKind, Paths, Site, laws_path, redirects};

use super::pages::Archive;

/// Returns every redirect of `site`, sorted by path.
pub(super) fn all(site: &Site, archives: &[Archive]) -> Vec<Redirect> {
    let with_aliases = documents(site).filter(|(document, _)| !document.aliases.is_empty());
    let aliases: HashMap<&str, &[String]> =
        with_aliases.map(|(document, _)| (document.path.as_str(), document.aliases.as_slice())).collect();
    let of_documents = documents(site).map(|(document, section)| of_document(site, document, section, &aliases));
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
    Paths { locale: document.locale, here: paths(&document.path, &document.aliases), there, former }
}

/// Returns the paths of an archive, including those below former slugs of its section.
fn of_archive<'a>(site: &'a Site, archive: &'a Archive) -> Paths<'a> {
    if let Some(cited) = archive.law() {
        let path = |locale| vec![format!("{}{}", laws_path(locale), cited.law.number).into()];
        let (here, there) = (path(archive.locale), path(archive.locale.other()));
        return Paths { locale: archive.locale, here, there, former: Vec::new() };
    }
    let archive_paths = |locale, path| entry_paths(site, locale, PageKind::Publications, path);
    let there = archive.translation().unwrap_or(&archive.path);
    Paths {
        locale: archive.locale,
        here: archive_paths(archive.locale, &archive.path),
        there: archive_paths(archive.locale.other(), there),
        former: Vec::new(),
    }
}

fn paths<'a>(path: &'a str, former: &'a [String]) -> Vec<Cow<'a, str>> {
    iter::once(path).chain(former.iter().map(String::as_str)).map(Cow::Borrowed).collect()
}

/// Returns the paths of a section's entry with the same slug as `path`.
fn entry_paths<'a>(site: &Site, locale: Locale, section: PageKind, path: &str) -> Vec<Cow<'a, str>> {
    let slug = path.rsplit('/').next().unwrap_or_default();
    let page = site.page(locale, section).into_iter();
    let sections = page.flat_map(|page| iter::once(&page.document.path).chain(&page.document.aliases));
    sections.map(|section| format!("{section}/{slug}").into()).collect()
}

/// Returns every document of both locales with its section.
fn documents(site: &Site) -> impl Iterator<Item = (&Document, Option<PageKind>)> {
    let documents = site.content.iter().flat_map(|(_, content)| content.documents());
    documents.map(|(section, document, _)| (document, section))
}
