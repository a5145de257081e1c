//! Blocks of fenced code, and those among them that are never closed: these continue to the end of the block that
//! contains them, or of the text, and then also over everything that a twin or the full text adds after it.

use std::ops::Range;

use memchr::memchr;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::OPTIONS;

/// A block of fenced code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fenced {
    /// The marks that open it.
    pub(super) fence: Range<usize>,
    /// The whole block.
    pub(super) range: Range<usize>,
    pub(super) is_closed: bool,
}

/// The block that is open while events are read.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// Where the block begins, and where the part of it that is known so far ends: its first line, then its code.
    open: Option<(usize, usize)>,
}

impl Fences {
    /// Processes an event. Returns the block that ends with it.
    pub(super) fn see(&mut self, text: &str, event: &Event<'_>, range: &Range<usize>) -> Option<Fenced> {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                let line = memchr(b'\n', &text.as_bytes()[range.clone()]);
                self.open = Some((range.start, line.map_or(range.end, |length| range.start + length)));
            }
            Event::Text(_) => {
                if let Some((_, end)) = &mut self.open {
                    *end = range.end.max(*end);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let (start, end) = self.open.take()?;
                let marks = text[start..].trim_start();
                let mark = marks.chars().next()?;
                let length = marks.len() - marks.trim_start_matches(mark).len();
                let start = text.len() - marks.len();
                // Only the line that closes the code can follow it.
                let is_closed = text.get(end..range.end).is_some_and(|rest| rest.trim_end().ends_with(mark));
                return Some(Fenced { fence: start..start + length, range: start..range.end, is_closed });
            }
            _ => {}
        }
        None
    }
}

/// Returns the ranges of code in `text` that a fence opens and another closes.
pub fn closed_code(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut fences = Fences::default();
    let events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let blocks = events.filter_map(move |(event, range)| fences.see(text, &event, &range));
    blocks.filter(|block| block.is_closed).map(|block| block.range)
}
