//! Paths that lead to another: former ones, and those that mix the languages of their slugs.

use std::{borrow::Cow, cmp::Ordering, collections::BTreeMap};

use contract::Locale;

use super::twin_path;

/// A page by the paths that it has and had, in its own locale and in the other one; the present one is the first.
pub(crate) struct Paths<'a> {
    pub(crate) locale: Locale,
    /// Never empty.
    pub(crate) here: Vec<Cow<'a, str>>,
    /// Of a page that is not there: those that it would have by the slug that it has here.
    pub(crate) there: Vec<Cow<'a, str>>,
}

impl Paths<'_> {
    fn path(&self) -> &str {
        &self.here[0]
    }

    fn by_path(&self, other: &Self) -> Ordering {
        self.path().cmp(other.path())
    }

    /// Each of its paths here with each of those there, the present ones first.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.here.iter().flat_map(|here| self.there.iter().map(move |there| (here.as_ref(), there.as_ref())))
    }
}

/// Every redirect to these documents and archives, by its path. No page stands where one begins.
///
/// A former path leads to the entry. So does a path with a slug of the other locale: `/tr/about` to
/// `/tr/hakkimizda`, and `/tr/practice-areas/tax`, `/tr/calisma-alanlari/tax` and `/tr/practice-areas/vergi` to
/// `/tr/calisma-alanlari/vergi`. A former slug of the other locale does what it did before it was renamed. The
/// addresses of twins lead to twins.
///
/// Of two pages that claim an address alike, that with the first path has it, in whichever order they are given: lists
/// are in that of dates and names, and a change of these moves no address. Archives come behind documents, since
/// nobody wrote their former paths.
pub(crate) fn redirects(mut documents: Vec<Paths>, mut archives: Vec<Paths>) -> BTreeMap<String, String> {
    documents.sort_unstable_by(Paths::by_path);
    archives.sort_unstable_by(Paths::by_path);
    let pages = || documents.iter().chain(&archives);
    let mut redirects = Redirects::default();
    // What an editor wrote comes before what is computed, and that before what it was once.
    for page in pages() {
        for former in page.here.iter().skip(1) {
            redirects.add(former, page.path());
        }
    }
    for page in pages() {
        redirects.mix(page, page.pairs().take(1));
    }
    for page in pages() {
        redirects.mix(page, page.pairs().skip(1));
    }
    for page in pages() {
        redirects.remove(page.path());
    }
    redirects.0
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

    /// Leads what mixes paths of `page` to it.
    fn mix<'t>(&mut self, page: &'t Paths, pairs: impl Iterator<Item = (&'t str, &'t str)>) {
        for (here, there) in pairs {
            for from in mixed(page.locale, here, there) {
                self.add(&from, page.path());
            }
        }
    }
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
