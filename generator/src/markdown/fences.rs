//! Blocks of fenced code, and those among them that nobody closed: they go on to the end of what they stand in, and of a
//! text also over all that a twin or the full text puts behind it.

use std::ops::Range;

use memchr::memchr;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::OPTIONS;

/// A block of fenced code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fenced {
    /// The marks that open it.
    pub(super) fence: Range<usize>,
    /// The whole of it.
    pub(super) range: Range<usize>,
    pub(super) is_closed: bool,
}

/// The block that is open while events go by.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// Where it begins, and where what is known of it ends: its first line, then its code.
    open: Option<(usize, usize)>,
}

impl Fences {
    /// Takes note of an event. Gives the block that ends with it.
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
                // Whatever follows the code is the line that closes it.
                let is_closed = text.get(end..range.end).is_some_and(|rest| rest.trim_end().ends_with(mark));
                return Some(Fenced { fence: start..start + length, range: start..range.end, is_closed });
            }
            _ => {}
        }
        None
    }
}

/// Where code stands in `text` that is opened and closed by a fence.
pub(crate) fn closed_code(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut fences = Fences::default();
    let events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let blocks = events.filter_map(move |(event, range)| fences.see(text, &event, &range));
    blocks.filter(|block| block.is_closed).map(|block| block.range)
}
