//! The first order of documents: what the words weigh in each, and how many of them it has.

use super::{candidates::Wanted, tables::Tables};

/// Documents that go on to the second look, at least.
const SECOND_LOOK: usize = 40;
/// Documents that are looked through for a phrase, at most.
const MOST_FOR_A_PHRASE: usize = 2000;

/// The best documents, the best first, equal ones in their order.
///
/// A document is worth the sum of its words, times the square of the share of the query that it has: one with all
/// words comes before one that has a single word often.
pub(super) fn rank(tables: &Tables, wanted: &Wanted, limit: usize, without_phrase: bool) -> Vec<(u32, f32)> {
    let mut sums = vec![(0.0_f32, 0.0_f32); tables.documents];
    let mut best = vec![0.0_f32; tables.documents];
    for word in wanted.words.iter().filter(|word| !word.terms.is_empty()) {
        for (term, counts) in &word.terms {
            for (document, weight) in tables.postings(*term) {
                let Some(best) = best.get_mut(document as usize) else { break };
                *best = best.max(f32::from(weight) / 255.0 * counts);
            }
        }
        for (best, (score, has)) in best.iter_mut().zip(&mut sums) {
            if *best > 0.0 {
                *score += word.worth * std::mem::take(best);
                *has += word.worth;
            }
        }
    }
    let worth = wanted.worth();
    let scored = (0_u32..).zip(sums).filter(|(_, (score, _))| *score > 0.0);
    let mut found: Vec<(u32, f32)> =
        scored.map(|(document, (score, has))| (document, score * (has / worth).powi(2))).collect();
    let most = if without_phrase { limit.max(SECOND_LOOK) } else { MOST_FOR_A_PHRASE };
    if found.len() > most {
        found.select_nth_unstable_by(most, order);
        found.truncate(most);
    }
    found.sort_unstable_by(order);
    found
}

/// The higher score first, then the earlier document.
pub(super) fn order(a: &(u32, f32), b: &(u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0))
}
