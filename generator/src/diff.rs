//! Compares two builds by their manifests: new, changed and removed addresses.
//!
//! The content of a page is compared by its Markdown twin, which has no menu, style or fingerprint in it. If only the
//! HTML differs, the page counts as restyled.

mod report;

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::Path,
};

use contract::{
    Locale, PerLocale,
    manifest::{Axis, Class, FILE_NAME, FORMAT, FileDigest, Manifest, Route},
    routes::locale_of,
};
use findings::messages::{self, Text};
use serde::Serialize;

use crate::renumbered::{KnownClause, lost_anchors};

/// The differences between two builds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Origins of the two sites, if they differ: then every page differs, since its addresses do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_urls: Option<(String, String)>,
    pub pages: PerLocale<Changes>,
    /// Documents, which belong to no language.
    pub documents: Changes,
    /// Files for programs: lists, feeds, overviews, descriptions.
    pub programs: Changes,
}

/// Changed addresses, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    pub added: Vec<String>,
    /// Addresses whose content differs.
    pub changed: Vec<String>,
    /// Addresses whose HTML differs, but not their content.
    pub restyled: Vec<String>,
    pub removed: Vec<Removed>,
    /// Anchors of headings and clauses that changed pages do not have any more: `/en/a#deadlines`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
    /// Anchors of clauses that lead to another clause now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved_anchors: Vec<MovedAnchor>,
}

/// An anchor with the one that its clause has now; `None` if that clause is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedAnchor {
    pub anchor: String,
    pub now: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removed {
    pub path: String,
    /// The target of its redirect; `None` if it is answered with 404.
    pub redirect: Option<String>,
}

/// A group of addresses with their states.
type AddressGroup<'m> = BTreeMap<String, AddressState<'m>>;

/// The digests of an address: of its content, and of the HTML.
struct AddressState<'m> {
    text: &'m FileDigest,
    look: &'m FileDigest,
    /// Path of the HTML below `dist/`.
    file: &'m str,
}

/// Compares the builds in two folders.
///
/// # Errors
/// If either is not a build of this version.
pub fn diff(old: &Path, new: &Path) -> Result<Difference, Text> {
    let folders = (old, new);
    let (old, new) = (read(old)?, read(new)?);
    let [old_groups, new_groups] = [&old, &new].map(Groups::of);
    let redirects: BTreeMap<_, _> = new.redirects.iter().map(|it| (it.from.as_str(), it.to.as_str())).collect();
    let routes: HashSet<&str> = new.routes.iter().map(|route| route.path.as_str()).collect();
    let former = &old.redirects;
    let compare = |old: &AddressGroup, new: &AddressGroup| changes(old, new, &redirects);
    let pages = |locale| {
        let (old, new) = (&old_groups.pages[locale], &new_groups.pages[locale]);
        let changes = compare(old, new);
        let (mut gone, mut moved) = (Vec::new(), Vec::new());
        for path in &changes.changed {
            let [before, now] =
                [folders.0.join(old[path].file), folders.1.join(new[path].file)].map(fs::read_to_string);
            let (before, now) = (before.unwrap_or_default(), now.unwrap_or_default());
            let kept: HashSet<&str> = anchors(&now).map(|known| known.anchor).collect();
            let (before, now): (Vec<_>, Vec<_>) = (anchors(&before).collect(), anchors(&now).collect());
            let lost = before.iter().map(|known| known.anchor).filter(|anchor| !kept.contains(anchor));
            gone.extend(lost.map(|anchor| format!("{path}#{anchor}")));
            let is_clause = |known: &KnownClause| known.anchor.contains('.');
            let [before, now] = [before, now].map(|all| all.into_iter().filter(is_clause).collect::<Vec<_>>());
            let led = lost_anchors(&before, &now).into_iter().filter(|(anchor, _)| kept.contains(anchor));
            let address = |anchor| format!("{path}#{anchor}");
            moved.extend(led.map(|(anchor, now)| MovedAnchor { anchor: address(anchor), now: now.map(address) }));
        }
        // Former addresses that lead nowhere any more.
        let is_dropped = |from: &str| !from.ends_with(".md") && !redirects.contains_key(from) && !routes.contains(from);
        let dropped = former.iter().filter(|it| locale_of(&it.to) == locale && is_dropped(&it.from));
        let dropped = dropped.map(|it| Removed { path: it.from.clone(), redirect: None });
        let removed = changes.removed.into_iter().chain(dropped).collect();
        Changes { anchors: gone, moved_anchors: moved, removed, ..changes }
    };
    Ok(Difference {
        site_urls: (old.site_url != new.site_url).then(|| (old.site_url.clone(), new.site_url.clone())),
        pages: PerLocale::build(pages),
        documents: compare(&old_groups.documents, &new_groups.documents),
        programs: compare(&old_groups.programs, &new_groups.programs),
    })
}

