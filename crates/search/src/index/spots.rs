//! Finds the words of a query in a text, in one pass over its numbers.

use super::{
    candidates::QueryTerms,
    tables::{GAP, Tables},
};
use crate::{fold, format::read_varint};

/// Flag in the mark of a piece; the numbers of words are smaller.
const AS_TYPED: u8 = 0x40;

/// The word of the query for each piece.
#[derive(Debug)]
pub(super) struct Marks {
    /// For each piece the number of the word of the query, from 1, with [`AS_TYPED`]; 0 for other words, [`GAP`] for
    /// gaps.
    of_piece: Vec<u8>,
}

/// A word of a query in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The number of the word of the query, from 1.
    pub(super) mark: u8,
    /// The text has the word as typed, not in another form.
    pub(super) is_as_typed: bool,
    /// Words of the text before it.
    pub(super) words_before: u32,
    /// Position of its number in the bytes of the text.
    pub(super) at: usize,
}

impl Marks {
    /// Creates the marks for `wanted`. A term of two words belongs to the first.
    pub(super) fn new(tables: &Tables, wanted: &QueryTerms) -> Self {
        let mut of_piece = tables.kinds.to_vec();
        for (number, word) in (1..AS_TYPED).zip(&wanted.words) {
            let typed = word.form.map(|form| tables.forms.text(form));
            for piece in word.terms.iter().flat_map(|(term, _)| tables.pieces_of.members(*term)) {
                if let Some(mark) = of_piece.get_mut(*piece as usize).filter(|mark| **mark == 0) {
                    let is_as_typed = typed.is_some_and(|typed| fold(tables.piece(*piece)) == typed);
                    *mark = number | if is_as_typed { AS_TYPED } else { 0 };
                }
            }
        }
        Self { of_piece }
    }

    /// Passes the spots of a text to `take` until it returns `false`.
    pub(super) fn each(&self, text: &[u8], mut take: impl FnMut(Spot) -> bool) {
        let (mut at, mut words_before) = (0, 0);
        loop {
            let start = at;
            let Some(piece) = read_varint(text, &mut at) else { return };
            match self.of_piece.get(piece as usize).copied().unwrap_or(GAP) {
                GAP => {}
                0 => words_before += 1,
                mark => {
                    let is_as_typed = mark & AS_TYPED != 0;
                    if !take(Spot { mark: mark & !AS_TYPED, is_as_typed, words_before, at: start }) {
                        return;
                    }
                    words_before += 1;
                }
            }
        }
    }

    pub(super) fn all(&self, text: &[u8]) -> Vec<Spot> {
        let mut spots = Vec::new();
        self.each(text, |spot| {
            spots.push(spot);
            true
        });
        spots
    }
}
