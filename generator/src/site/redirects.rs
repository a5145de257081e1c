//! Paths that lead to another: former ones, and those that mix the languages of their slugs.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

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
        redirects.mix(page, 1);
    }
    for page in pages() {
        redirects.mix(page, usize::MAX);
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

    /// Leads what mixes the first `count` paths of `page` with as many of its translation to it.
    fn mix(&mut self, page: &Paths, count: usize) {
        for from in mixed(page.locale, page.here.iter().take(count), page.there.iter().take(count)) {
            self.add(&from, page.path());
        }
    }
}

/// What paths of one locale are made of, each part once: most former paths of a page differ in their last slug only.
#[derive(Default)]
struct Parts<'a> {
    /// Without the locale.
    whole: BTreeSet<&'a str>,
    sections: BTreeSet<&'a str>,
    /// What follows a section.
    slugs: BTreeSet<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(locale: Locale, paths: impl Iterator<Item = &'a Cow<'a, str>>) -> Self {
        let mut parts = Self::default();
        let below = |path: &'a str| path.strip_prefix('/')?.strip_prefix(locale.as_str())?.strip_prefix('/');
        for path in paths.filter_map(|path| below(path.as_ref())) {
            parts.whole.insert(path);
            if let Some((section, slug)) = path.split_once('/') {
                parts.sections.insert(section);
                parts.slugs.insert(slug);
            }
        }
        parts
    }
}

/// Each path `here`, in `locale`, with one or both of its slugs taken from one of its translation, `there`.
fn mixed<'a>(
    locale: Locale,
    here: impl Iterator<Item = &'a Cow<'a, str>>,
    there: impl Iterator<Item = &'a Cow<'a, str>>,
) -> Vec<String> {
    let (own, other) = (Parts::of(locale, here), Parts::of(locale.other(), there));
    if own.whole.is_empty() {
        return Vec::new();
    }
    let below = |sections: &BTreeSet<&str>, slugs: &BTreeSet<&str>| -> Vec<String> {
        sections
            .iter()
            .flat_map(|section| slugs.iter().map(move |slug| format!("/{locale}/{section}/{slug}")))
            .collect()
    };
    let mut mixed: Vec<String> = other.whole.iter().map(|path| format!("/{locale}/{path}")).collect();
    mixed.extend(below(&own.sections, &other.slugs));
    mixed.extend(below(&other.sections, &own.slugs));
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const N: usize, const M: usize>(locale: Locale, here: [&str; N], there: [&str; M]) -> Vec<String> {
        mixed(locale, here.map(Cow::from).iter(), there.map(Cow::from).iter())
    }

    #[test]
    fn every_slug_may_be_of_the_other_language() {
        assert_eq!(of(Locale::Tr, ["/tr/hakkimizda"], ["/en/about"]), ["/tr/about"]);
        assert_eq!(
            of(Locale::En, ["/en/publications/tax"], ["/tr/yayinlar/vergi"]),
            ["/en/yayinlar/vergi", "/en/publications/vergi", "/en/yayinlar/tax"]
        );
        assert_eq!(
            of(Locale::En, ["/en/team/a", "/en/people/a"], ["/tr/ekip/a", "/tr/ekip/b"]),
            [
                "/en/ekip/a",
                "/en/ekip/b",
                "/en/people/a",
                "/en/people/b",
                "/en/team/a",
                "/en/team/b",
                // With the slug of here in place of that of there.
                "/en/ekip/a",
            ]
        );
    }

    #[test]
    fn a_home_page_has_no_slug_to_mix() {
        assert!(of(Locale::En, ["/en"], ["/tr"]).is_empty());
    }

    #[test]
    fn many_former_slugs_make_no_more_paths_than_there_are() {
        let paths =
            |section: &str| -> Vec<Cow<str>> { (0..4_000).map(|at| format!("{section}/s{at}").into()).collect() };
        let (here, there) = (paths("/en/publications"), paths("/tr/yayinlar"));
        assert_eq!(mixed(Locale::En, here.iter(), there.iter()).len(), 3 * 4_000);
        let page = Paths { locale: Locale::En, here, there };
        assert_eq!(redirects(vec![page], Vec::new()).len(), 2 * (4_000 - 1 + 4_000));
    }
}
