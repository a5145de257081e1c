//! Public addresses that uncommitted or unpushed changes remove.
//!
//! The former address is that of the last commit, or of the upstream branch if there is one.

use std::{
    collections::{BTreeSet, HashSet},
    fs,
};

use content::{Head, Kind, Lines, Values, language_of, read_entry, split, tidy};
use contract::{Locale, routes};
use findings::{Code, Finding, Findings, Place, Span, messages};
use jiff::Timestamp;
use markdown::{AnchoredClause, Clauses, Heading, is_document};
use site::{Loading, PageKind, Site};

use crate::{
    renumbered::{KnownClause, lost_anchors},
    translations::git,
};

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
        let anchors = changed.iter().flat_map(|file| find_gone_anchors(loading, site, &base, file).unwrap_or_default());
        Some(gone.chain(documents).chain(anchors).collect::<Vec<_>>())
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

/// A heading with the beginning of its section.
struct SectionOpening {
    id: String,
    has_own_anchor: bool,
    /// The line, without a written anchor.
    heading: String,
    span: Span,
    opening: String,
}

/// Returns the sections of a text, and the place of each heading in its file.
fn sections(text: &str, file: &str, locale: Locale) -> Option<Vec<SectionOpening>> {
    /// Characters that distinguish the sections of a text.
    const OPENING: usize = 80;

    let text = tidy(text);
    let parts = split(&text, file).ok()?;
    let clauses = Clauses::read(parts.body);
    let lines = Lines::of(&text);
    let headings = markdown::survey(&clauses.text, locale).headings;
    let section = |heading: Heading| {
        let (line, rest) =
            clauses.text[heading.offset..].split_once('\n').unwrap_or((&clauses.text[heading.offset..], ""));
        let words =
            if heading.written.is_some() { line.rsplit_once('{').map_or(line, |(words, _)| words) } else { line };
        let start = parts.body_start + clauses.origin(heading.offset..heading.offset).start;
        SectionOpening {
            span: lines.span(&text, start..start + line.trim_end().len()),
            heading: words.trim_end().to_owned(),
            has_own_anchor: heading.written.is_some(),
            opening: rest
                .trim_start()
                .split("\n\n")
                .next()
                .unwrap_or_default()
                .trim_end()
                .chars()
                .take(OPENING)
                .collect(),
            id: heading.id,
        }
    };
    Some(headings.into_iter().map(section).collect())
}

/// Returns whether two sections begin with the same words below their headings.
fn is_same_text(one: &SectionOpening, other: &SectionOpening) -> bool {
    one.opening == other.opening && !one.opening.is_empty()
}

/// The articles and clauses of a text.
struct TextClauses {
    /// Each with its anchor, its words and its line.
    all: Vec<(String, String, Span)>,
}

impl TextClauses {
    fn of(text: &str, file: &str, locale: Locale) -> Option<Self> {
        let text = tidy(text);
        let parts = split(&text, file).ok()?;
        let clauses = Clauses::read(parts.body);
        let lines = Lines::of(&text);
        let headings = markdown::survey(&clauses.text, locale).headings;
        let clause = |clause: AnchoredClause| {
            let line = clauses.text[clause.offset..].lines().next().unwrap_or_default();
            let words = clauses.text.get(clause.words..clause.offset + line.len()).unwrap_or(line);
            let words = words.trim_matches([')', '.', '-', '–', '*', '_', '\\', ' ']).to_owned();
            let range = clauses.origin(clause.offset..clause.offset + line.trim_end_matches('\\').len());
            let span = lines.span(&text, range.start + parts.body_start..range.end + parts.body_start);
            (clause.anchor, words, span)
        };
        Some(Self { all: clauses.anchored(&headings, locale).into_iter().map(clause).collect() })
    }

    fn known(&self) -> Vec<KnownClause<'_>> {
        self.all.iter().map(|(anchor, words, _)| KnownClause { anchor, words }).collect()
    }
}

