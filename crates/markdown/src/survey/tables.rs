//! Rows with more cells than the head of their table, whose further cells the parser drops; and lines below a table
//! that became rows of it.

use std::ops::Range;

use super::lines::looks_empty;

#[derive(Debug, Default)]
pub(super) struct TableRows {
    /// The end of the last cell.
    cell_end: usize,
    /// A row of this table without a bar has been recorded.
    is_noted: bool,
    pub(super) beyond: Vec<Range<usize>>,
    /// The first row without a bar of each table.
    pub(super) lines: Vec<Range<usize>>,
    /// The same, where that row looks empty.
    pub(super) empty: Vec<Range<usize>>,
}

impl TableRows {
    pub(super) fn cell(&mut self, end: usize) {
        self.cell_end = end;
    }

    pub(super) fn end(&mut self) {
        self.is_noted = false;
    }

    /// Looks for words after the last cell of a row, and for a row without bars.
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
