//! Redirects from former paths and from paths that mix the slugs of two languages.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use contract::Locale;
use foldhash::quality::RandomState;

use super::twin_path;

/// The present and former paths of a page, in its own locale and in the other one; the present path comes first.
pub struct Paths<'a> {
    pub locale: Locale,
    /// Never empty.
    pub here: Vec<Cow<'a, str>>,
    /// If the page does not exist in the other locale: the paths that it would have there with the slug that it has
    /// here.
    pub there: Vec<Cow<'a, str>>,
    /// Addresses on a former site.
    pub former: Vec<Cow<'a, str>>,
    /// The paths of the page's feeds and cards, which begin with its present path.
    pub beside: Vec<String>,
}

impl Paths<'_> {
    fn path(&self) -> &str {
        &self.here[0]
    }

    fn by_path(&self, other: &Self) -> Ordering {
        self.path().cmp(other.path())
    }
}

/// Returns every redirect to these documents and archives, by path. No redirect starts at the path of a page.
///
/// A former path redirects to the entry. So does a path with a slug of the other locale: `/tr/about` to
/// `/tr/hakkimizda`, and `/tr/practice-areas/tax`, `/tr/calisma-alanlari/tax` and `/tr/practice-areas/vergi` to
/// `/tr/calisma-alanlari/vergi`. Former slugs of the other locale count too. The addresses of twins redirect to twins,
/// and those of feeds and cards beside a former path to the feeds and cards.
///
/// If two pages have an equal claim to an address, the page whose path sorts first gets it. The order of the arguments
/// does not matter: it depends on dates and names, whose change must not move an address. Archives come after
/// documents, since their former paths are computed.
pub fn redirects(mut documents: Vec<Paths>, mut archives: Vec<Paths>) -> BTreeMap<String, String> {
    documents.sort_unstable_by(Paths::by_path);
    archives.sort_unstable_by(Paths::by_path);
    let pages = || documents.iter().chain(&archives);
    let mut redirects = RedirectMap::default();
    // Former paths that an editor wrote take precedence over computed paths, and present slugs over former ones.
    for page in pages() {
        for address in &page.former {
            redirects.add_address(address, page.path());
        }
    }
    for page in pages() {
        for former in page.here.iter().skip(1) {
            redirects.add(former, page.path());
            for file in &page.beside {
                let end = file.strip_prefix(page.path()).unwrap_or(file);
                redirects.add_address(&format!("{former}{end}"), file);
            }
        }
    }
    for page in pages() {
        redirects.mix(page, 1);
    }
    // The loop above has mixed the pages without former paths completely.
    for page in pages().filter(|page| page.here.len().max(page.there.len()) > 1) {
        redirects.mix(page, usize::MAX);
    }
    for page in pages() {
        redirects.remove(page.path());
        for file in &page.beside {
            redirects.0.remove(file);
        }
    }
    redirects.0.into_iter().collect()
}

/// The target of each path; the first target that is added stays.
#[derive(Default)]
struct RedirectMap(HashMap<String, String, RandomState>);

impl RedirectMap {
    fn add(&mut self, from: &str, to: &str) {
        // It would be removed at the end: no redirect starts at the path of a page.
        if from == to {
            return;
        }
        if !self.0.contains_key(from) {
            self.0.insert(from.to_owned(), to.to_owned());
        }
        // Programs keep the addresses of twins.
        self.0.entry(twin_path(from)).or_insert_with(|| twin_path(to));
    }

    /// Adds an address of a former site, which had no twins.
    fn add_address(&mut self, from: &str, to: &str) {
        self.0.entry(from.to_owned()).or_insert_with(|| to.to_owned());
    }

    fn remove(&mut self, from: &str) {
        self.0.remove(from);
        self.0.remove(&twin_path(from));
    }

    /// Redirects to `page` the paths that mix its first `count` paths with as many paths of its translation.
    fn mix(&mut self, page: &Paths, count: usize) {
        for from in mix_slugs(page.locale, page.here.iter().take(count), page.there.iter().take(count)) {
            self.add(&from, page.path());
        }
    }
}

