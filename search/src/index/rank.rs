//! The first order of documents: what the words weigh in each, and how many of them it has.

use super::{candidates::Wanted, tables::Tables};

/// Documents that go on to the second look, at least.
const SECOND_LOOK: usize = 40;
/// Documents that are looked through for a phrase, at most.
const MOST_FOR_A_PHRASE: usize = 1000;

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
    let most = if without_phrase { limit.max(SECOND_LOOK) } else { MOST_FOR_A_PHRASE };
    let mut found = Vec::with_capacity(2 * most);
    let mut least = 0.0;
    for (document, (sum, part)) in (0_u32..).zip(sums) {
        let score = sum * (part / worth).powi(2);
        if score > least {
            found.push((document, score));
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

/// Keeps the best `most` and returns the score that another one, being a later document, must exceed.
fn keep(found: &mut Vec<(u32, f32)>, most: usize) -> f32 {
    let (_, (_, lowest), _) = found.select_nth_unstable_by(most - 1, order);
    let lowest = *lowest;
    found.truncate(most);
    lowest
}

/// The higher score first, then the earlier document.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "sorting hands references over")]
pub(super) fn order(a: &(u32, f32), b: &(u32, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0))
}
