//! Public addresses that uncommitted or unpushed changes remove.
//!
//! The former state is that of the last commit, or of the upstream branch if there is one.

use std::{
    collections::HashMap,
    fs,
    path::{Component, Path},
};

use content::{Kind, Lines, language_of, split, tidy};
use contract::Locale;
use findings::{Code, Finding, Findings, Place, Span, messages};
use markdown::{AnchoredClause, Clauses, Heading};
use site::{CheckedDraft, KnownFiles, Loading, Site, examine};
use tempfile::TempDir;

use crate::{
    renumbered::{KnownClause, lost_anchors},
    translations::{CommittedTexts, git},
};

/// The most changed files whose anchors are compared.
const MAX_FILES: usize = 500;

/// Finds addresses of entries, lists, files and headings that were public and are not in `site`.
pub fn find_vanished(loading: &Loading, site: &Site) -> Findings {
    let none = || Findings::new(Vec::new(), loading.content.display().to_string(), 0);
    compare(loading, site).unwrap_or_else(none)
}

fn compare(loading: &Loading, site: &Site) -> Option<Findings> {
    let content = loading.content;
    let upstream = git(content, &["rev-parse", "--verify", "--quiet", "@{upstream}"]);
    let base = upstream.map_or_else(|| "HEAD".to_owned(), |base| base.trim().to_owned());
    let names = ["diff", "--name-only", "--diff-filter=MDT", "--no-renames", "--relative", "-z"];
    let changed = git(content, &[&names[..], &[&base, "--", "."]].concat())?;
    let changed: Vec<&str> = changed.split_terminator('\0').collect();
    if changed.is_empty() {
        return None;
    }
    let former = write_former(content, &base)?;
    // A text that did not change is read once.
    let mut known = KnownFiles::with_texts();
    let public = Loading { drafts: false, ..*loading };
    let now = examine(&public, HashMap::new(), &mut known).ok()?;
    let before = examine(&Loading { content: former.path(), ..public }, HashMap::new(), &mut known).ok()?;
    let mut found = now.vanished_since(&before);
    for file in changed.into_iter().take(MAX_FILES) {
        found.extend(find_gone_anchors(loading, site, &before, former.path(), file).unwrap_or_default());
    }
    Some(site::report(&public, &now.folder, found, 0))
}

/// Writes the content of a commit to a temporary folder: its texts, and an empty file for each picture and document,
/// whose names are enough.
fn write_former(content: &Path, base: &str) -> Option<TempDir> {
    let listed = git(content, &["ls-tree", "-r", "-z", "--name-only", base, "."])?;
    let folder = tempfile::tempdir().ok()?;
    let mut texts = CommittedTexts::new(content);
    for file in listed.split_terminator('\0') {
        // Security: a name in a commit must not lead out of the folder.
        if !Path::new(file).components().all(|part| matches!(part, Component::Normal(_))) {
            continue;
        }
        let is_text = [".md", ".toml"].iter().any(|ending| file.ends_with(ending));
        let text = if is_text { texts.at(base, file).unwrap_or_default() } else { String::new() };
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent()?).ok()?;
        fs::write(path, text).ok()?;
    }
    Some(folder)
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
            None => match span(anchor) {
                Some(span) => (Place::new(file, span), messages::clause_anchor_taken(anchor, address)),
                None => (Place::file(file), messages::anchor_gone(anchor, address)),
            },
        };
        Finding::new(Code::ANCHOR_GONE, place, message).help(messages::clause_anchor_help())
    };
    lost.map(finding).collect()
}

/// Returns findings for the anchors of a public text that are gone, or lead to another section.
fn find_gone_anchors(
    loading: &Loading,
    site: &Site,
    before: &CheckedDraft,
    former: &Path,
    file: &str,
) -> Option<Vec<Finding>> {
    let parts: Vec<&str> = file.split('/').collect();
    let [kind, key, name] = parts[..] else { return None };
    Kind::parse(kind)?;
    let locale = language_of(name, key)?;
    let before = before.is_public(file).then(|| fs::read_to_string(former.join(file)).ok())??;
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