/// The sections and slugs of the paths of one locale, each once: most former paths of a page differ only in their last
/// slug.
#[derive(Default)]
struct PathParts<'a> {
    /// The paths without the locale.
    whole: BTreeSet<&'a str>,
    sections: BTreeSet<&'a str>,
    /// The segments that follow a section.
    slugs: BTreeSet<&'a str>,
}

impl<'a> PathParts<'a> {
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

/// Returns the paths of `locale` that result from replacing one or both slugs of each path in `here` with those of the
/// translation, in `there`.
fn mix_slugs<'a>(
    locale: Locale,
    here: impl Iterator<Item = &'a Cow<'a, str>>,
    there: impl Iterator<Item = &'a Cow<'a, str>>,
) -> Vec<String> {
    let (own, other) = (PathParts::of(locale, here), PathParts::of(locale.other(), there));
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
        mix_slugs(locale, here.map(Cow::from).iter(), there.map(Cow::from).iter())
    }

    #[test]
    fn slugs_of_two_languages_are_mixed_in_every_way() {
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
                // The section of the other locale with the slug of this one.
                "/en/ekip/a",
            ]
        );
    }

    #[test]
    fn address_of_a_former_site_redirects_unless_a_page_is_there() {
        let page = |path: &'static str, former: &[&'static str]| Paths {
            locale: Locale::Tr,
            here: vec![path.into()],
            there: Vec::new(),
            former: former.iter().map(|it| Cow::from(*it)).collect(),
            beside: Vec::new(),
        };
        let pages = vec![
            page("/tr/yayinlar/kira", &["/2019/05/12/kira-artisi", "/?p=123", "/tr/2019/kira.html", "/tr/ekip"]),
            page("/tr/ekip", &[]),
        ];
        let found = redirects(pages, Vec::new());
        let all: Vec<_> = found.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        let to = "/tr/yayinlar/kira";
        assert_eq!(all, [("/2019/05/12/kira-artisi", to), ("/?p=123", to), ("/tr/2019/kira.html", to)]);
    }

    #[test]
    fn feeds_and_cards_redirect_from_former_paths() {
        let person = |here: [&'static str; 2], files: &[&str]| Paths {
            locale: Locale::En,
            here: here.map(Cow::from).into(),
            there: Vec::new(),
            former: Vec::new(),
            beside: files.iter().map(|file| (*file).to_owned()).collect(),
        };
        let people = vec![
            person(["/en/team/b", "/en/team/a"], &["/en/team/b.vcf", "/en/team/b/atom.xml"]),
            person(["/en/team/c", "/en/team/b"], &["/en/team/c.vcf"]),
        ];
        let found = redirects(people, Vec::new());
        let all: Vec<_> = found.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        assert_eq!(
            all,
            [
                ("/en/team/a", "/en/team/b"),
                ("/en/team/a.md", "/en/team/b.md"),
                ("/en/team/a.vcf", "/en/team/b.vcf"),
                ("/en/team/a/atom.xml", "/en/team/b/atom.xml"),
            ]
        );
    }

    #[test]
    fn home_page_has_no_slug_to_mix() {
        assert!(of(Locale::En, ["/en"], ["/tr"]).is_empty());
    }

    #[test]
    fn number_of_mixed_paths_is_linear_in_the_former_slugs() {
        let paths =
            |section: &str| -> Vec<Cow<str>> { (0..4_000).map(|at| format!("{section}/s{at}").into()).collect() };
        let (here, there) = (paths("/en/publications"), paths("/tr/yayinlar"));
        assert_eq!(mix_slugs(Locale::En, here.iter(), there.iter()).len(), 3 * 4_000);
        let page = Paths { locale: Locale::En, here, there, former: Vec::new(), beside: Vec::new() };
        assert_eq!(redirects(vec![page], Vec::new()).len(), 2 * (4_000 - 1 + 4_000));
    }
}