/// Returns the anchors of the headings, articles and clauses of a page, and the words of the clauses.
fn anchors(html: &str) -> impl Iterator<Item = KnownClause<'_>> {
    html.match_indices(" id=\"").filter_map(|(at, opening)| {
        let tag = &html[html[..at].rfind('<')?..at];
        let is_heading = tag.len() == "<h2".len() && tag.starts_with("<h") || tag.starts_with("<hgroup");
        let (anchor, behind) = html[at + opening.len()..].split_once("\">")?;
        let line = behind.split('\n').next().unwrap_or_default();
        let words = line.split_once("</span> ").filter(|_| line.starts_with("<span class=\"clause-mark\">"));
        let words = words.map_or(line, |(_, words)| words);
        let words = ["</p>", "<br>", "</span>", "</span>"].iter().fold(words, |words, end| words.trim_end_matches(end));
        (is_heading || tag.starts_with("<span class=\"clause")).then_some(KnownClause { anchor, words })
    })
}

fn read(build: &Path) -> Result<Manifest, Text> {
    let path = build.join(FILE_NAME);
    let bytes = fs::read(&path).map_err(|error| messages::compared_build_not_readable(path.display(), error))?;
    let manifest: Option<Manifest> = serde_json::from_slice(&bytes).ok();
    manifest
        .filter(|manifest| manifest.format == FORMAT)
        .ok_or_else(|| messages::compared_build_of_other_version(path.display()))
}

/// The addresses of a build in groups.
#[derive(Default)]
struct Groups<'m> {
    pages: PerLocale<AddressGroup<'m>>,
    documents: AddressGroup<'m>,
    programs: AddressGroup<'m>,
}

impl<'m> Groups<'m> {
    fn of(manifest: &'m Manifest) -> Self {
        let mut groups = Self::default();
        for Route { path, class, axis, variants } in &manifest.routes {
            let [first, ..] = variants.as_slice() else { continue };
            let last = variants.last().unwrap_or(first);
            let group = match class {
                // A twin changes with its page, and the name of an asset contains its digest.
                Class::Twin | Class::Asset => continue,
                Class::Page => groups.pages.of_mut(first.locale.unwrap_or(Locale::DEFAULT)),
                Class::Document => &mut groups.documents,
                _ => &mut groups.programs,
            };
            if *axis == Some(Axis::Locale) {
                group.extend(variants.iter().filter_map(|variant| {
                    let state = AddressState { text: &variant.digest, look: &variant.digest, file: &variant.file };
                    Some((format!("{path}?locale={}", variant.locale?), state))
                }));
            } else {
                group.insert(path.clone(), AddressState { text: &last.digest, look: &first.digest, file: &first.file });
            }
        }
        groups
    }
}

fn changes(old: &AddressGroup, new: &AddressGroup, redirects: &BTreeMap<&str, &str>) -> Changes {
    let mut changes = Changes::default();
    for (path, state) in new {
        match old.get(path) {
            None => changes.added.push(path.clone()),
            Some(before) if before.text != state.text => changes.changed.push(path.clone()),
            Some(before) if before.look != state.look => changes.restyled.push(path.clone()),
            Some(_) => {}
        }
    }
    for path in old.keys().filter(|path| !new.contains_key(*path)) {
        let redirect = redirects.get(path.as_str()).map(|to| (*to).to_owned());
        changes.removed.push(Removed { path: path.clone(), redirect });
    }
    changes
}
