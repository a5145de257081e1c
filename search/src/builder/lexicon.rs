//! Every piece of text that occurs, once, with the term it belongs to.

use std::collections::HashMap;

use contract::Locale;
use foldhash::fast::FixedState;

use crate::{fold, format::NO_TERM, stem::stem};

/// Octets after which a gap between words is cut into several pieces.
const LONGEST_GAP: usize = 32;

/// A word or a gap, and what is known about it.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: Box<str>,
    /// Number of the form, [`NO_TERM`] for a gap.
    pub(super) form: u32,
    /// How often it occurs.
    pub(super) used: u32,
}

/// A folded word.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) text: Box<str>,
    /// Number of the term.
    pub(super) term: u32,
}

/// Words, forms and stems, numbered as they come. Folding and stemming happen once for each spelling.
#[derive(Debug)]
pub(super) struct Lexicon {
    locale: Locale,
    pub(super) pieces: Vec<Piece>,
    pub(super) forms: Vec<Form>,
    pub(super) terms: Vec<Box<str>>,
    word_numbers: HashMap<Box<str>, u32, FixedState>,
    gap_numbers: HashMap<Box<str>, u32, FixedState>,
    form_numbers: HashMap<Box<str>, u32, FixedState>,
    term_numbers: HashMap<Box<str>, u32, FixedState>,
}

impl Lexicon {
    pub(super) fn new(locale: Locale) -> Self {
        Self {
            locale,
            pieces: Vec::new(),
            forms: Vec::new(),
            terms: Vec::new(),
            word_numbers: HashMap::default(),
            gap_numbers: HashMap::default(),
            form_numbers: HashMap::default(),
            term_numbers: HashMap::default(),
        }
    }

    /// The number of a word.
    pub(super) fn word(&mut self, text: &str) -> u32 {
        if let Some(number) = self.word_numbers.get(text) {
            return again(&mut self.pieces, *number);
        }
        let form = self.form(&fold(text));
        let number = self.piece(text, form);
        self.word_numbers.insert(text.into(), number);
        number
    }

    /// Hands the numbers of the pieces of a gap to `take`. White space counts as one space, or one line end.
    pub(super) fn gap(&mut self, gap: &str, mut take: impl FnMut(u32)) {
        if gap.is_empty() {
            return;
        }
        if let Some(number) = self.gap_numbers.get(gap) {
            take(again(&mut self.pieces, *number));
            return;
        }
        let mut text = String::with_capacity(gap.len());
        for letter in gap.chars() {
            if !letter.is_whitespace() && !letter.is_control() {
                text.push(letter);
            } else if !text.ends_with([' ', '\n']) {
                text.push(if letter == '\n' { '\n' } else { ' ' });
            } else if letter == '\n' {
                text.pop();
                text.push('\n');
            }
            if text.len() >= LONGEST_GAP {
                take(self.gap_piece(&text));
                text.clear();
            }
        }
        if !text.is_empty() {
            take(self.gap_piece(&text));
        }
    }

    fn gap_piece(&mut self, text: &str) -> u32 {
        if let Some(number) = self.gap_numbers.get(text) {
            return again(&mut self.pieces, *number);
        }
        let number = self.piece(text, NO_TERM);
        self.gap_numbers.insert(text.into(), number);
        number
    }

    fn piece(&mut self, text: &str, form: u32) -> u32 {
        let number = self.pieces.len() as u32;
        self.pieces.push(Piece { text: text.into(), form, used: 1 });
        number
    }

    fn form(&mut self, form: &str) -> u32 {
        if let Some(number) = self.form_numbers.get(form) {
            return *number;
        }
        let term = self.term(&stem(self.locale, form));
        let number = self.forms.len() as u32;
        self.forms.push(Form { text: form.into(), term });
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

/// Counts a piece that is known.
fn again(pieces: &mut [Piece], number: u32) -> u32 {
    let piece = &mut pieces[number as usize];
    piece.used = piece.used.saturating_add(1);
    number
}
