//! The distinct pieces of all texts, with their terms.

use std::collections::HashMap;

use contract::Locale;
use foldhash::fast::FixedState;

use crate::{fold, format::NO_TERM, stem::stem};

/// Longest piece of a gap between words, in bytes; longer gaps are cut into several pieces.
const MAX_GAP_BYTES: usize = 32;

type TextNumbers = HashMap<Box<str>, u32, FixedState>;

/// A word or a gap.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: Box<str>,
    /// Number of the form, [`NO_TERM`] for a gap.
    pub(super) form: u32,
}

/// A folded word.
#[derive(Debug)]
pub(super) struct FoldedForm {
    pub(super) text: Box<str>,
    /// Number of the term.
    pub(super) term: u32,
}

/// Words, forms and stems, numbered in the order of appearance. Each spelling is folded and stemmed once.
#[derive(Debug)]
pub(super) struct Lexicon {
    locale: Locale,
    pub(super) pieces: Vec<Piece>,
    /// Occurrences of each piece.
    pub(super) used: Vec<u32>,
    pub(super) forms: Vec<FoldedForm>,
    pub(super) terms: Vec<Box<str>>,
    word_numbers: TextNumbers,
    gap_numbers: TextNumbers,
    form_numbers: TextNumbers,
    term_numbers: TextNumbers,
}

impl Lexicon {
    pub(super) fn new(locale: Locale) -> Self {
        Self {
            locale,
            pieces: Vec::new(),
            used: Vec::new(),
            forms: Vec::new(),
            terms: Vec::new(),
            word_numbers: HashMap::default(),
            gap_numbers: HashMap::default(),
            form_numbers: HashMap::default(),
            term_numbers: HashMap::default(),
        }
    }

    /// Adds all pieces of `other`, and returns their numbers in this lexicon.
    pub(super) fn take(&mut self, other: &Self) -> Vec<u32> {
        let pieces = other.pieces.iter().zip(&other.used);
        let numbers = pieces.map(|(Piece { text, form }, used)| {
            let number = if *form == NO_TERM { self.gap_piece(text) } else { self.find_word(text) };
            self.count(number, *used);
            number
        });
        numbers.collect()
    }

    /// Counts a word and returns its number.
    pub(super) fn word(&mut self, word: &str) -> u32 {
        let number = self.find_word(word);
        self.count(number, 1);
        number
    }

    /// Passes the numbers of the pieces of a gap to `take`. White space counts as one space, or one line end.
    pub(super) fn gap(&mut self, gap: &str, mut take: impl FnMut(u32)) {
        if gap.is_empty() {
            return;
        }
        if let Some(number) = self.gap_numbers.get(gap).copied() {
            self.count(number, 1);
            take(number);
            return;
        }
        let mut text = String::with_capacity(gap.len());
        let mut take = |text: &str| {
            let number = self.gap_piece(text);
            self.count(number, 1);
            take(number);
        };
        for letter in gap.chars() {
            if !letter.is_whitespace() && !letter.is_control() {
                text.push(letter);
            } else if !text.ends_with([' ', '\n']) {
                text.push(if letter == '\n' { '\n' } else { ' ' });
            } else if letter == '\n' {
                text.pop();
                text.push('\n');
            }
            if text.len() >= MAX_GAP_BYTES {
                take(&text);
                text.clear();
            }
        }
        if !text.is_empty() {
            take(&text);
        }
    }

    fn count(&mut self, number: u32, times: u32) {
        let used = &mut self.used[number as usize];
        *used = used.saturating_add(times);
    }

    fn find_word(&mut self, word: &str) -> u32 {
        if let Some(number) = self.word_numbers.get(word) {
            return *number;
        }
        let form = self.form(&fold(word));
        let number = self.piece(word, form);
        self.word_numbers.insert(word.into(), number);
        number
    }

    fn gap_piece(&mut self, gap: &str) -> u32 {
        if let Some(number) = self.gap_numbers.get(gap) {
            return *number;
        }
        let number = self.piece(gap, NO_TERM);
        self.gap_numbers.insert(gap.into(), number);
        number
    }

    fn piece(&mut self, text: &str, form: u32) -> u32 {
        let number = self.pieces.len() as u32;
        self.pieces.push(Piece { text: text.into(), form });
        self.used.push(0);
        number
    }

    fn form(&mut self, form: &str) -> u32 {
        if let Some(number) = self.form_numbers.get(form) {
            return *number;
        }
        let term = self.term(&stem(self.locale, form));
        let number = self.forms.len() as u32;
        self.forms.push(FoldedForm { text: form.into(), term });
        self.form_numbers.insert(form.into(), number);
        number
    }

    fn term(&mut self, stem: &str) -> u32 {
        if let Some(number) = self.term_numbers.get(stem) {
            return *number;
        }
        let number = self.terms.len() as u32;
        self.terms.push(stem.into());
        self.term_numbers.insert(stem.into(), number);
        number
    }
}
