//! The Markdown twin of a text.

use std::ops::Range;

use contract::Locale;
use pulldown_cmark::{Event, LinkType, Parser, RefDefs, Tag};

use super::{
    OPTIONS, Targets,
    clauses::Clauses,
    destination::{self, WrittenDestination},
    language,
    numbering::count_nested,
    spans::{LinkSpan, OpenSpans},
};

/// Returns the author's bytes with the destinations of inline links, images and reference definitions replaced, and
/// with [`Clauses`] in lines of their own.
/// Autolinks stay, because their destination is their text. Of words marked as another language only the words stay,
/// and the type and size of a document follow the link to it.
pub fn to_twin(text: &str, locale: Locale, targets: &dyn Targets) -> String {
    let clauses = count_nested(Clauses::read(text), targets.numbering(), locale);
    let text = &*clauses.text;
    if !text.contains("](") && !text.contains("]:") && !text.contains("{#") {
        return text.to_owned();
    }
    let mut events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let mut twin = Twin::new(text, targets, events.reference_definitions());
    for (event, range) in events.by_ref() {
        twin.process(&event, &range);
    }
    twin.finish()
}

/// Returns `text` without the empty lines before it and the blanks after it. The indentation of the first line stays:
/// it distinguishes code and items of a list.
pub fn trimmed(text: &str) -> &str {
    let blank = text.len() - text.trim_start().len();
    let line = text[..blank].rfind('\n').map_or(0, |end| end + 1);
    text[line..].trim_end()
}

/// Returns whether `text` would continue a list of hyphens before it: it begins with the hyphen of an item or with
/// blanks.
pub fn goes_on_with_list(text: &str) -> bool {
    let text = trimmed(text);
    let behind_hyphen = text.strip_prefix('-');
    text.starts_with([' ', '\t'])
        || behind_hyphen.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// A twin under construction. The replacements are collected while the text is parsed.
pub(super) struct Twin<'t> {
    text: &'t str,
    targets: &'t dyn Targets,
    spans: OpenSpans<'t>,
    edits: Vec<TwinEdit>,
}

struct TwinEdit {
    range: Range<usize>,
    by: Replacement,
}

enum Replacement {
    Nothing,
    Destination {
        written: WrittenDestination,
        destination: String,
    },
    /// Words after a link.
    Words(String),
}

impl Replacement {
    /// Returns the approximate length of the replacement, in bytes.
    fn length(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Destination { destination, .. } => destination.len(),
            Self::Words(words) => words.len(),
        }
    }
}

impl<'t> Twin<'t> {
    pub(super) fn new(text: &'t str, targets: &'t dyn Targets, definitions: &RefDefs<'_>) -> Self {
        let mut twin = Self { text, targets, spans: OpenSpans::new(text), edits: Vec::new() };
        for (_, definition) in definitions.iter() {
            twin.replace(&definition.dest, |destination| {
                destination::of_definition(text, &definition.span, destination)
            });
        }
        twin
    }

    pub(super) fn process(&mut self, event: &Event<'t>, range: &Range<usize>) {
        if let Event::Start(Tag::Heading { id: Some(_), .. }) = event {
            self.remove_anchor(range);
        }
        let Some(span) = self.spans.process(event, range) else { return };
        if !span.image && language::of_link(span.form, &span.destination).is_some() {
            self.unmark(&span);
            return;
        }
        if !span.image
            && let Some(document) = self.targets.document(&span.destination)
        {
            self.edits.push(TwinEdit { range: span.end..span.end, by: Replacement::Words(format!(" ({document})")) });
        }
        if span.form == LinkType::Inline {
            let text = self.text;
            self.replace(&span.destination, |destination| {
                destination::of_inline(text, &span.range, span.inner_end, destination)
            });
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.edits.sort_unstable_by_key(|edit| edit.range.start);
        let added = self.edits.iter().map(|edit| edit.by.length()).sum::<usize>();
        let mut twin = String::with_capacity(self.text.len() + added);
        let mut done = 0;
        for TwinEdit { range, by } in self.edits {
            twin.push_str(&self.text[done..range.start]);
            match by {
                Replacement::Nothing => {}
                Replacement::Destination { written, destination } => written.write(&destination, &mut twin),
                Replacement::Words(words) => twin.push_str(&words),
            }
            done = range.end;
        }
        twin.push_str(&self.text[done..]);
        twin
    }

    /// Removes the anchor behind a heading, which other programs show as text.
    fn remove_anchor(&mut self, heading: &Range<usize>) {
        let line = self.text[heading.clone()].lines().next().unwrap_or_default();
        let Some(words) = line.rfind('{').map(|at| line[..at].trim_end()) else { return };
        let range = heading.start + words.len()..heading.start + line.trim_end().len();
        self.edits.push(TwinEdit { range, by: Replacement::Nothing });
    }

    /// Reduces a link that marks words as another language to these words, by removing the brackets and the
    /// destination.
    fn unmark(&mut self, span: &LinkSpan<'_>) {
        let Some(closing) = self.text.get(span.inner_end..span.end).and_then(|rest| rest.find(']')) else {
            return;
        };
        let (opening, closing) = (span.range.start..span.range.start + 1, span.inner_end + closing..span.end);
        self.edits.extend([opening, closing].map(|range| TwinEdit { range, by: Replacement::Nothing }));
    }

    /// Records the replacement of a destination, if it resolves to another one and is found in the text.
    fn replace(&mut self, old: &str, find: impl FnOnce(&str) -> Option<WrittenDestination>) {
        if language::of_words(old).is_none()
            && let Some(destination) = self.targets.resolve(old)
            && destination != old
            && let Some(written) = find(old)
        {
            let range = written.range.clone();
            self.edits.push(TwinEdit { range, by: Replacement::Destination { written, destination } });
        }
    }
}
