//! Failed tables: lines of cells without a line of hyphens.

use std::ops::Range;

use memchr::memchr;

use super::lines::is_next_line;

/// Lines of paragraphs that look like rows of tables.
#[derive(Debug, Default)]
pub(super) struct SuspectedRows {
    /// The last line of this block that looks like a row.
    above: Option<SuspectedRow>,
    /// A row of this block is in `bars` or `tabs`.
    is_noted: bool,
    /// Lines of hyphens or dashes; in blocks without them, the first line that begins with a bar.
    pub(super) bars: Vec<Range<usize>>,
    /// First lines of cells separated by tabs, as copied from a spreadsheet.
    pub(super) tabs: Vec<Range<usize>>,
}

#[derive(Debug)]
struct SuspectedRow {
    range: Range<usize>,
    /// The end of the line.
    end: usize,
    has_bar: bool,
}

impl SuspectedRows {
    /// Examines a line of text. Two rows make a table: a single one may be a sentence.
    pub(super) fn examine(&mut self, text: &str, start: usize, line: &str) {
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
            None => self.above = Some(SuspectedRow { range, end: start + line.len(), has_bar }),
        }
    }

    /// Ends a line at a hard line break: such lines are not run together.
    pub(super) fn break_line(&mut self) {
        self.above = None;
    }

    /// Ends the current block.
    pub(super) fn pause(&mut self) {
        (self.above, self.is_noted) = (None, false);
    }
}

/// Returns whether `line` is the line of hyphens below the head of a table; word processors turn hyphens into dashes.
fn is_delimiter(line: &str) -> bool {
    // Checked first, because most lines fail at their first letter.
    line.chars().all(|mark| matches!(mark, '|' | '-' | '–' | '—' | ':' | ' '))
        && line.contains('|')
        && line.contains(['-', '–', '—'])
}
