//! Slips of numbered lists: a Turkish ordinal at the start of a line (`5. maddeye göre`), numbers that the page renders
//! differently, and text outside of the item that it belongs to.

use std::ops::Range;

use memchr::memrchr;

/// Bytes before a mark that are examined to find its distance from the margin.
const MAX_MARGIN_BYTES: usize = 256;

/// A mark of a list with its slip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordinal {
    /// The mark.
    pub range: Range<usize>,
    pub slip: Miscount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miscount {
    /// The mark starts a list that does not start at one, or that has only one item.
    Starts,
    /// Items are counted from the first one, so the page shows this number.
    ShownAs(u64),
    /// As [`Self::ShownAs`], for a number indented further than the first one of the list, but not far enough to be
    /// part of the item above.
    Shallow {
        shown: u64,
        /// The number of the item above.
        item: u64,
        /// Spaces before the content of that item.
        indent: usize,
    },
    /// The mark begins another list, because text that belongs to an item above is outside of it.
    Outside {
        /// The number of that item.
        item: u64,
        /// Spaces before the content of that item.
        indent: usize,
    },
}

#[derive(Debug, Default)]
pub(super) struct Ordinals {
    /// The innermost last.
    open: Vec<OpenList>,
    /// The numbered list that ended last in the current block, and in each block around it.
    before: Option<EndedList>,
    outer: Vec<Option<EndedList>>,
    /// The beginning of the current line, and the position up to which it has been searched for.
    line: usize,
    looked: usize,
    found: Vec<Ordinal>,
}

#[derive(Debug)]
struct OpenList {
    /// The first number of a numbered list.
    start: Option<u64>,
    items: u64,
    /// It continues the list before it.
    goes_on: bool,
    /// Only blanks precede its first mark in the line.
    begins_line: bool,
    first: Range<usize>,
    /// Spaces before the mark of the first item.
    margin: usize,
    last: ListItem,
    /// The last number in the right order.
    in_order: u64,
    /// All numbers are the same: the author leaves the counting to the page.
    is_uniform: bool,
    /// Numbers that the page shows differently.
    miscounted: Vec<Ordinal>,
}

/// An item of a numbered list.
#[derive(Clone, Debug, Default)]
struct ListItem {
    number: u64,
    /// The full stop or the parenthesis after the number.
    point: u8,
    /// Spaces before its mark, and before its content.
    margin: usize,
    indent: usize,
}

/// A numbered list that has ended.
#[derive(Debug)]
struct EndedList {
    last: ListItem,
    end: usize,
    /// The mark of its only item, unless another list continues it.
    alone: Option<Range<usize>>,
    /// The early end of its last item has been reported.
    is_reported: bool,
}

impl Ordinals {
    pub(super) fn list(&mut self, text: &str, start: Option<u64>, offset: usize) {
        let first = mark(text, offset);
        let last = self.item_at(text, &first);
        let goes_on = match (&mut self.before, start) {
            (Some(before), Some(start)) => {
                before.last.number.checked_add(1) == Some(start) && before.last.point == last.point
            }
            (Some(before), None) => {
                before.last.margin < last.margin && text.get(before.end..first.start).is_none_or(is_blank)
            }
            (None, _) => false,
        };
        if let Some(before) = self.before.as_mut().filter(|_| goes_on) {
            before.alone = None;
            if !std::mem::replace(&mut before.is_reported, true) {
                let slip = Miscount::Outside { item: before.last.number, indent: before.last.indent };
                self.found.push(Ordinal { range: first.clone(), slip });
            }
        }
        let (in_order, margin) = (last.number, last.margin);
        let begins_line = text.get(self.line..first.start).is_some_and(is_blank);
        self.open.push(OpenList {
            start,
            items: 0,
            goes_on,
            begins_line,
            first,
            margin,
            last,
            in_order,
            is_uniform: true,
            miscounted: Vec::new(),
        });
    }

    pub(super) fn item(&mut self, text: &str, offset: usize) -> Range<usize> {
        let mark = mark(text, offset);
        let item = self.item_at(text, &mark);
        if let Some(list) = self.open.last_mut() {
            list.take(item, mark.clone());
        }
        self.block();
        mark
    }

