//! Paths that lead to another: former ones, and those that mix the languages of their slugs.

use std::collections::BTreeMap;

use contract::{Locale, manifest::Redirect};

use super::pages::{Archive, twin_path};
use crate::site::{Document, PageKind, Site};

/// Every redirect of `site`, sorted by path. No page stands where one begins.
///
/// A former path leads to the entry. So does a path with a slug of the other locale: `/tr/about` to
/// `/tr/hakkimizda`, and `/tr/practice-areas/tax`, `/tr/calisma-alanlari/tax` and `/tr/practice-areas/vergi` to
/// `/tr/calisma-alanlari/vergi`. The addresses of twins lead to twins.
pub(super) fn all(site: &Site, archives: &[Archive]) -> Vec<Redirect> {
    let mut redirects = BTreeMap::new();
    // What an editor wrote comes before what is computed.
    for document in documents(site) {
        for alias in &document.aliases {
            redirects.entry(alias.clone()).or_insert_with(|| document.path.clone());
            // Programs keep the addresses of twins.
            redirects.entry(twin_path(alias)).or_insert_with(|| twin_path(&document.path));
        }
    }
    let of_documents =
        documents(site).map(|document| (document.locale, document.path.as_str(), document.translation.as_deref()));
    let of_archives = archives.iter().map(|archive| (archive.locale, archive.path.as_str(), archive.translation()));
    for (locale, path, translation) in of_documents.chain(of_archives) {
        for mixed in translation.into_iter().flat_map(|translation| mixed(locale, path, translation)) {
            redirects.entry(twin_path(&mixed)).or_insert_with(|| twin_path(path));
            redirects.entry(mixed).or_insert_with(|| path.to_owned());
        }
    }
    for path in documents(site).map(|document| &document.path).chain(archives.iter().map(|archive| &archive.path)) {
        redirects.remove(path);
        redirects.remove(&twin_path(path));
    }
    redirects.into_iter().map(|(from, to)| Redirect { from, to }).collect()
}

fn documents(site: &Site) -> impl Iterator<Item = &Document> {
    Locale::ALL.into_iter().flat_map(|locale| {
        let content = &site.content[locale];
        let pages = content.pages.iter().filter(|page| page.kind != PageKind::NotFound).map(|page| &page.document);
        pages
            .chain(content.practice_areas.iter().map(|area| &area.document))
            .chain(content.team.iter().map(|member| &member.document))
            .chain(content.publications.iter().map(|publication| &publication.document))
    })
}

/// `path` with one or both of its slugs taken from `translation`.
fn mixed(locale: Locale, path: &str, translation: &str) -> Vec<String> {
    let below = |path: &str, locale: Locale| {
        Some(path.strip_prefix('/')?.strip_prefix(locale.as_str())?.strip_prefix('/')?.to_owned())
    };
    let (Some(own), Some(other)) = (below(path, locale), below(translation, locale.other())) else {
        return Vec::new();
    };
    let mut mixed = vec![format!("/{locale}/{other}")];
    if let (Some((section, slug)), Some((other_section, other_slug))) = (own.split_once('/'), other.split_once('/')) {
        mixed.push(format!("/{locale}/{section}/{other_slug}"));
        mixed.push(format!("/{locale}/{other_section}/{slug}"));
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slug_may_be_of_the_other_language() {
        assert_eq!(mixed(Locale::Tr, "/tr/hakkimizda", "/en/about"), ["/tr/about"]);
        assert_eq!(
            mixed(Locale::En, "/en/publications/tax", "/tr/yayinlar/vergi"),
            ["/en/yayinlar/vergi", "/en/publications/vergi", "/en/yayinlar/tax"]
        );
    }

    #[test]
    fn a_home_page_has_no_slug_to_mix() {
        assert!(mixed(Locale::En, "/en", "/tr").is_empty());
    }
}
