//! Failed links, headings, tables and lists, which are shown literally.

use std::ops::Range;

use memchr::{memchr, memchr2_iter};

use super::{
    Note,
    lines::{begins_line, is_other_space, line_from, looks_empty},
    lists::SuspectedLists,
    rows::SuspectedRows,
};
use crate::{SPACES, mend_title, published_ending, split_title};

/// Beginnings of destinations; other words in parentheses after brackets are ordinary prose.
const BEGINNINGS: [&str; 6] = ["https://", "http://", "mailto:", "tel:", "@/", "/"];

/// Longest address and longest name of a file, in bytes. Without a limit, each unclosed bracket would search the whole
/// rest of the text.
const MAX_ADDRESS_BYTES: usize = 2048;
const MAX_NAME_BYTES: usize = 255;
/// Bytes of a link's words that are searched for their opening bracket.
const MAX_WORDS_BYTES: usize = 512;
/// Bytes reported of an address without a closing parenthesis.
const MAX_SHOWN_BYTES: usize = 255;

/// Legal forms, with which the name of a firm and therefore a heading may end.
const FORMS: [&str; 5] = ["A.Ş.", "Şti.", "Inc.", "Ltd.", "Co."];
/// Task boxes of other Markdown programs.
const BOXES: [&str; 3] = ["[ ]", "[x]", "[X]"];

#[derive(Debug, Default)]
pub(super) struct Slips {
    /// The start of the current paragraph.
    pub(super) paragraph: usize,
    /// The end of the last piece of text.
    end: usize,
    pub(super) destinations: Vec<Note>,
    pub(super) links: Vec<Range<usize>>,
    pub(super) headings: Vec<Range<usize>>,
    /// Lines of invisible characters.
    pub(super) empty: Vec<Range<usize>>,
    pub(super) in_table: bool,
    pub(super) lists: SuspectedLists,
    pub(super) rows: SuspectedRows,
}

impl Slips {
    /// Examines a piece of text that is not code. The parser begins a piece at each possible mark.
    pub(super) fn examine(&mut self, text: &str, range: &Range<usize>) {
        let start = range.start;
        let follows = std::mem::replace(&mut self.end, range.end) == start;
        match text.as_bytes().get(start) {
            Some(b'(') => match find_cut_off(text, start) {
                Some(note) => self.destinations.push(note),
                None if follows => self.links.extend(find_link_with_markup(text, start)),
                None => {}
            },
            Some(b' ' | b'[') if follows => self.links.extend(find_split_link(text, start)),
            Some(b'#') => self.headings.extend(find_heading(text, start, start == self.paragraph)),
            _ => {}
        }
        if !self.in_table && begins_line(text, start) {
            self.examine_line(text, start);
        }
    }

    /// Examines a line of a paragraph.
    fn examine_line(&mut self, text: &str, start: usize) {
        let line = line_from(text, start);
        if looks_empty(line) {
            self.empty.push(start..start + line.len());
        } else if !self.lists.examine(text, start, line, start == self.paragraph) {
            self.rows.examine(text, start, line);
        }
    }

    /// Ends a line at a hard line break.
    pub(super) fn break_line(&mut self) {
        self.lists.break_line();
        self.rows.break_line();
    }

    /// Ends the current block.
    pub(super) fn pause(&mut self) {
        self.lists.pause();
        self.rows.pause();
    }
}

/// Returns the intended destination of `[text](https://firm.example/a b)`. The parser reads it as text, because a
/// destination without angle brackets ends at a space or a line end, and a title at its mark.
fn find_cut_off(text: &str, start: usize) -> Option<Note> {
    let before = text.get(..start)?.strip_suffix(']')?;
    let inside = text.get(start + 1..)?;
    let is_address = is_address(inside);
    let longest = if is_address { MAX_ADDRESS_BYTES } else { MAX_NAME_BYTES };
    let closing = find_closing(&inside.as_bytes()[..inside.len().min(longest)]);
    let inside = match closing.map(|end| &inside[..end]).filter(|inside| !inside.contains("\n\n")) {
        Some(inside) => inside,
        // If the parenthesis is not closed, the address is in its line.
        None if is_address => inside[..inside.floor_char_boundary(MAX_SHOWN_BYTES)].lines().next()?,
        None => return None,
    };
    let (name, title) = split_title(inside);
    let is_whole = !name.contains(SPACES) && (title.is_empty() || mend_title(title).as_deref() == Some(title));
    let is_meant = if is_address {
        !is_whole || (closing.is_none() && inside.contains(SPACES))
    } else {
        !is_whole && !name.contains('\n') && published_ending(name).is_some()
    };
    let is_link = is_meant && !before.ends_with('\\');
    is_link.then(|| Note { label: inside.to_owned(), range: start + 1..start + 1 + inside.len() })
}

