//! What was meant as a table but is not: lines of cells without a line of hyphens.

use std::ops::Range;

use memchr::memchr;

use super::lines::is_next_line;

/// What looks like tables in the paragraphs of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The last line of this block that looks like a row.
    above: Option<Row>,
    /// Whether this block has been recorded.
    is_noted: bool,
    /// Lines of hyphens or dashes, or where there is none, the first lines that begin with a bar.
    pub(super) bars: Vec<Range<usize>>,
    /// The first lines whose words are separated by tabs, as in text copied from a spreadsheet.
    pub(super) tabs: Vec<Range<usize>>,
}

#[derive(Debug)]
struct Row {
    range: Range<usize>,
    /// Where its line ends.
    end: usize,
    has_bar: bool,
}

impl Rows {
    /// Looks at a line of text. A single row may be a sentence.
    pub(super) fn look(&mut self, text: &str, start: usize, line: &str) {
        let words = line.trim_end();
        let (range, has_bar) = (start..start + words.len(), words.starts_with('|'));
        if self.is_noted {
            return;
        }
        if is_delimiter(words) {
            self.bars.push(range);
            self.is_noted = true;
            return;
        }
        let above = self.above.take();
        if !has_bar && memchr(b'\t', words.as_bytes()).is_none() {
            return;
        }
        match above.filter(|above| above.has_bar == has_bar && is_next_line(text, above.end, start)) {
            Some(above) => {
                let found = if has_bar { &mut self.bars } else { &mut self.tabs };
                found.push(above.range);
                self.is_noted = true;
            }
            None => self.above = Some(Row { range, end: start + line.len(), has_bar }),
        }
    }

    /// Ends a line at the author's own line break: such lines are not run together.
    pub(super) fn break_line(&mut self) {
        self.above = None;
    }

    /// Ends the current block.
    pub(super) fn pause(&mut self) {
        (self.above, self.is_noted) = (None, false);
    }
}

/// Returns whether it is the line of hyphens that separates the head of a table from its rows, or what a word processor
/// makes of it.
fn is_delimiter(line: &str) -> bool {
    // Most lines fail at their first letter, so this is asked first.
    line.chars().all(|mark| matches!(mark, '|' | '-' | '–' | '—' | ':' | ' '))
        && line.contains('|')
        && line.contains(['-', '–', '—'])
}
