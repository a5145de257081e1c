//! The weight of each word in each document.

use super::{DocumentField, FIELDS, IndexEntry};
use crate::format::{NO_TERM, push_varint, read_varint};

/// Weight of one occurrence in title, summary, headings and body.
const WEIGHTS: [f32; FIELDS] = [10.0, 4.0, 4.0, 1.0];
/// Influence of a field's length (BM25F `b`): a word in a short title counts more than in a long one.
const LENGTHS: [f32; FIELDS] = [0.3, 0.2, 0.4, 0.4];
/// The weight with half of the full effect (BM25F `k1`); each repetition adds less.
const HALF: f32 = 3.0;

/// A piece of a lexicon with its numbers in the index.
#[derive(Clone, Copy)]
pub(super) struct NumberedPiece {
    pub(super) number: u32,
    /// The number of its term, [`NO_TERM`] for a gap.
    pub(super) term: u32,
}

/// The postings of every term, extended with each document.
pub(super) struct PostingsBuilder {
    averages: [f32; FIELDS],
    lists: Vec<PostingList>,
    /// Number of documents so far.
    documents: u32,
    /// The weight of each term in the current document, and the terms with a weight.
    weights: Vec<f32>,
    touched: Vec<u32>,
}

/// The documents with a term.
#[derive(Clone, Debug, Default)]
pub(super) struct PostingList {
    /// A varint distance and a byte of weight for each document.
    pub(super) bytes: Vec<u8>,
    pub(super) documents: u32,
    /// The number of the last document.
    last: u32,
}

impl PostingsBuilder {
    /// Creates empty postings for `terms` terms; the lengths of fields in `entries` give the averages.
    pub(super) fn new(entries: &[IndexEntry], terms: usize) -> Self {
        Self {
            averages: averages(entries),
            lists: vec![PostingList::default(); terms],
            documents: 0,
            weights: vec![0.0; terms],
            touched: Vec::new(),
        }
    }

    /// Adds the next document and appends its text to `texts`; `known` holds the pieces of the document's lexicon.
    #[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
    pub(super) fn add(&mut self, entry: &IndexEntry, known: &[NumberedPiece], texts: &mut Vec<u8>) {
        for field in DocumentField::ALL {
            let numbers = entry.field(field);
            let is_text = field == DocumentField::Body;
            let field = field as usize;
            let length = entry.lengths[field] as f32 / self.averages[field];
            let weight = WEIGHTS[field] / (1.0 - LENGTHS[field] + LENGTHS[field] * length);
            let mut at = 0;
            while let Some(piece) = read_varint(numbers, &mut at) {
                let NumberedPiece { number, term } = known[piece as usize];
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

    pub(super) fn lists(self) -> impl ExactSizeIterator<Item = PostingList> {
        self.lists.into_iter()
    }
}

/// Encodes a share of one in 255 steps, never zero.
#[expect(clippy::cast_sign_loss, reason = "the share is between nought and one")]
fn byte(share: f32) -> u8 {
    (share * 255.0).round().clamp(1.0, 255.0) as u8
}

/// Returns the average number of words in each field, at least one. Documents without a text, such as lists, do not count.
#[expect(clippy::cast_precision_loss, reason = "an average need not be exact")]
fn averages(entries: &[IndexEntry]) -> [f32; FIELDS] {
    std::array::from_fn(|field| {
        let entries = || entries.iter().filter(|entry| entry.lengths[1] + entry.lengths[3] > 0);
        let sum: u64 = entries().map(|entry| u64::from(entry.lengths[field])).sum();
        (sum as f32 / entries().count().max(1) as f32).max(1.0)
    })
}
