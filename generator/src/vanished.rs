//! Public addresses that uncommitted or unpushed changes remove.
//!
//! The former address is that of the last commit, or of the upstream branch if there is one.

use std::{
    collections::{BTreeSet, HashSet},
    fs,
};

use content::{Head, Kind, Values, language_of, read_entry, split, tidy};
use contract::{Locale, routes};
use findings::{Code, Finding, Findings, Place, messages};
use jiff::Timestamp;
use markdown::is_document;
use site::{Loading, PageKind, Site};

use crate::translations::git;

const MAX_FILES: usize = 500;

/// Finds addresses of entries that were public and do not exist in `site`.
#[must_use]
pub fn find_vanished(loading: &Loading, site: &Site) -> Findings {
    let content = loading.content;
    let find = || {
        let upstream = git(content, &["rev-parse", "--verify", "--quiet", "@{upstream}"]);
        let base = upstream.map_or_else(|| "HEAD".to_owned(), |base| base.trim().to_owned());
        let names =
            ["-c", "core.quotePath=false", "diff", "--name-only", "--diff-filter=MD", "--no-renames", "--relative"];
        let changed = git(content, &[&names[..], &[&base, "--", "."]].concat())?;
        let known: HashSet<&str> = addresses(site).collect();
        let changed: Vec<&str> = changed.lines().take(MAX_FILES).collect();
        // A field in the file of one language may withdraw the text of the other as well.
        let folders: BTreeSet<&str> = changed.iter().filter_map(|file| entry_folder(file)).collect();
        let mut files = BTreeSet::new();
        for folder in folders {
            let listed = git(content, &["ls-tree", "--name-only", &base, &format!("./{folder}")]).unwrap_or_default();
            files.extend(listed.lines().filter(|file| file.ends_with(".md")).map(str::to_owned));
        }
        let gone = files.iter().filter_map(|file| find_gone(loading, site, &known, &base, file));
        let documents = changed.iter().filter_map(|file| find_gone_document(loading, site, &base, file));
        Some(gone.chain(documents).collect::<Vec<_>>())
    };
    Findings::new(find().unwrap_or_default(), content.display().to_string(), 0)
}

/// Returns every current and former address of an entry.
fn addresses(site: &Site) -> impl Iterator<Item = &str> {
    let documents = site.content.iter().flat_map(|(_, content)| content.documents());
    documents.flat_map(|(_, document, _)| {
        let former = document.aliases.iter().chain(&document.former_addresses);
        std::iter::once(document.path.as_str()).chain(former.map(String::as_str))
    })
}

/// Returns the folder of an entry, with a slash at its end.
fn entry_folder(file: &str) -> Option<&str> {
    let (folder, _) = file.rsplit_once('/')?;
    folder.contains('/').then(|| &file[..=folder.len()])
}

/// Returns a finding if a document that a text linked to is no longer published.
fn find_gone_document(loading: &Loading, site: &Site, base: &str, file: &str) -> Option<Finding> {
    let (folder, name) = file.rsplit_once('/').filter(|(_, name)| is_document(name))?;
    let address = format!("{}/{name}", routes::DOCUMENTS);
    if loading.content.join(file).exists() || site.files.iter().any(|published| published.path == address) {
        return None;
    }
    git(loading.content, &["grep", "--quiet", "--fixed-strings", name, base, "--", folder])?;
    let finding = Finding::new(Code::ADDRESS_GONE, Place::file(file), messages::address_gone(address));
    Some(finding.help(messages::address_of_file_gone_help(name)))
}

/// Returns a finding if a file had a public address that does not exist any more.
fn find_gone(loading: &Loading, site: &Site, known: &HashSet<&str>, base: &str, file: &str) -> Option<Finding> {
    let parts: Vec<&str> = file.split('/').collect();
    let [kind, key, name] = parts[..] else { return None };
    let (kind, locale) = (Kind::of_folder(kind)?, language_of(name, key)?);
    let before = git(loading.content, &["show", &format!("{base}:./{file}")])?;
    let slug = public_slug(&head((kind, key, locale), &before, file)?, loading.now)?;
    let section = kind.list_page().and_then(|page| site.page(locale, PageKind::of(page)));
    let address = match (kind, section) {
        (Kind::Pages, _) => format!("/{locale}/{slug}"),
        (_, Some(section)) => format!("{}/{slug}", section.document.path),
        _ => return None,
    };
    if known.contains(address.as_str()) {
        return None;
    }
    let message = messages::address_gone(address);
    let now = fs::read_to_string(loading.content.join(file)).ok();
    let now = now.and_then(|text| head((kind, key, locale), &text, file)).map(|(head, _)| head);
    Some(match now.and_then(|head| Some((head.slug?, head.aliases))) {
        // The text stays but is not public any more. Its own slug cannot redirect to it, nor be a former one elsewhere.
        Some((slug_now, _)) if slug_now.value.as_str() == slug => {
            Finding::new(Code::ADDRESS_GONE, Place::new(file, slug_now.span), message)
                .help(messages::address_withdrawn_help(slug))
        }
        Some((slug_now, aliases)) => {
            let finding = Finding::new(Code::ADDRESS_GONE, Place::new(file, slug_now.span), message);
            finding.help(if aliases.is_empty() {
                messages::address_gone_help(slug)
            } else {
                messages::address_gone_more_help(slug)
            })
        }
        None => Finding::new(Code::ADDRESS_GONE, Place::file(file), message)
            .help(messages::address_gone_elsewhere_help(slug)),
    })
}

fn head((kind, key, locale): (Kind, &str, Locale), text: &str, file: &str) -> Option<(Head, Values)> {
    let text = tidy(text);
    let parts = split(&text, file).ok()?;
    let values = read_entry((kind, key, locale), parts.fields, file).values;
    Some((Head::of(kind, &values), values))
}

/// Returns the slug of an entry if the entry is public.
fn public_slug((head, values): &(Head, Values), now: Timestamp) -> Option<String> {
    let time = |name| values.get::<Timestamp>(name).map(|at| at.value);
    let is_draft = values.get("draft").is_some_and(|draft| draft.value);
    if is_draft || time("publish").is_some_and(|at| at > now) || time("expires").is_some_and(|at| at <= now) {
        return None;
    }
    head.slug.as_ref().map(|slug| slug.value.as_str().to_owned())
}
