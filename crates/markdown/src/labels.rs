//! Prefixes the labels of footnotes and references, so that those of joined texts do not collide.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::{
    OPTIONS,
    spans::{LinkSpan, OpenSpans},
    survey::Definitions,
};

/// Blanks around a label, which the parser ignores.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns `text` with `owner` before each label of a footnote or a reference: with `3-`, `[^1]` becomes `[^3-1]`.
/// Without it, a label in two joined texts would refer to the definition in the first one. `owner` ends with a mark
/// that occurs nowhere else in it, so that no owner begins with another.
pub fn with_own_labels(text: &str, owner: &str) -> String {
    if !text.contains("]:") {
        return text.to_owned();
    }
    let mut edits = Vec::new();
    let mut spans = OpenSpans::new(text);
    let mut definitions = Definitions::new(text);
    let mut events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    for (event, range) in events.by_ref() {
        definitions.process(&event, &range);
        if let Event::FootnoteReference(_) | Event::Start(Tag::FootnoteDefinition(_)) = event {
            edits.push((range.start + "[^".len(), owner.to_owned()));
        }
        edits.extend(spans.process(&event, &range).and_then(|span| reference(text, &span, owner)));
    }
    let starts = definitions.starts(events.reference_definitions());
    edits.extend(starts.into_iter().map(|start| (behind_blanks(text, start + "[".len()), owner.to_owned())));
    edits.sort_unstable();
    let mut whole = String::with_capacity(text.len() + edits.iter().map(|(_, added)| added.len()).sum::<usize>());
    let mut done = 0;
    for (at, added) in edits {
        whole.push_str(&text[done..at]);
        whole.push_str(&added);
        done = at;
    }
    whole.push_str(&text[done..]);
    whole
}

/// Returns the addition to a reference and its position: `[label]` and `[label][]` keep their words.
fn reference(text: &str, span: &LinkSpan<'_>, owner: &str) -> Option<(usize, String)> {
    let Range { start, end } = span.range;
    match span.form {
        LinkType::Reference => {
            let label = span.inner_end + text.get(span.inner_end..end)?.find('[')? + "[".len();
            Some((behind_blanks(text, label), owner.to_owned()))
        }
        LinkType::Collapsed | LinkType::Shortcut => {
            let words = start + usize::from(span.image) + "[".len();
            let label = text.get(words..end - "]".len())?.trim_matches(BLANKS);
            Some(if span.form == LinkType::Collapsed {
                (span.end - "]".len(), format!("{owner}{label}"))
            } else {
                (end, format!("[{owner}{label}]"))
            })
        }
        _ => None,
    }
}

/// Skips the blanks before a label.
fn behind_blanks(text: &str, at: usize) -> usize {
    at + text[at..].find(|letter| !BLANKS.contains(&letter)).unwrap_or_default()
}
