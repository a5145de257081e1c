//! Markdown copied as Markdown, for the twins of the pages.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, RefDefs};

use super::{
    OPTIONS, Targets,
    destination::{self, Written},
    language,
    spans::{Span, Spans},
};

/// Returns the author's bytes with only the destinations replaced: those of inline links and images, and of reference
/// definitions. Autolinks stay, because their destination is their text. Words marked as another language keep only the
/// words, and a link to a document is followed by its type and size.
#[must_use]
pub fn to_twin(text: &str, targets: &dyn Targets) -> String {
    if !text.contains("](") && !text.contains("]:") {
        return text.to_owned();
    }
    let mut events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let mut twin = Twin::new(text, targets, events.reference_definitions());
    for (event, range) in events.by_ref() {
        twin.see(&event, &range);
    }
    twin.finish()
}

/// Returns `text` without the empty lines before it and the blanks after it. Blanks that begin its first line stay:
/// they distinguish code and what is in a list.
#[must_use]
pub fn trimmed(text: &str) -> &str {
    let blank = text.len() - text.trim_start().len();
    let line = text[..blank].rfind('\n').map_or(0, |end| end + 1);
    text[line..].trim_end()
}

/// Returns whether `text` would continue a list of hyphens before it: it begins with a hyphen that makes an item, or
/// with blanks.
#[must_use]
pub fn goes_on_with_list(text: &str) -> bool {
    let text = trimmed(text);
    let behind_hyphen = text.strip_prefix('-');
    text.starts_with([' ', '\t'])
        || behind_hyphen.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// A twin under construction: what is to be replaced is collected while the text is parsed.
pub(super) struct Twin<'t> {
    text: &'t str,
    targets: &'t dyn Targets,
    spans: Spans<'t>,
    edits: Vec<Edit>,
}

struct Edit {
    range: Range<usize>,
    by: By,
}

/// The replacement.
enum By {
    Nothing,
    Destination {
        written: Written,
        destination: String,
    },
    /// Words after the link that ends there.
    Words(String),
}

impl By {
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
        let mut twin = Self { text, targets, spans: Spans::new(text), edits: Vec::new() };
        for (_, definition) in definitions.iter() {
            twin.replace(&definition.dest, |destination| {
                destination::of_definition(text, &definition.span, destination)
            });
        }
        twin
    }

    /// Processes an event.
    pub(super) fn see(&mut self, event: &Event<'t>, range: &Range<usize>) {
        let Some(span) = self.spans.see(event, range) else { return };
        if !span.image && language::of_link(span.form, &span.destination).is_some() {
            self.unmark(&span);
            return;
        }
        if !span.image
            && let Some(document) = self.targets.document(&span.destination)
        {
            self.edits.push(Edit { range: span.end..span.end, by: By::Words(format!(" ({document})")) });
        }
        if span.form == LinkType::Inline {
            let text = self.text;
            self.replace(&span.destination, |destination| {
                destination::of_inline(text, &span.range, span.inner_end, destination)
            });
        }
    }

    /// Writes the twin.
    pub(super) fn finish(mut self) -> String {
        self.edits.sort_unstable_by_key(|edit| edit.range.start);
        let added = self.edits.iter().map(|edit| edit.by.length()).sum::<usize>();
        let mut twin = String::with_capacity(self.text.len() + added);
        let mut done = 0;
        for Edit { range, by } in self.edits {
            twin.push_str(&self.text[done..range.start]);
            match by {
                By::Nothing => {}
                By::Destination { written, destination } => written.write(&destination, &mut twin),
                By::Words(words) => twin.push_str(&words),
            }
            done = range.end;
        }
        twin.push_str(&self.text[done..]);
        twin
    }

    /// Reduces a link that marks words as another language to these words: removes the brackets around them, and what
    /// follows.
    fn unmark(&mut self, span: &Span<'_>) {
        let Some(closing) = self.text.get(span.inner_end..span.end).and_then(|rest| rest.find(']')) else {
            return;
        };
        let (opening, closing) = (span.range.start..span.range.start + 1, span.inner_end + closing..span.end);
        self.edits.extend([opening, closing].map(|range| Edit { range, by: By::Nothing }));
    }

    /// Records what replaces a destination, if anything does and the destination is found.
    fn replace(&mut self, old: &str, find: impl FnOnce(&str) -> Option<Written>) {
        if language::of_words(old).is_none()
            && let Some(destination) = self.targets.resolve(old)
            && destination != old
            && let Some(written) = find(old)
        {
            let range = written.range.clone();
            self.edits.push(Edit { range, by: By::Destination { written, destination } });
        }
    }
}
