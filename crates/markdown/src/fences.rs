//! Blocks of fenced code, and whether a fence closes them. An unclosed block continues to the end of the block around
//! it or of the text, and in a twin or the full text over all that follows.

use std::ops::Range;

use memchr::memchr;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::OPTIONS;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fenced {
    /// The marks that open it.
    pub(super) fence: Range<usize>,
    /// The whole block.
    pub(super) range: Range<usize>,
    pub(super) is_closed: bool,
}

/// The open block while events are read.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// Start of the block, and end of its part read so far.
    open: Option<(usize, usize)>,
}

impl Fences {
    /// Processes an event; returns the block that it ends.
    pub(super) fn process(&mut self, text: &str, event: &Event<'_>, range: &Range<usize>) -> Option<Fenced> {
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
                // Only the closing line can follow the code.
                let is_closed = text.get(end..range.end).is_some_and(|rest| rest.trim_end().ends_with(mark));
                return Some(Fenced { fence: start..start + length, range: start..range.end, is_closed });
            }
            _ => {}
        }
        None
    }
}

pub fn closed_code(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut fences = Fences::default();
    let events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let blocks = events.filter_map(move |(event, range)| fences.process(text, &event, &range));
    blocks.filter(|block| block.is_closed).map(|block| block.range)
}
