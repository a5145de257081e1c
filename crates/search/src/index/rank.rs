//! The first order of documents: by what the words weigh in each, and by how many of the words it has.

use super::{candidates::Wanted, tables::Tables};

/// Least number of documents that go on to the second look.
pub(super) const SECOND_LOOK: usize = 40;

/// A document and how well it fits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) document: u32,
    pub(super) score: f32,
    /// Whether it has every word of the query that any document has.
    pub(super) is_whole: bool,
}

/// What a word contributes to a document: the weight of the best of its terms, and the factor of that term.
#[derive(Clone, Copy, Default)]
struct Best {
    weight: f32,
    counts: f32,
}

/// What all words so far contribute to a document.
#[derive(Clone, Copy, Default)]
struct Sum {
    weight: f32,
    /// The same, with a word that only resembles the one asked for counted as that one.
    told: f32,
    /// The limited worth of the words that it has; a word that only resembles the one asked for covers less, and so
    /// does one of many that the document has in passing.
    covered: f32,
    words: u8,
}

/// Returns the best documents, best first, equal ones in their order, without those that lack some word while the
/// others weigh less than `least_told`, and without those that `may_stand` rules out.
///
/// A document is worth the sum of its words, times the square of the share of the query that it has: of two words, one
/// with both comes before one that has a single word often, since their connection is what is asked for. Of more words
/// some only tell circumstances, and a long text has most of them somewhere, so each covers as much as it weighs there:
/// a document about most words comes before one that has all of them in passing. The score is its share of the greatest
/// possible worth.
pub(super) fn rank(
    tables: &Tables,
    wanted: &Wanted,
    least_told: f32,
    most: usize,
    may_stand: impl Fn(u32) -> bool,
) -> Vec<Ranked> {
    let most = most.max(SECOND_LOOK);
    let mut sums = vec![Sum::default(); tables.documents];
    let mut bests = vec![Best::default(); tables.documents];
    let most_worth = wanted.most_worth();
    let may_be_circumstances = wanted.words.len() > 2;
    let mut coverable = 0.0;
    for word in &wanted.words {
        let limited = word.worth.min(most_worth);
        coverable += limited;
        for (term, counts) in &word.terms {
            for (document, weight) in tables.postings(*term) {
                let Some(best) = bests.get_mut(document as usize) else { break };
                let weight = f32::from(weight) / 255.0 * counts;
                if weight > best.weight {
                    *best = Best { weight, counts: *counts };
                }
            }
        }
        for (best, sum) in bests.iter_mut().zip(&mut sums) {
            if best.weight > 0.0 {
                let Best { weight, counts } = std::mem::take(best);
                sum.weight += word.worth * weight;
                sum.told += word.worth * weight / counts;
                sum.covered += limited * if may_be_circumstances { weight } else { counts };
                sum.words += 1;
            }
        }
    }
    let factor = wanted.known.powi(3) / (wanted.worth() * coverable.powi(2));
    let mut found = Vec::with_capacity(2 * most);
    let mut least = 0.0;
    for (document, sum) in (0_u32..).zip(sums) {
        let score = sum.weight * sum.covered.powi(2) * factor;
        let is_whole = usize::from(sum.words) == wanted.words.len();
        let is_told = sum.told >= least_told || is_whole && wanted.known >= 1.0;
        if score > least && is_told && may_stand(document) {
            found.push(Ranked { document, score, is_whole });
            if found.len() == 2 * most {
                least = keep(&mut found, most);
            }
        }
    }
    if found.len() > most {
        keep(&mut found, most);
    }
    found.sort_unstable_by(order);
    found
}

/// Keeps the best `most` and returns the score that any later document must exceed.
fn keep(found: &mut Vec<Ranked>, most: usize) -> f32 {
    let (_, lowest, _) = found.select_nth_unstable_by(most - 1, order);
    let lowest = lowest.score;
    found.truncate(most);
    lowest
}

/// The higher score first, then the earlier document.
pub(super) fn order(a: &Ranked, b: &Ranked) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document))
}
