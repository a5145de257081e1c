//! Redirects of former addresses and of slugs in the other language, as rules.
//!
//! A bilingual entry has up to six of them. Hosts get one rule per section (addresses below one path move below
//! another), one line per differing slug, and no line for the Markdown beside a page.

use std::collections::{BTreeMap, HashMap, HashSet};

use contract::manifest::Redirect;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RedirectRules<'a> {
    /// Moved sections: old and new prefix with a trailing slash, the longest first.
    pub(super) sections: Vec<(&'a str, &'a str)>,
    /// Redirects of single addresses, by address.
    pub(super) listed: BTreeMap<&'a str, &'a str>,
    /// Redirects of addresses with a query, which the target does not keep, by path and query.
    pub(super) queries: BTreeMap<(&'a str, &'a str), &'a str>,
}

const TWIN: &str = ".md";

impl<'a> RedirectRules<'a> {
    /// Finds rules that give every address of `redirects` its target, and redirect no other address to one of `paths`,
    /// the addresses of pages.
    pub(super) fn of(redirects: &'a [Redirect], paths: &HashSet<&str>) -> Self {
        let paths_only = || redirects.iter().filter(|it| !it.from.contains('?'));
        let all: HashMap<&str, &str> = paths_only().map(|it| (it.from.as_str(), it.to.as_str())).collect();
        let queries = redirects.iter().filter_map(|it| Some((it.from.split_once('?')?, it.to.as_str()))).collect();
        let mut rules = Self { sections: sections(paths_only()), listed: BTreeMap::new(), queries };
        rules.sections.retain(|(from, to)| is_sound(from, to, &all, paths));
        // Slugs within a section first: the target of a section rule may be one of them.
        let is_below_section = |from: &str| rules.sections.iter().any(|(section, _)| from.starts_with(section));
        for redirect in paths_only().filter(|it| !is_below_section(&it.from) && !it.from.ends_with(TWIN)) {
            rules.listed.insert(&redirect.from, &redirect.to);
        }
        for redirect in paths_only() {
            if rules.target(&redirect.from).as_deref() != Some(redirect.to.as_str()) {
                rules.listed.insert(&redirect.from, &redirect.to);
            }
        }
        rules
    }

    /// Returns the redirects of single addresses to pages, and not those of Markdown, which follow from them.
    pub(super) fn pages(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.listed.iter().map(|(from, to)| (*from, *to)).filter(|(from, _)| !from.ends_with(TWIN))
    }

    /// Returns the target of `path` by the rules, whether or not it exists.
    pub(super) fn target(&self, path: &str) -> Option<String> {
        if let Some(to) = self.listed.get(path) {
            return Some((*to).to_owned());
        }
        let page = path.strip_suffix(TWIN).unwrap_or(path);
        let to = match self.listed.get(page) {
            Some(to) => (*to).to_owned(),
            None => self.sections.iter().find_map(|(from, to)| {
                let moved = format!("{to}{}", page.strip_prefix(from)?);
                Some(self.listed.get(moved.as_str()).map_or(moved, |to| (*to).to_owned()))
            })?,
        };
        Some(if page == path { to } else { format!("{to}{TWIN}") })
    }
}

/// Returns pairs of folders between which addresses keep their last segment, the longest first.
fn sections<'a>(redirects: impl Iterator<Item = &'a Redirect>) -> Vec<(&'a str, &'a str)> {
    let split = |path: &'_ str| path.rfind('/').map_or(0, |at| at + 1);
    let pairs = redirects.filter_map(|it| {
        let (from, to) = (it.from.split_at(split(&it.from)), it.to.split_at(split(&it.to)));
        (from.1 == to.1 && from.0 != to.0).then_some((from.0, to.0))
    });
    let mut best: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for (from, to) in pairs {
        *best.entry(from).or_default().entry(to).or_default() += 1;
    }
    let mut sections: Vec<_> = best
        .into_iter()
        .filter_map(|(from, targets)| {
            let (to, count) = targets.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(one.0)))?;
            (count > 1).then_some((from, to))
        })
        .collect();
    sections.sort_unstable_by(|one, other| other.0.len().cmp(&one.0.len()).then(one.cmp(other)));
    sections
}

