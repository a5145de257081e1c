//! Markdown as plain text.

use pulldown_cmark::{Event, Parser, TagEnd};

use super::OPTIONS;

/// The words of `text`, a line a block, for search and estimates. What pictures show is part of it; raw HTML is not.
#[must_use]
pub fn plain_text(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for event in Parser::new_ext(text, OPTIONS) {
        match event {
            Event::Text(words) | Event::Code(words) => plain.push_str(&words),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => plain.push(' '),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::CodeBlock
                | TagEnd::TableHead
                | TagEnd::TableRow,
            ) => {
                plain.truncate(plain.trim_end().len());
                plain.push('\n');
            }
            _ => {}
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}
