//! Paths that lead to another: former ones, and those that mix the languages of their slugs.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    iter,
};

use contract::{Locale, manifest::Redirect};

use super::pages::{Archive, twin_path};
use crate::site::{Document, PageKind, Site};

/// Every redirect of `site`, sorted by path. No page stands where one begins.
///
/// A former path leads to the entry. So does a path with a slug of the other locale: `/tr/about` to
/// `/tr/hakkimizda`, and `/tr/practice-areas/tax`, `/tr/calisma-alanlari/tax` and `/tr/practice-areas/vergi` to
/// `/tr/calisma-alanlari/vergi`. A former slug of the other locale does what it did before it was renamed. The
/// addresses of twins lead to twins.
pub(super) fn all(site: &Site, archives: &[Archive]) -> Vec<Redirect> {
    let mut redirects = Redirects::default();
    let with_aliases = documents(site).filter(|(document, _)| !document.aliases.is_empty());
    let aliases: HashMap<&str, &[String]> =
        with_aliases.map(|(document, _)| (document.path.as_str(), document.aliases.as_slice())).collect();
    let of_documents = documents(site).map(|(document, section)| Target::document(site, document, section, &aliases));
    let targets: Vec<_> = of_documents.chain(archives.iter().map(|archive| Target::archive(site, archive))).collect();
    // What an editor wrote comes before what is computed, and that before what it was once. Archives come behind documents,
    // since nobody wrote their former paths: `check::targets` makes these too, for links that lead there.
    for target in &targets {
        for former in target.here.iter().skip(1) {
            redirects.add(former, target.path());
        }
    }
    for target in &targets {
        redirects.mix(target, target.pairs().take(1));
    }
    for target in &targets {
        redirects.mix(target, target.pairs().skip(1));
    }
    for target in &targets {
        redirects.remove(target.path());
    }
    redirects.into_list()
}

/// Where each path leads; the first that is said of it counts.
#[derive(Default)]
struct Redirects(BTreeMap<String, String>);

impl Redirects {
    fn add(&mut self, from: &str, to: &str) {
        if !self.0.contains_key(from) {
            self.0.insert(from.to_owned(), to.to_owned());
        }
        // Programs keep the addresses of twins.
        self.0.entry(twin_path(from)).or_insert_with(|| twin_path(to));
    }

    fn remove(&mut self, from: &str) {
        self.0.remove(from);
        self.0.remove(&twin_path(from));
    }

    fn into_list(self) -> Vec<Redirect> {
        self.0.into_iter().map(|(from, to)| Redirect { from, to }).collect()
    }

    /// Leads what mixes paths of `target` to it.
    fn mix<'t>(&mut self, target: &'t Target, pairs: impl Iterator<Item = (&'t str, &'t str)>) {
        for (here, there) in pairs {
            for from in mixed(target.locale, here, there) {
                self.add(&from, target.path());
            }
        }
    }
}

/// A page by the paths that it has and had, in its own locale and in the other one; the present one is the first.
struct Target<'a> {
    locale: Locale,
    here: Vec<Cow<'a, str>>,
    /// Of a page that is not there: those that it would have by the slug that it has here.
    there: Vec<Cow<'a, str>>,
}

impl<'a> Target<'a> {
    fn document(
        site: &'a Site,
        document: &'a Document,
        section: Option<PageKind>,
        aliases: &HashMap<&str, &'a [String]>,
    ) -> Self {
        let there = match (&document.translation, section) {
            (Some(path), _) => paths(path, aliases.get(path.as_str()).copied().unwrap_or_default()),
            (None, Some(section)) => below(site, document.locale.other(), section, &document.path),
            (None, None) => Vec::new(),
        };
        Self { locale: document.locale, here: paths(&document.path, &document.aliases), there }
    }

    /// An archive has had the former slugs of its section.
    fn archive(site: &'a Site, archive: &'a Archive) -> Self {
        let below = |locale, path| below(site, locale, PageKind::Publications, path);
        let there = archive.translation().unwrap_or(&archive.path);
        Self {
            locale: archive.locale,
            here: below(archive.locale, &archive.path),
            there: below(archive.locale.other(), there),
        }
    }

    fn path(&self) -> &str {
        &self.here[0]
    }

    /// Each of its paths here with each of those there, the present ones first.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.here.iter().flat_map(|here| self.there.iter().map(move |there| (here.as_ref(), there.as_ref())))
    }
}

fn paths<'a>(path: &'a str, former: &'a [String]) -> Vec<Cow<'a, str>> {
    iter::once(path).chain(former.iter().map(String::as_str)).map(Cow::Borrowed).collect()
}

/// The paths of what is called as `path` is and stands in a section.
fn below<'a>(site: &Site, locale: Locale, section: PageKind, path: &str) -> Vec<Cow<'a, str>> {
    let section = &site.page(locale, section).document;
    let slug = path.rsplit('/').next().unwrap_or_default();
    iter::once(&section.path).chain(&section.aliases).map(|section| format!("{section}/{slug}").into()).collect()
}

/// Everything with a page of its own but archives, and the section in which it stands.
fn documents(site: &Site) -> impl Iterator<Item = (&Document, Option<PageKind>)> {
    Locale::ALL.into_iter().flat_map(|locale| {
        let content = &site.content[locale];
        let pages = content.pages.iter().filter(|page| page.kind != PageKind::NotFound);
        let areas = content.practice_areas.iter().map(|area| (&area.document, Some(PageKind::PracticeAreas)));
        let team = content.team.iter().map(|member| (&member.document, Some(PageKind::Team)));
        let publications = content.publications.iter().map(|it| (&it.document, Some(PageKind::Publications)));
        pages.map(|page| (&page.document, None)).chain(areas).chain(team).chain(publications)
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