/// Returns findings for the anchors of articles and clauses of a public text that are gone, or lead to another clause.
/// Those below a heading whose anchor is gone are kept with it.
fn find_gone_clauses(
    (old, new): (&TextClauses, &TextClauses),
    gone: &[&str],
    file: &str,
    address: &str,
) -> Vec<Finding> {
    let (before, now) = (old.known(), new.known());
    let is_kept = |anchor: &str| !gone.iter().any(|heading| anchor.split('.').next() == Some(heading));
    let lost = lost_anchors(&before, &now).into_iter().filter(|(anchor, _)| is_kept(anchor));
    let finding = |(anchor, target): (&str, Option<&str>)| {
        let span = |target: &str| new.all.iter().find(|(anchor, ..)| anchor == target).map(|(.., span)| *span);
        let is_there = now.iter().any(|clause| clause.anchor == anchor);
        let (place, message) = match target.and_then(|target| Some((target, span(target)?))) {
            Some((target, span)) if is_there => {
                (Place::new(file, span), messages::clause_anchor_moved(anchor, address, target))
            }
            Some((target, span)) => (Place::new(file, span), messages::clause_anchor_renamed(anchor, address, target)),
            None => (Place::file(file), messages::anchor_gone(anchor, address)),
        };
        Finding::new(Code::ANCHOR_GONE, place, message).help(messages::clause_anchor_help())
    };
    lost.map(finding).collect()
}

/// Returns findings for the anchors of a public text that are gone, or lead to another section.
fn find_gone_anchors(loading: &Loading, site: &Site, base: &str, file: &str) -> Option<Vec<Finding>> {
    let parts: Vec<&str> = file.split('/').collect();
    let [kind, key, name] = parts[..] else { return None };
    let (kind, locale) = (Kind::of_folder(kind)?, language_of(name, key)?);
    let before = git(loading.content, &["show", &format!("{base}:./{file}")])?;
    public_slug(&head((kind, key, locale), &before, file)?, loading.now)?;
    let now = fs::read_to_string(loading.content.join(file)).ok()?;
    let mut documents = site.content[locale].documents();
    let address = documents.find(|(_, document, _)| document.origin.file == file)?.1.path.clone();
    let (old, new) = (sections(&before, file, locale)?, sections(&now, file, locale)?);
    let is_known = |id: &str| old.iter().any(|section| section.id == id);
    let mut findings = Vec::new();
    for (at, section) in old.iter().enumerate() {
        let id = &section.id;
        let now = new.iter().position(|other| other.id == *id);
        let is_same = |other: &&SectionOpening| is_same_text(section, other);
        let finding = |target: Option<&SectionOpening>, message| match target {
            Some(target) => Finding::new(Code::ANCHOR_GONE, Place::new(file, target.span), message)
                .help(messages::anchor_gone_help(&target.heading, id)),
            None => Finding::new(Code::ANCHOR_GONE, Place::file(file), message)
                .help(messages::anchor_gone_elsewhere_help(id)),
        };
        if let Some(now) = now {
            let moved = new.iter().filter(is_same).find(|other| other.id != *id && other.heading == section.heading);
            if let Some(target) = moved.filter(|target| !is_same(&&new[now]) && !target.has_own_anchor) {
                findings.push(finding(Some(target), messages::anchor_moved(id, &address)));
            }
            continue;
        }
        // The heading that took its place: the one with its text, or the first new one behind the same heading.
        let is_free = |other: &&SectionOpening| !is_known(&other.id) && !other.has_own_anchor;
        let above = old[..at].iter().rev().find_map(|above| new.iter().position(|other| other.id == above.id));
        let mut behind = new.iter().skip(above.map_or(0, |above| above + 1));
        let is_new =
            |other: &&SectionOpening| is_free(other) && !old.iter().any(|section| is_same_text(section, other));
        let target = new.iter().filter(is_free).find(is_same).or_else(|| behind.next().filter(is_new));
        findings.push(finding(target, messages::anchor_gone(id, &address)));
    }
    let gone: Vec<&str> =
        old.iter().map(|section| section.id.as_str()).filter(|id| !new.iter().any(|other| other.id == **id)).collect();
    let clauses = (TextClauses::of(&before, file, locale)?, TextClauses::of(&now, file, locale)?);
    findings.extend(find_gone_clauses((&clauses.0, &clauses.1), &gone, file, &address));
    Some(findings)
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
