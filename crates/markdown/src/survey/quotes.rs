//! Sources of quotations that are shown as quoted words, because no empty line separates them.

use std::ops::Range;

use super::lines::{begins_line, line_from};

/// What begins a source.
const DASH: &str = "— ";

/// The quotations of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    /// How many are open.
    depth: usize,
    /// The current line, if it looks like a source.
    source: Option<Range<usize>>,
    found: Vec<Range<usize>>,
    /// The outer quotations.
    outer: Vec<Range<usize>>,
}

impl Quotes {
    pub(super) fn begin(&mut self, range: Range<usize>) {
        if self.depth == 0 {
            self.outer.push(range);
        }
        self.depth += 1;
    }

    /// Looks at a piece of the paragraph that begins at `paragraph`. In dialogue every line begins with a dash, the
    /// first one too; and a dash before another dash in the line, or before a small letter, only interrupts a sentence.
    pub(super) fn look(&mut self, text: &str, start: usize, paragraph: usize) {
        let is_first = start == paragraph || text[paragraph..].starts_with(DASH);
        // Whether it begins a line is asked before the line is read: many pieces may be on one.
        if self.depth == 0 || is_first || !text[start..].starts_with(DASH) || !begins_line(text, start) {
            return;
        }
        let line = line_from(text, start).trim_end();
        // A dash that nothing follows names no source.
        let Some(words) = line.strip_prefix(DASH) else { return };
        if !words.starts_with(char::is_lowercase) && !words.contains('—') {
            self.source = Some(start..start + line.len());
        }
    }

    /// Continues with another line or block: a source is at the end.
    pub(super) fn go_on(&mut self) {
        self.source = None;
    }

    pub(super) fn end(&mut self) {
        self.depth -= 1;
        self.found.extend(self.source.take());
    }

    /// Returns the sources that are shown as quoted words, and the outer quotations.
    pub(super) fn finish(self) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        (self.found, self.outer)
    }
}
