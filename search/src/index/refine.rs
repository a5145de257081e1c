//! The second look at the best documents: phrases, how well the title fits, how close together the words are.

use super::{
    candidates::Wanted,
    phrase::Phrases,
    query::Query,
    rank::{Ranked, SECOND_LOOK, order},
    spots::Marks,
    tables::Tables,
    titles::Titles,
};

/// How much adjacent words add.
const NEARNESS: f32 = 0.4;

/// Keeps the documents that have every phrase, orders them anew, and returns the first `limit`. If there are fewer, and
/// some could not be searched, those follow.
pub(super) fn refine(
    tables: &Tables,
    query: &Query,
    wanted: &Wanted,
    (marks, mut phrases): (&Marks, Phrases<'_>),
    found: Vec<Ranked>,
    limit: usize,
) -> Vec<Ranked> {
    let titles = Titles::new(tables, query, wanted);
    // A person who quotes has said what counts, so few more documents than asked for are examined.
    let most = if phrases.are_none() { limit.max(SECOND_LOOK) } else { limit + limit / 2 };
    let mut unseen = Vec::new();
    let kept = found.into_iter().filter(|ranked| {
        let stands = phrases.stand_in(tables, ranked.document);
        if stands.is_none() && unseen.len() < limit {
            unseen.push(*ranked);
        }
        stands == Some(true)
    });
    let mut kept: Vec<(Ranked, f32)> = kept
        .take(most)
        .filter_map(|ranked| {
            let title = titles.fit(tables, wanted, tables.document(ranked.document)?.title);
            Some((ranked, title))
        })
        .collect();
    // A text is searched only if its words could lift the document among the first.
    let best = |ranked: &Ranked, title: f32| {
        let near = if ranked.is_whole && wanted.words.len() > 1 { NEARNESS } else { 0.0 };
        ranked.score * (1.0 + title + near)
    };
    kept.sort_by(|(a, title_a), (b, title_b)| {
        best(b, *title_b).total_cmp(&best(a, *title_a)).then_with(|| a.document.cmp(&b.document))
    });
    let mut refined: Vec<Ranked> = Vec::with_capacity(kept.len());
    for (ranked, title) in kept {
        let last = refined.get(limit.wrapping_sub(1));
        if last.is_some_and(|last| last.score > best(&ranked, title)) {
            break;
        }
        let near = if ranked.is_whole && wanted.words.len() > 1 {
            nearness(tables.text(ranked.document), marks, wanted.words.len())
        } else {
            0.0
        };
        let ranked = Ranked { score: ranked.score * (1.0 + title + near), ..ranked };
        let place = refined.partition_point(|other| order(other, &ranked).is_le());
        refined.insert(place, ranked);
    }
    // They rank after all that were searched, and nothing was added to their scores.
    refined.extend(unseen);
    refined.truncate(limit);
    refined
}

/// [`NEARNESS`] if all words of the query are side by side, and less the more there is between them.
#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
fn nearness(text: &[u8], marks: &Marks, words: usize) -> f32 {
    let mut last_seen = vec![None; words];
    let mut shortest = usize::MAX;
    marks.each(text, |spot| {
        if let Some(seen) = last_seen.get_mut(usize::from(spot.mark) - 1) {
            *seen = Some(spot.words_before);
        }
        if let Some(Some(first)) = last_seen.iter().min() {
            shortest = shortest.min((spot.words_before - first + 1) as usize);
        }
        // They cannot be closer than side by side.
        shortest > words
    });
    if shortest == usize::MAX { 0.0 } else { NEARNESS * words as f32 / shortest.max(words) as f32 }
}
