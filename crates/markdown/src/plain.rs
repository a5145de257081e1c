//! Markdown as plain text.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{OPTIONS, is_line_break};

/// The plain text of a page, for search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plain {
    /// One line for each block. The descriptions of pictures are included; raw HTML is not.
    pub text: String,
    /// Ranges of the headings in `text`.
    pub headings: Vec<Range<usize>>,
    /// Ranges in `text` of the paragraphs outside of lists, quotations and notes that have words besides pictures.
    pub paragraphs: Vec<Range<usize>>,
}

impl Plain {
    /// Returns the beginning of the first paragraph, as long as search results show; `None` without a paragraph.
    pub fn opening(&self) -> Option<String> {
        /// Characters of a description in search results.
        const SHOWN: usize = 160;

        let first = self.text.get(self.paragraphs.first()?.clone())?;
        let Some((end, _)) = first.char_indices().nth(SHOWN) else { return Some(first.to_owned()) };
        let cut = first[..end].rfind(' ').unwrap_or(end);
        Some(format!("{}…", first[..cut].trim_end_matches([',', ';', ':', '.', ' '])))
    }
}

/// Converts `markdown` to plain text.
pub fn plain(markdown: &str) -> Plain {
    let mut writer = PlainWriter::new(markdown);
    for event in Parser::new_ext(markdown, OPTIONS) {
        writer.process(&event);
    }
    writer.finish()
}

/// Plain text under construction.
pub(super) struct PlainWriter {
    plain: Plain,
    heading_start: usize,
    paragraph_start: usize,
    /// The current paragraph has words besides the descriptions of pictures.
    has_words: bool,
    /// Open pictures.
    images: usize,
    /// Open lists, quotations and notes.
    depth: usize,
}

impl PlainWriter {
    pub(super) fn new(markdown: &str) -> Self {
        let plain = Plain { text: String::with_capacity(markdown.len()), ..Plain::default() };
        Self { plain, heading_start: 0, paragraph_start: 0, has_words: false, images: 0, depth: 0 }
    }

    pub(super) fn process(&mut self, event: &Event<'_>) {
        let Plain { text, headings, paragraphs } = &mut self.plain;
        match event {
            Event::Start(Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => self.depth += 1,
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition) => self.depth -= 1,
            Event::Start(Tag::Paragraph) => (self.paragraph_start, self.has_words) = (text.len(), false),
            Event::Start(Tag::Image { .. }) => self.images += 1,
            Event::End(TagEnd::Image) => self.images -= 1,
            Event::Text(words) | Event::Code(words) if self.images == 0 => self.has_words |= !words.trim().is_empty(),
            _ => {}
        }
        match event {
            Event::Text(words) | Event::Code(words) => text.push_str(words),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => text.push(' '),
            Event::InlineHtml(html) if is_line_break(html) => text.push(' '),
            Event::Start(
                tag @ (Tag::Heading { .. }
                | Tag::List(_)
                | Tag::CodeBlock(_)
                | Tag::BlockQuote(_)
                | Tag::Table(_)
                | Tag::HtmlBlock
                | Tag::FootnoteDefinition(_)),
            ) => {
                end_line(text);
                if matches!(tag, Tag::Heading { .. }) {
                    self.heading_start = text.len();
                }
            }
            Event::Rule => end_line(text),
            Event::End(
                end @ (TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::CodeBlock
                | TagEnd::TableHead
                | TagEnd::TableRow),
            ) => {
                text.truncate(text.trim_end().len());
                if matches!(end, TagEnd::Heading(_)) && self.heading_start < text.len() {
                    headings.push(self.heading_start..text.len());
                }
                if matches!(end, TagEnd::Paragraph) && self.depth == 0 && self.has_words {
                    paragraphs.push(self.paragraph_start..text.len());
                }
                text.push('\n');
            }
            _ => {}
        }
    }

    /// Returns the plain text without white space at its end.
    pub(super) fn finish(mut self) -> Plain {
        self.plain.text.truncate(self.plain.text.trim_end().len());
        self.plain
    }
}

/// Ends the line before a block. The text of a tight item is not a paragraph, so no event reports its end.
fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening_of(markdown: &str) -> Option<String> {
        plain(markdown).opening()
    }

    #[test]
    fn opening_is_the_beginning_of_the_first_paragraph() {
        let short = "A recipe, a customer *list*, a set of [process](x) parameters: worth something.";
        assert_eq!(
            opening_of(&format!("{short}\n\nMore.")).as_deref(),
            Some("A recipe, a customer list, a set of process parameters: worth something.")
        );
        let long = opening_of(&"Uzun bir cümle, ".repeat(20)).unwrap();
        assert!(long.ends_with("Uzun bir cümle…") && long.chars().count() <= 161, "{long}");
        let table = "| Head | of the table |\n|---|---|\n| a | b |";
        for before in ["## Two documents", table, "```\ncode\n```", "- item\n\n- item", "> quoted", "[^1]: A note."] {
            let text = format!("{before}\n\n* * *\n\nThe articles.");
            assert_eq!(opening_of(&text).as_deref(), Some("The articles."), "{text}");
            assert_eq!(opening_of(before), None);
        }
        assert_eq!(opening_of(""), None);
        for pictures in ["![A drawing](a.svg)", "[![A](a.svg)](b)\n![B *b*](b.svg)", "![`a`](a.svg 't') "] {
            assert_eq!(opening_of(&format!("{pictures}\n\nThe articles.")).as_deref(), Some("The articles."));
            assert_eq!(opening_of(pictures), None);
        }
        assert_eq!(opening_of("![A](a.svg) and words.").as_deref(), Some("A and words."));
    }
}
