//! How much each word weighs in each document.

use super::{Entry, FIELDS, Field};
use crate::format::{NO_TERM, push_varint, read_varint};

/// Weight of one occurrence in title, summary, headings and body.
const WEIGHTS: [f32; FIELDS] = [10.0, 4.0, 4.0, 1.0];
/// How much a field's length counts: a word in a short title says more than one in a long title.
const LENGTHS: [f32; FIELDS] = [0.3, 0.2, 0.4, 0.6];
/// The weight at which a word has half of its full effect; repeating it adds ever less.
const HALF: f32 = 3.0;

/// What a piece of a lexicon becomes in the index.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// Its number.
    pub(super) number: u32,
    /// The number of its term, [`NO_TERM`] for a gap.
    pub(super) term: u32,
}

/// The postings of every term, extended with each document.
pub(super) struct Postings {
    averages: [f32; FIELDS],
    lists: Vec<List>,
    /// Number of documents so far.
    documents: u32,
    /// The weight of each term in the current document, and the terms that have any.
    weights: Vec<f32>,
    touched: Vec<u32>,
}

/// The documents that have a term.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// A varint distance and a byte of weight for each document.
    pub(super) bytes: Vec<u8>,
    /// Number of these documents.
    pub(super) documents: u32,
    /// The number of the last one.
    last: u32,
}

impl Postings {
    /// Empty postings, for the fields of `entries` and for `terms` terms.
    pub(super) fn new(entries: &[Entry], terms: usize) -> Self {
        Self {
            averages: averages(entries),
            lists: vec![List::default(); terms],
            documents: 0,
            weights: vec![0.0; terms],
            touched: Vec::new(),
        }
    }

    /// Adds the next document, and writes its text to `texts`; `known` has the pieces of the document's lexicon.
    #[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
    pub(super) fn add(&mut self, entry: &Entry, known: &[Known], texts: &mut Vec<u8>) {
        for field in Field::ALL {
            let numbers = entry.field(field);
            let is_text = field == Field::Body;
            let field = field as usize;
            let length = entry.lengths[field] as f32 / self.averages[field];
            let weight = WEIGHTS[field] / (1.0 - LENGTHS[field] + LENGTHS[field] * length);
            let mut at = 0;
            while let Some(piece) = read_varint(numbers, &mut at) {
                let Known { number, term } = known[piece as usize];
                if is_text {
                    push_varint(texts, number);
                }
                if term == NO_TERM {
                    continue;
                }
                let sum = &mut self.weights[term as usize];
                if *sum == 0.0 {
                    self.touched.push(term);
                }
                *sum += weight;
            }
        }
        for term in self.touched.drain(..) {
            let weight = std::mem::take(&mut self.weights[term as usize]);
            let list = &mut self.lists[term as usize];
            push_varint(&mut list.bytes, self.documents - list.last);
            list.bytes.push(byte(weight / (HALF + weight)));
            list.last = self.documents;
            list.documents += 1;
        }
        self.documents += 1;
    }

    /// The list of each term.
    pub(super) fn lists(self) -> impl ExactSizeIterator<Item = List> {
        self.lists.into_iter()
    }
}

/// A share of one in 255 steps, never zero.
#[expect(clippy::cast_sign_loss, reason = "the share is between nought and one")]
fn byte(share: f32) -> u8 {
    (share * 255.0).round().clamp(1.0, 255.0) as u8
}

/// The average number of words in each field, at least one.
#[expect(clippy::cast_precision_loss, reason = "an average need not be exact")]
fn averages(entries: &[Entry]) -> [f32; FIELDS] {
    std::array::from_fn(|field| {
        let sum: u64 = entries.iter().map(|entry| u64::from(entry.lengths[field])).sum();
        (sum as f32 / entries.len().max(1) as f32).max(1.0)
    })
}
