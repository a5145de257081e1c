//! Markdown as Markdown, for the twins of the pages.

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

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
    let edits = edits(text, targets);
    let mut twin = String::with_capacity(text.len() + edits.iter().map(|edit| edit.destination.len()).sum::<usize>());
    let mut done = 0;
    for edit in edits {
        twin.push_str(&text[done..edit.written.range.start]);
        edit.written.write(&edit.destination, edit.in_table, &mut twin);
        done = edit.written.range.end;
    }
    twin.push_str(&text[done..]);
    twin
}

struct Edit {
    written: Written,
    destination: String,
    in_table: bool,
}

/// What is to be replaced, in order of place.
fn edits(text: &str, targets: &dyn Targets) -> Vec<Edit> {
    let resolve = |written: &str| targets.resolve(written).filter(|resolved| resolved != written);
    let mut edits = Vec::new();
    let mut in_table = false;
    let mut spans = Spans::default();
    let mut events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    for (_, definition) in events.reference_definitions().iter() {
        if let Some(destination) = resolve(&definition.dest)
            && let Some(written) = destination::of_definition(text, &definition.span, &definition.dest)
        {
            edits.push(Edit { written, destination, in_table: false });
        }
    }
    for (event, range) in events.by_ref() {
        match event {
            Event::Start(Tag::Table(_)) => in_table = true,
            Event::End(TagEnd::Table) => in_table = false,
            _ => {}
        }
        if let Some(span) = spans.see(&event, &range)
            && span.form == LinkType::Inline
            && let Some(destination) = resolve(&span.destination)
            && let Some(written) = destination::of_inline(text, &span.range, span.inner_end, &span.destination)
        {
            edits.push(Edit { written, destination, in_table });
        }
    }
    edits.sort_unstable_by_key(|edit| edit.written.range.start);
    edits
}