/// Returns the position of the parenthesis that closes the one before `inside`; pairs inside are skipped.
fn find_closing(inside: &[u8]) -> Option<usize> {
    let mut open = 0_u32;
    memchr2_iter(b'(', b')', inside).find(|at| match inside[*at] {
        b'(' => {
            open += 1;
            false
        }
        _ if open == 0 => true,
        _ => {
            open -= 1;
            false
        }
    })
}

/// Returns the address of `[text] (https://firm.example)` and `(text)[https://firm.example]`.
fn find_split_link(text: &str, start: usize) -> Option<Range<usize>> {
    let (before, rest) = (text.get(..start)?, text.get(start..)?);
    let (inside, end) = match before.as_bytes().last()? {
        b']' => (rest.trim_start_matches(' ').strip_prefix('(')?, b')'),
        b')' => (rest.strip_prefix('[')?, b']'),
        _ => return None,
    };
    let is_escaped = before[..before.len() - 1].ends_with('\\');
    if is_escaped || !is_address(inside) {
        return None;
    }
    let length = memchr(end, &inside.as_bytes()[..inside.len().min(MAX_ADDRESS_BYTES)])?;
    let address = text.len() - inside.len();
    (!inside[..length].contains('\n')).then_some(address..address + length)
}

/// Returns the address of `[text](https://firm.example)` whose text contains a link or a footnote.
fn find_link_with_markup(text: &str, start: usize) -> Option<Range<usize>> {
    let before = text.get(..start)?.strip_suffix(']')?;
    let inside = text.get(start + 1..)?;
    let is_meant =
        (is_address(inside) || inside.starts_with('#')) && !before.ends_with('\\') && !is_escaped_link(before);
    let length = find_closing(&inside.as_bytes()[..inside.len().min(MAX_ADDRESS_BYTES)]).filter(|_| is_meant)?;
    let (address, _) = split_title(&inside[..length]);
    Some(start + 1..start + 1 + address.len())
}

/// Returns whether the bracket that opens the words at the end of `before` is escaped.
fn is_escaped_link(before: &str) -> bool {
    let mut open = 1_u32;
    for (at, mark) in before.bytes().enumerate().rev().take(MAX_WORDS_BYTES) {
        let is_escaped = || before[..at].ends_with('\\');
        match mark {
            b'[' if open == 1 => return is_escaped(),
            b'[' if !is_escaped() => open -= 1,
            b']' if !is_escaped() => open += 1,
            _ => {}
        }
    }
    false
}

fn is_address(text: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

/// Returns the marks of `##Heading`. A single mark counts only at the start of a paragraph, because it often belongs to
/// a word.
fn find_heading(text: &str, start: usize, begins_paragraph: bool) -> Option<Range<usize>> {
    let rest = &text[start..];
    let level = rest.bytes().take(7).take_while(|byte| *byte == b'#').count();
    let begins = |is_first: fn(char) -> bool| rest[level..].starts_with(|c| is_first(c) || is_other_space(c));
    let is_meant = match level {
        1 => begins_paragraph && begins(char::is_alphabetic),
        2..=6 => begins(char::is_alphanumeric) && (begins_paragraph || begins_line(text, start)),
        _ => false,
    };
    is_meant.then_some(start..start + level)
}

/// Returns the hyphens below several lines or a sentence, which were hardly meant as a heading.
pub(super) fn find_underline(text: &str, heading: &Range<usize>) -> Option<Range<usize>> {
    let whole = text[heading.clone()].trim_end();
    let (words, line) = whole.rsplit_once('\n')?;
    let hyphens = line.trim_start_matches([' ', '\t', '>']);
    let words = words.trim_end();
    let is_sentence = words.ends_with(['.', ',', ';']) && !FORMS.iter().any(|form| words.ends_with(form));
    let is_meant = !words.contains('\n') && !is_sentence;
    let end = heading.start + whole.len();
    (!is_meant && hyphens.bytes().all(|byte| byte == b'-')).then(|| end - hyphens.len()..end)
}

/// Returns the task box at the start of an item, after its `mark`.
pub(super) fn find_tick_box(text: &str, mark: &Range<usize>) -> Option<Range<usize>> {
    let words = text[mark.end..].trim_start_matches([' ', '\t']);
    let start = text.len() - words.len();
    // With five blanks the words are code.
    let is_one = start <= mark.end + 4
        && BOXES.iter().any(|tick| words.strip_prefix(tick).is_some_and(|rest| rest.starts_with([' ', '\t'])));
    is_one.then_some(start..start + BOXES[0].len())
}

/// Returns whether both backticks are inside of words, typed instead of apostrophes.
pub(super) fn is_in_words(text: &str, code: &Range<usize>) -> bool {
    let has_one = text[code.start..].starts_with('`') && !text[code.start + 1..].starts_with('`');
    has_one && text[..code.start].ends_with(char::is_alphabetic) && text[code.end..].starts_with(char::is_alphabetic)
}
