//! Markdown as plain text.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::OPTIONS;

/// The words of a text, for search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plain {
    /// A line a block. What pictures show is part of it; raw HTML is not.
    pub text: String,
    /// Where the headings stand in it.
    pub headings: Vec<Range<usize>>,
}

/// The words of `markdown`.
#[must_use]
pub fn plain(markdown: &str) -> Plain {
    let mut plain = String::with_capacity(markdown.len());
    let mut headings = Vec::new();
    let mut heading_start = 0;
    for event in Parser::new_ext(markdown, OPTIONS) {
        match event {
            Event::Text(words) | Event::Code(words) => plain.push_str(&words),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => plain.push(' '),
            Event::Start(Tag::Heading { .. }) => heading_start = plain.len(),
            Event::End(
                end @ (TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::CodeBlock
                | TagEnd::TableHead
                | TagEnd::TableRow),
            ) => {
                plain.truncate(plain.trim_end().len());
                if matches!(end, TagEnd::Heading(_)) && heading_start < plain.len() {
                    headings.push(heading_start..plain.len());
                }
                plain.push('\n');
            }
            _ => {}
        }
    }
    plain.truncate(plain.trim_end().len());
    Plain { text: plain, headings }
}
