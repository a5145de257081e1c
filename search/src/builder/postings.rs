//! How much each word weighs in each document.

use super::{Entry, FIELDS, Field};
use crate::format::{NO_TERM, push_varint, read_varint};

/// Weight of one occurrence in title, summary, headings and body.
const WEIGHTS: [f32; FIELDS] = [10.0, 4.0, 4.0, 1.0];
/// How far a field's length counts: a word of a short title says more than one of a long one.
const LENGTHS: [f32; FIELDS] = [0.3, 0.2, 0.4, 0.6];
/// The weight at which a word has half of its full effect; repeating it adds ever less.
const HALF: f32 = 3.0;

/// The postings of every term, without their number in front.
pub(super) struct Postings {
    /// For each term: varint distance and an octet of weight for each document.
    pub(super) lists: Vec<Vec<u8>>,
    /// For each term: how many documents.
    pub(super) counts: Vec<u32>,
}

/// The postings of `entries`, in their order; `terms` has the term of each piece of each lexicon.
#[expect(clippy::cast_precision_loss, reason = "a weight need not be exact")]
pub(super) fn postings(entries: &[Entry], term_count: usize, terms: &[Vec<u32>]) -> Postings {
    let averages = averages(entries);
    let mut lists = vec![Vec::new(); term_count];
    let mut counts = vec![0; term_count];
    let mut previous = vec![0_u32; term_count];
    let mut weights = vec![0.0_f32; term_count];
    let mut touched = Vec::new();
    for (document, entry) in (0_u32..).zip(entries) {
        let terms = &terms[entry.lexicon];
        for field in Field::ALL {
            let numbers = entry.field(field);
            let field = field as usize;
            let length = entry.lengths[field] as f32 / averages[field];
            let weight = WEIGHTS[field] / (1.0 - LENGTHS[field] + LENGTHS[field] * length);
            let mut at = 0;
            while let Some(piece) = read_varint(numbers, &mut at) {
                let term = terms[piece as usize];
                if term == NO_TERM {
                    continue;
                }
                let sum = &mut weights[term as usize];
                if *sum == 0.0 {
                    touched.push(term);
                }
                *sum += weight;
            }
        }
        for term in touched.drain(..) {
            let term = term as usize;
            let weight = std::mem::take(&mut weights[term]);
            push_varint(&mut lists[term], document - previous[term]);
            lists[term].push(octet(weight / (HALF + weight)));
            previous[term] = document;
            counts[term] += 1;
        }
    }
    Postings { lists, counts }
}

/// A share of one in 255 steps, never none.
#[expect(clippy::cast_sign_loss, reason = "the share is between nought and one")]
fn octet(share: f32) -> u8 {
    (share * 255.0).round().clamp(1.0, 255.0) as u8
}

/// The usual number of words in each field, at least one.
#[expect(clippy::cast_precision_loss, reason = "an average need not be exact")]
fn averages(entries: &[Entry]) -> [f32; FIELDS] {
    std::array::from_fn(|field| {
        let sum: u64 = entries.iter().map(|entry| u64::from(entry.lengths[field])).sum();
        (sum as f32 / entries.len().max(1) as f32).max(1.0)
    })
}
