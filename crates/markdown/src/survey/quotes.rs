//! Sources of quotations that become quoted words, because no empty line precedes them.

use std::ops::Range;

use super::lines::{begins_line, line_from};

/// The beginning of a source.
const DASH: &str = "— ";

#[derive(Debug, Default)]
pub(super) struct Quotes {
    /// Open quotations.
    depth: usize,
    /// The current line, if it looks like a source.
    source: Option<Range<usize>>,
    found: Vec<Range<usize>>,
    /// The outermost quotations.
    outer: Vec<Range<usize>>,
}

impl Quotes {
    pub(super) fn begin(&mut self, range: Range<usize>) {
        if self.depth == 0 {
            self.outer.push(range);
        }
        self.depth += 1;
    }

    /// Examines a piece of the paragraph that begins at `paragraph`. Not a source: a paragraph whose first line begins
    /// with a dash (dialogue), and a dash before a small letter or another dash (an interruption of a sentence).
    pub(super) fn examine(&mut self, text: &str, start: usize, paragraph: usize) {
        let is_first = start == paragraph || text[paragraph..].starts_with(DASH);
        // Check for the beginning of a line before reading the line: a line may have many pieces.
        if self.depth == 0 || is_first || !text[start..].starts_with(DASH) || !begins_line(text, start) {
            return;
        }
        let line = line_from(text, start).trim_end();
        // A dash without words names no source.
        let Some(words) = line.strip_prefix(DASH) else { return };
        if !words.starts_with(char::is_lowercase) && !words.contains('—') {
            self.source = Some(start..start + line.len());
        }
    }

    /// Continues with another line or block, so that the current line is not the last one.
    pub(super) fn go_on(&mut self) {
        self.source = None;
    }

    pub(super) fn end(&mut self) {
        self.depth -= 1;
        self.found.extend(self.source.take());
    }

    /// Returns the sources that became quoted words, and the outermost quotations.
    pub(super) fn finish(self) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        (self.found, self.outer)
    }
}
