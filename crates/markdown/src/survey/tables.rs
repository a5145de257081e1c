//! Rows of tables with more cells than the head, of which the parser drops those that do not fit; and lines below a
//! table that became rows of it.

use std::ops::Range;

use super::lines::looks_empty;

/// The tables of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Where the last cell ended.
    cell_end: usize,
    /// Whether a line of this table has been recorded.
    is_noted: bool,
    pub(super) beyond: Vec<Range<usize>>,
    /// For each table, the first row without a bar.
    pub(super) lines: Vec<Range<usize>>,
    /// Those of these rows that look empty.
    pub(super) empty: Vec<Range<usize>>,
}

impl Tables {
    pub(super) fn cell(&mut self, end: usize) {
        self.cell_end = end;
    }

    /// Ends the table.
    pub(super) fn end(&mut self) {
        self.is_noted = false;
    }

    /// Looks for words after the last cell of a row, and for the bars of a row.
    pub(super) fn row(&mut self, text: &str, range: &Range<usize>) {
        let row = text[range.clone()].trim_end();
        if !row.contains('|') && !self.is_noted {
            let line = text[range.clone()].trim_end_matches(['\r', '\n']);
            if looks_empty(line) {
                self.empty.push(range.start..range.start + line.len());
            } else {
                self.lines.push(range.start..range.start + row.len());
            }
            self.is_noted = true;
        }
        let is_filling = |letter: char| letter == '|' || letter.is_whitespace();
        let Some(rest) = text.get(self.cell_end..range.end) else { return };
        let words = rest.trim_end_matches(is_filling);
        let length = words.trim_start_matches(is_filling).len();
        if length > 0 {
            let end = self.cell_end + words.len();
            self.beyond.push(end - length..end);
        }
    }
}
