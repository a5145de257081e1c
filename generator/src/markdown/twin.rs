//! Markdown as Markdown, for the twins of the pages.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, RefDefs, Tag, TagEnd};

use super::{
    OPTIONS, Targets,
    destination::{self, Written},
    spans::Spans,
};

/// The author's bytes with only the destinations replaced: of inline links and images, and of reference definitions.
/// Autolinks stay, because their destination is their text.
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

/// A twin in the making: what is to be replaced is gathered while the text is parsed.
pub(super) struct Twin<'t> {
    text: &'t str,
    targets: &'t dyn Targets,
    spans: Spans<'t>,
    in_table: bool,
    edits: Vec<Edit>,
}

struct Edit {
    written: Written,
    destination: String,
    in_table: bool,
}

impl<'t> Twin<'t> {
    pub(super) fn new(text: &'t str, targets: &'t dyn Targets, definitions: &RefDefs<'_>) -> Self {
        let mut twin = Self { text, targets, spans: Spans::default(), in_table: false, edits: Vec::new() };
        for (_, definition) in definitions.iter() {
            twin.replace(&definition.dest, |destination| {
                destination::of_definition(text, &definition.span, destination)
            });
        }
        twin
    }

    /// Takes note of an event.
    pub(super) fn see(&mut self, event: &Event<'t>, range: &Range<usize>) {
        match event {
            Event::Start(Tag::Table(_)) => self.in_table = true,
            Event::End(TagEnd::Table) => self.in_table = false,
            _ => {}
        }
        if let Some(span) = self.spans.see(event, range)
            && span.form == LinkType::Inline
        {
            let text = self.text;
            self.replace(&span.destination, |destination| {
                destination::of_inline(text, &span.range, span.inner_end, destination)
            });
        }
    }

    /// Writes the twin.
    pub(super) fn finish(mut self) -> String {
        self.edits.sort_unstable_by_key(|edit| edit.written.range.start);
        let added = self.edits.iter().map(|edit| edit.destination.len()).sum::<usize>();
        let mut twin = String::with_capacity(self.text.len() + added);
        let mut done = 0;
        for edit in self.edits {
            twin.push_str(&self.text[done..edit.written.range.start]);
            edit.written.write(&edit.destination, edit.in_table, &mut twin);
            done = edit.written.range.end;
        }
        twin.push_str(&self.text[done..]);
        twin
    }

    /// Remembers what replaces a destination, if anything does and the place is found.
    fn replace(&mut self, old: &str, find: impl FnOnce(&str) -> Option<Written>) {
        if let Some(destination) = self.targets.resolve(old)
            && destination != old
            && let Some(written) = find(old)
        {
            self.edits.push(Edit { written, destination, in_table: self.in_table });
        }
    }
}
