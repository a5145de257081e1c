//! Rows of tables that have more cells than the head: the parser drops what does not fit.

use std::ops::Range;

/// The tables of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Where the last cell ended.
    cell_end: usize,
    pub(super) beyond: Vec<Range<usize>>,
}

impl Tables {
    pub(super) fn cell(&mut self, end: usize) {
        self.cell_end = end;
    }

    /// Looks for words behind the last cell of a row.
    pub(super) fn row(&mut self, text: &str, end: usize) {
        let is_filling = |letter: char| letter == '|' || letter.is_whitespace();
        let Some(rest) = text.get(self.cell_end..end) else { return };
        let words = rest.trim_end_matches(is_filling);
        let length = words.trim_start_matches(is_filling).len();
        if length > 0 {
            let end = self.cell_end + words.len();
            self.beyond.push(end - length..end);
        }
    }
}
