//! Numbered lists that were hardly meant as lists: an ordinal at the start of a line, as Turkish writes it.

use std::ops::Range;

/// The lists of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Ordinals {
    /// The lists around the place at hand, the innermost last.
    open: Vec<List>,
    found: Vec<Range<usize>>,
}

#[derive(Debug)]
struct List {
    /// The first number of a numbered list.
    start: Option<u64>,
    items: usize,
    offset: usize,
}

impl Ordinals {
    pub(super) fn list(&mut self, start: Option<u64>, offset: usize) {
        self.open.push(List { start, items: 0, offset });
    }

    pub(super) fn item(&mut self) {
        if let Some(list) = self.open.last_mut() {
            list.items += 1;
        }
    }

    /// Whether a list is open.
    pub(super) fn is_in_list(&self) -> bool {
        !self.open.is_empty()
    }

    /// Judges the innermost list: one that does not start at the start, or that has nothing to count.
    pub(super) fn end(&mut self, text: &str) {
        let Some(List { start: Some(start), items, offset }) = self.open.pop() else { return };
        if start > 1 || items == 1 {
            self.found.push(mark(text, offset));
        }
    }

    pub(super) fn finish(mut self) -> Vec<Range<usize>> {
        // A list ends before the one around it.
        self.found.sort_unstable_by_key(|range| range.start);
        self.found
    }
}

/// The number and its full stop at the start of the list at `offset`.
fn mark(text: &str, offset: usize) -> Range<usize> {
    let list = &text[offset..];
    let start = offset + (list.len() - list.trim_start().len());
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    start..(start + digits + 1).min(text.len())
}
