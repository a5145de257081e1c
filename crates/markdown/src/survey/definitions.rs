//! Definitions of references: unused and repeated ones.
//!
//! The parser reports only the first definition of a label. So all lines that look like definitions are collected
//! first; a line that is not part of any block or piece of text is a definition.

use std::{
    collections::{BTreeSet, HashSet},
    ops::Range,
};

use memchr::{memchr, memmem, memrchr};
use pulldown_cmark::{Event, LinkType, RefDefs, Tag};

use super::{Link, Note, definition_range, lines::line_from};
use crate::{Heading, spans::LinkSpan};

/// Bytes of the longest label (`CommonMark`, 4.7).
const MAX_NAME_BYTES: usize = 999;

#[derive(Debug, Default)]
pub(crate) struct Definitions<'t> {
    /// Lines that look like definitions, in order: start and label.
    lines: Vec<(usize, &'t str)>,
    /// The number of lines before the current event.
    passed: usize,
    /// Lines that are definitions.
    found: Vec<(usize, &'t str)>,
    /// Starts of the definitions that links and pictures refer to.
    used: HashSet<usize>,
}

pub(super) struct DefinitionFaults {
    pub(super) repeated: Vec<Note>,
    /// Destinations of unused definitions.
    pub(super) unused: Vec<Link>,
    /// Unused definitions that contain words or lead nowhere.
    pub(super) hidden: Vec<Range<usize>>,
}

impl<'t> Definitions<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { lines: find_candidates(text), ..Self::default() }
    }

    /// Processes an event: lines within its range are not definitions.
    pub(crate) fn process(&mut self, event: &Event<'_>, range: &Range<usize>) {
        use Tag::{BlockQuote, FootnoteDefinition, Item, List};
        if self.passed == self.lines.len()
            || matches!(event, Event::End(_) | Event::Start(BlockQuote(_) | FootnoteDefinition(_) | Item | List(_)))
        {
            return;
        }
        while let Some(line) = self.lines.get(self.passed).filter(|(start, _)| *start < range.end) {
            if line.0 < range.start {
                self.found.push(*line);
            }
            self.passed += 1;
        }
    }

    pub(super) fn close(&mut self, span: &LinkSpan<'_>, definitions: &RefDefs<'_>) {
        if matches!(span.form, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut) {
            self.used.extend(definitions.get(&span.label).map(|definition| definition.span.start));
        }
    }

    pub(super) fn finish(mut self, text: &str, definitions: &RefDefs<'_>, headings: &[Heading]) -> DefinitionFaults {
        self.found.extend(&self.lines[self.passed..]);
        let hidden = self.hidden(text, definitions, headings);
        let repeated = self.found.into_iter().filter(|(start, label)| {
            definitions.get(label).is_some_and(|first| {
                let differs = written_destination(&text[*start..]) != Some(&first.dest);
                first.span.start != *start && leads_somewhere(&first.dest) && differs
            })
        });
        let repeated =
            repeated.map(|(start, label)| Note { label: label.to_owned(), range: start..start + label.len() + 2 });
        let unused = definitions
            .iter()
            .filter(|(_, definition)| leads_somewhere(&definition.dest) && !self.used.contains(&definition.span.start));
        let mut unused: Vec<Link> = unused
            .map(|(label, definition)| Link {
                destination: definition.dest.to_string(),
                range: definition_range(text, &definition.span, &definition.dest)
                    .unwrap_or_else(|| definition.span.clone()),
                text: label.to_owned(),
            })
            .collect();
        unused.sort_unstable_by_key(|link| link.range.start);
        DefinitionFaults { repeated: repeated.collect(), unused, hidden }
    }

    /// Returns the unused definitions that hold words, repeated ones included: authors write `[//]: # (…)` and
    /// `[note]: <> (…)` as comments. An unused definition with only a destination is left over from a link.
    fn hidden(&self, text: &str, definitions: &RefDefs<'_>, headings: &[Heading]) -> Vec<Range<usize>> {
        let anchors: HashSet<&str> = headings.iter().map(|heading| heading.id.as_str()).collect();
        let is_anchor = |destination: &str| destination.strip_prefix('#').is_some_and(|id| anchors.contains(id));
        let unused = definitions.iter().map(|(_, first)| first).filter(|first| {
            let only_holds_words = first.title.is_some() || !(leads_somewhere(&first.dest) || is_anchor(&first.dest));
            only_holds_words && !self.used.contains(&first.span.start)
        });
        let mut hidden: Vec<_> = unused.map(|first| first.span.clone()).collect();
        let firsts: HashSet<usize> = hidden.iter().map(|range| range.start).collect();
        let further = self.found.iter().filter(|(start, label)| {
            definitions.get(label).is_some_and(|first| firsts.contains(&first.span.start) && !firsts.contains(start))
        });
        hidden.extend(further.map(|(start, _)| *start..*start + line_from(text, *start).len()));
        hidden.sort_unstable_by_key(|range| range.start);
        hidden
    }

    /// Returns the starts of all definitions, repeated ones included.
    pub(crate) fn starts(self, definitions: &RefDefs<'_>) -> BTreeSet<usize> {
        let firsts = definitions.iter().map(|(_, definition)| definition.span.start);
        let others = self.found.iter().chain(&self.lines[self.passed..]).map(|(start, _)| *start);
        firsts.chain(others).collect()
    }
}

/// Returns whether a destination is neither empty nor an anchor.
fn leads_somewhere(destination: &str) -> bool {
    !destination.is_empty() && !destination.starts_with('#')
}

/// Returns the lines that look like definitions of references, in any block.
fn find_candidates(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    // The end of the last examined line.
    let mut done = 0;
    for at in memmem::find_iter(bytes, b"]:") {
        if at < done {
            continue;
        }
        let line_start = done + memrchr(b'\n', &bytes[done..at]).map_or(0, |before| before + 1);
        done = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
        let line = &text[line_start..done];
        let label = line.trim_start_matches(|mark: char| " \t>-+*.)".contains(mark) || mark.is_ascii_digit());
        lines.extend(name(label).map(|name| (done - label.len(), name)));
    }
    lines
}

/// Returns the label in `[label]: destination`.
fn name(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('[').filter(|inside| !inside.starts_with('^'))?;
    let mut escaped = false;
    let end = inside.bytes().take(MAX_NAME_BYTES + 1).position(|byte| {
        let ends = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    inside[end..].starts_with("]:").then_some(&inside[..end])
}

/// Returns the destination of the definition at the start of `text`, as written.
fn written_destination(text: &str) -> Option<&str> {
    let (_, rest) = text.lines().next()?.split_once("]:")?;
    Some(rest.split_whitespace().next()?.trim_start_matches('<').trim_end_matches('>'))
}