/// Whether every path below `to`, and every redirect from there, has a counterpart below `from` with the same target.
fn is_sound(from: &str, to: &str, all: &HashMap<&str, &str>, paths: &HashSet<&str>) -> bool {
    let leads = |path: &str, target: &str| {
        let former = path.strip_prefix(to).map(|rest| format!("{from}{rest}"));
        former.is_none_or(|former| paths.contains(former.as_str()) || all.get(former.as_str()) == Some(&target))
    };
    paths.iter().all(|path| leads(path, path)) && all.iter().all(|(path, target)| leads(path, target))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirects(pairs: &[(&str, &str)]) -> Vec<Redirect> {
        pairs.iter().map(|(from, to)| Redirect { from: (*from).to_owned(), to: (*to).to_owned() }).collect()
    }

    #[test]
    fn moved_section_is_one_rule_and_a_slug_one_line() {
        let all = redirects(&[
            ("/tr/publications", "/tr/yayinlar"),
            ("/tr/publications.md", "/tr/yayinlar.md"),
            ("/tr/publications/is", "/tr/yayinlar/is"),
            ("/tr/publications/is.md", "/tr/yayinlar/is.md"),
            ("/tr/publications/tax", "/tr/yayinlar/vergi"),
            ("/tr/publications/tax.md", "/tr/yayinlar/vergi.md"),
            ("/tr/publications/vergi", "/tr/yayinlar/vergi"),
            ("/tr/publications/vergi.md", "/tr/yayinlar/vergi.md"),
            ("/tr/yayinlar/tax", "/tr/yayinlar/vergi"),
            ("/tr/yayinlar/tax.md", "/tr/yayinlar/vergi.md"),
        ]);
        let paths = [
            "/tr/yayinlar",
            "/tr/yayinlar.md",
            "/tr/yayinlar/is",
            "/tr/yayinlar/is.md",
            "/tr/yayinlar/vergi",
            "/tr/yayinlar/vergi.md",
        ];
        let rules = RedirectRules::of(&all, &paths.into());
        assert_eq!(rules.sections, [("/tr/publications/", "/tr/yayinlar/")]);
        let listed: Vec<_> = rules.listed.iter().map(|(from, to)| (*from, *to)).collect();
        assert_eq!(listed, [("/tr/publications", "/tr/yayinlar"), ("/tr/yayinlar/tax", "/tr/yayinlar/vergi")]);
        for redirect in &all {
            assert_eq!(rules.target(&redirect.from).as_ref(), Some(&redirect.to), "{}", redirect.from);
        }
    }

    #[test]
    fn addresses_of_a_former_site_are_listed_apart_from_sections() {
        let all = redirects(&[
            ("/2019/05/kira", "/tr/yayinlar/kira"),
            ("/2019/05/vergi", "/tr/yayinlar/vergi"),
            ("/?p=7", "/tr/yayinlar/kira"),
            ("/haber kira.html", "/tr/yayinlar/kira"),
        ]);
        let rules = RedirectRules::of(&all, &["/tr/yayinlar/kira", "/tr/yayinlar/vergi", "/tr/yayinlar/is"].into());
        assert_eq!(rules.sections, []);
        assert_eq!(rules.pages().count(), 3);
        assert_eq!(rules.queries, [(("/", "p=7"), "/tr/yayinlar/kira")].into());
    }

    #[test]
    fn section_with_a_dead_address_is_not_a_rule() {
        let all = redirects(&[("/en/a/x", "/en/b/x"), ("/en/a/y", "/en/b/y")]);
        let rules = RedirectRules::of(&all, &["/en/b/x", "/en/b/y", "/en/b/z"].into());
        assert_eq!(rules.sections, []);
        assert_eq!(rules.listed.len(), 2);
    }
}
