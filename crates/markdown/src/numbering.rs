//! Nested numbered lists, counted as legal texts count them: `1.`, `a)`, `i.`.
//!
//! Markdown numbers every level alike, so that a reference such as "2(b)" cannot be followed. The marks of inner lists
//! are written out here, as items of an unnumbered list, and are the same on the page, in the twin and in search.

use std::{borrow::Cow, ops::Range};

use contract::Locale;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{
    OPTIONS,
    clauses::{Clause, Clauses, alphabet},
};

/// How the levels of numbered lists are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// `1.`, `a)`, `i.`, `A)`, `I.`
    #[default]
    Legal,
    /// `1.`, `1.1.`, `1.1.1.`
    Decimal,
    /// `1.`, `a)`, `aa)`, `aaa)`
    Letters,
}

/// The deepest level of lists whose marks are written out.
const MAX_DEPTH: usize = 8;
/// The bullet of an item whose mark is written out.
const BULLET: &str = "- ";

/// Writes the marks of nested numbered lists out.
pub(super) fn count_nested(clauses: Clauses<'_>, numbering: Numbering, locale: Locale) -> Clauses<'_> {
    if !clauses.text.lines().any(may_be_nested) {
        return clauses;
    }
    let marks = nested_marks(&clauses.text, numbering, locale);
    if marks.is_empty() {
        return clauses;
    }
    let Clauses { text, edits, all } = clauses;
    let mut before = all.into_iter().peekable();
    let mut counted = Clauses { text: Cow::default(), edits, all: Vec::new() };
    let mut written = String::with_capacity(text.len() + marks.len() * 4);
    let mut done = 0;
    for (mark, label) in marks {
        while let Some(clause) = before.next_if(|clause| clause.mark.start < mark.start) {
            counted.all.push(clause.moved(done, written.len()));
        }
        written.push_str(&text[done..mark.start]);
        written.push_str(BULLET);
        counted.all.push(Clause::of_list(written.len()..written.len() + label.len()));
        written.push_str(&label);
        done = mark.end;
    }
    counted.all.extend(before.map(|clause| clause.moved(done, written.len())));
    written.push_str(&text[done..]);
    Clauses { text: Cow::Owned(written), ..counted }
}

/// Returns whether a line may begin an item of a nested numbered list.
fn may_be_nested(line: &str) -> bool {
    const OUTER: [char; 6] = [' ', '\t', '>', '-', '*', '+'];
    let words = line.trim_start_matches(OUTER);
    let behind = words.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let Some(item) = behind.strip_prefix(['.', ')']).filter(|_| behind.len() < words.len()) else { return false };
    // A list may begin in the line of the item around it: `1. 1. words`.
    line.starts_with(OUTER) || item.trim_start().starts_with(|digit: char| digit.is_ascii_digit())
}

/// Returns the marks of nested numbered lists, in order, each with what is written in its place.
fn nested_marks(text: &str, numbering: Numbering, locale: Locale) -> Vec<(Range<usize>, String)> {
    let mut marks = Vec::new();
    // The next number of each open list; none for lists without numbers.
    let mut open: Vec<Option<u64>> = Vec::new();
    let mut numbered = 0;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::List(first)) => {
                numbered += usize::from(first.is_some());
                open.push(first);
            }
            Event::End(TagEnd::List(_)) => numbered -= usize::from(open.pop().flatten().is_some()),
            Event::Start(Tag::Item) => {
                let Some(Some(next)) = open.last_mut() else { continue };
                *next = next.saturating_add(1);
                if (2..=MAX_DEPTH).contains(&numbered) {
                    // The numbers of all lists are by now those of the items that follow.
                    let path: Vec<u64> = open.iter().flatten().map(|next| next.saturating_sub(1)).collect();
                    marks.push((item_mark(text, range.start), label(&path, numbering, locale)));
                }
            }
            _ => {}
        }
    }
    marks
}

/// Returns the mark of the item at `offset`, with the point.
fn item_mark(text: &str, offset: usize) -> Range<usize> {
    let item = &text[offset..];
    let start = offset + (item.len() - item.trim_start().len());
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    start..(start + digits + 1).min(text.len())
}

/// Returns the mark of an item; `path` is its number below those of the items around it.
fn label(path: &[u64], numbering: Numbering, locale: Locale) -> String {
    let number = path.last().copied().unwrap_or_default();
    match (numbering, path.len()) {
        (Numbering::Decimal, _) => path.iter().fold(String::new(), |label, number| format!("{label}{number}.")),
        (Numbering::Letters, level) => format!("{})", letters(number, locale).repeat(level - 1)),
        (Numbering::Legal, 2) => format!("{})", letters(number, locale)),
        (Numbering::Legal, 3) => format!("{}.", roman(number)),
        (Numbering::Legal, 4) => format!("{})", upper(&letters(number, locale))),
        (Numbering::Legal, _) => format!("{}.", upper(&roman(number))),
    }
}

/// Returns a number as letters: `a`, then `aa` after the last letter of the alphabet.
fn letters(number: u64, locale: Locale) -> String {
    let alphabet: Vec<char> = alphabet(locale).chars().collect();
    let length = alphabet.len() as u64;
    let Some(index) = number.checked_sub(1) else { return "0".to_owned() };
    let outer = if index >= length { letters(index / length, locale) } else { String::new() };
    let letter = usize::try_from(index % length).ok().and_then(|at| alphabet.get(at));
    outer + &letter.map(char::to_string).unwrap_or_default()
}

/// Returns a number in Roman numerals, or in digits beyond their range.
fn roman(number: u64) -> String {
    const NUMERALS: [(u64, &str); 9] =
        [(100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")];
    if !(1..400).contains(&number) {
        return number.to_string();
    }
    let mut rest = number;
    let mut roman = String::new();
    for (value, numeral) in NUMERALS {
        while rest >= value {
            roman.push_str(numeral);
            rest -= value;
        }
    }
    roman
}

/// Returns a mark in capitals. A Roman number has no dot in Turkish either.
fn upper(mark: &str) -> String {
    mark.to_uppercase()
}
