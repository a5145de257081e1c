//! First ranking of documents: by the weights of the words of the query and by the share of the query that a document
//! has.

use super::{candidates::QueryTerms, tables::Tables};

/// Fewest documents that the second ranking examines.
pub(super) const SECOND_LOOK: usize = 40;

/// Exponents of the covered share of a query of two words and of more, and of the share that occurs in any document.
const COVERED_OF_TWO: f32 = 2.0;
const COVERED: f32 = 1.6;
const KNOWN: f32 = 2.4;

#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) document: u32,
    pub(super) score: f32,
    /// The document has every word of the query that occurs in any document.
    pub(super) is_whole: bool,
    /// The weights of the words in the document, times their worth.
    pub(super) relevance: f32,
    /// Number of words of the query in the document.
    pub(super) words: u8,
}

/// The best term of a word in a document: its weight times its factor, and its factor.
#[derive(Clone, Copy, Default)]
struct BestTerm {
    weight: f32,
    counts: f32,
}

/// The contributions of the words so far to a document.
#[derive(Clone, Copy, Default)]
struct Sum {
    weight: f32,
    /// The limited worth of the words in the document. Similar words, and in longer queries incidental ones, cover
    /// less.
    covered: f32,
    words: u8,
}

/// Returns the best documents, best first, equal ones in their order, but for those that `may_match` excludes.
///
/// The score is the sum of the words' weights times a power of the covered share of the query, as a share of the greatest
/// possible score. Of two words, a document with both ranks before one that repeats a single word. Of more
/// words, a long text has most of them somewhere, so each covers as much as it weighs there: a document about most
/// words ranks before one that mentions all of them.
pub(super) fn rank(tables: &Tables, wanted: &QueryTerms, most: usize, may_match: impl Fn(u32) -> bool) -> Vec<Ranked> {
    let most = most.max(SECOND_LOOK);
    let mut sums = vec![Sum::default(); tables.documents];
    let mut bests = vec![BestTerm::default(); tables.documents];
    let most_worth = wanted.most_worth();
    let may_be_circumstances = wanted.words.len() > 2;
    let exponent = if may_be_circumstances { COVERED } else { COVERED_OF_TWO };
    let mut coverable = 0.0;
    for word in &wanted.words {
        let limited = word.worth.min(most_worth);
        coverable += limited;
        for (term, counts) in &word.terms {
            for (document, weight) in tables.postings(*term) {
                let Some(best) = bests.get_mut(document as usize) else { break };
                let weight = f32::from(weight) / 255.0 * counts;
                if weight > best.weight {
                    *best = BestTerm { weight, counts: *counts };
                }
            }
        }
        for (best, sum) in bests.iter_mut().zip(&mut sums) {
            if best.weight > 0.0 {
                let BestTerm { weight, counts } = std::mem::take(best);
                sum.weight += word.worth * weight;
                sum.covered += limited * if may_be_circumstances { weight } else { counts };
                sum.words += 1;
            }
        }
    }
    let factor = wanted.known.powf(KNOWN) / (wanted.worth() * coverable.powf(exponent));
    let mut found = Vec::with_capacity(2 * most);
    let mut least = 0.0;
    for (document, sum) in (0_u32..).zip(sums) {
        let score = if sum.words > 0 { sum.weight * sum.covered.powf(exponent) * factor } else { 0.0 };
        let is_whole = usize::from(sum.words) == wanted.words.len();
        if score > least && may_match(document) {
            found.push(Ranked { document, score, is_whole, relevance: sum.weight, words: sum.words });
            if found.len() == 2 * most {
                least = keep_best(&mut found, most);
            }
        }
    }
    if found.len() > most {
        keep_best(&mut found, most);
    }
    found.sort_unstable_by(order);
    found
}

/// Keeps the best `most` documents and returns the lowest of their scores.
fn keep_best(found: &mut Vec<Ranked>, most: usize) -> f32 {
    let (_, lowest, _) = found.select_nth_unstable_by(most - 1, order);
    let lowest = lowest.score;
    found.truncate(most);
    lowest
}

/// Compares two documents: the higher score first, then the lower number.
pub(super) fn order(a: &Ranked, b: &Ranked) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document))
}