    /// Begins a block that contains other blocks.
    pub(super) fn block(&mut self) {
        self.outer.push(self.before.take());
    }

    /// Ends a block that contains other blocks.
    pub(super) fn end_block(&mut self) {
        self.part();
        self.before = self.outer.pop().flatten();
    }

    /// Ends the list before: a heading, a rule or another list follows, so no list continues it.
    pub(super) fn part(&mut self) {
        let alone = self.before.take().and_then(|before| before.alone);
        self.found.extend(alone.map(|range| Ordinal { range, slip: Miscount::Starts }));
    }

    pub(super) fn is_in_list(&self) -> bool {
        !self.open.is_empty()
    }

    /// Ends the innermost list and records its slips.
    pub(super) fn end(&mut self, end: usize) {
        let Some(list) = self.open.pop() else { return };
        let Some(start) = list.start else { return };
        self.part();
        if start > 1 && !list.goes_on {
            self.found.push(Ordinal { range: list.first.clone(), slip: Miscount::Starts });
        }
        if !list.is_uniform {
            self.found.extend(list.miscounted);
        }
        // A nested list may have only one item.
        let is_below = !self.open.is_empty() && list.begins_line;
        let alone = (list.items == 1 && start <= 1 && !is_below).then_some(list.first);
        self.before = Some(EndedList { last: list.last, end, alone, is_reported: false });
    }

    pub(super) fn finish(mut self) -> Vec<Ordinal> {
        self.part();
        // Inner lists end first.
        self.found.sort_unstable_by_key(|ordinal| ordinal.range.start);
        self.found
    }

    fn item_at(&mut self, text: &str, mark: &Range<usize>) -> ListItem {
        if let Some(at) = text.as_bytes().get(self.looked..mark.start).and_then(|passed| memrchr(b'\n', passed)) {
            self.line = self.looked + at + 1;
        }
        self.looked = self.looked.max(mark.start);
        let near = text.floor_char_boundary(mark.start.saturating_sub(MAX_MARGIN_BYTES));
        let before = &text[self.line.max(near)..mark.start];
        let before = before.rsplit_once('>').map_or(before, |(_, inside)| inside.strip_prefix(' ').unwrap_or(inside));
        let (margin, width) = (before.chars().count(), mark.len());
        let rest = &text.as_bytes()[mark.end..];
        let indent = match rest.iter().take(5).take_while(|byte| **byte == b' ').count() {
            0 if rest.first() == Some(&b'\t') => (margin + width) / 4 * 4 + 4,
            spaces @ 1..=4 => margin + width + spaces,
            _ => margin + width + 1,
        };
        let mark = &text[mark.clone()];
        let number =
            mark.get(..mark.len().saturating_sub(1)).and_then(|digits| digits.parse().ok()).unwrap_or_default();
        ListItem { number, point: mark.bytes().next_back().unwrap_or_default(), margin, indent }
    }
}

impl OpenList {
    /// Compares the number of the next item with the number that the page shows.
    fn take(&mut self, item: ListItem, mark: Range<usize>) {
        if let Some(start) = self.start {
            let displayed = start.saturating_add(self.items);
            let follows = |number: u64| number.checked_add(1) == Some(item.number);
            self.is_uniform &= item.number == start;
            if item.number == displayed || follows(self.in_order) {
                self.in_order = item.number;
            } else if !follows(self.last.number) {
                let slip = if item.margin > self.margin {
                    Miscount::Shallow { shown: displayed, item: self.last.number, indent: self.last.indent }
                } else {
                    Miscount::ShownAs(displayed)
                };
                self.miscounted.push(Ordinal { range: mark, slip });
            }
        }
        self.items += 1;
        self.last = item;
    }
}

/// Returns whether `between` holds only blanks and the marks of block quotes.
fn is_blank(between: &str) -> bool {
    between.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'>'))
}

/// Returns the mark at the start of the list or the item at `offset`.
fn mark(text: &str, offset: usize) -> Range<usize> {
    let list = &text[offset..];
    let start = offset + (list.len() - list.trim_start().len());
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    start..(start + digits + 1).min(text.len())
}
