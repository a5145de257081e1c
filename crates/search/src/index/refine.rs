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
use crate::PERSON;

/// How much adjacent words add.
const NEARNESS: f32 = 0.4;
/// Factor of a document that has the words of the query in other forms only. Stems of different words may be the same,
/// so what was typed counts more.
const OTHER_FORMS: f32 = 0.75;
/// Factor of a person, where somebody asks for a lawyer of a field.
const PERSON_FACTOR: f32 = 4.0;

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
    let lift = |kind: &str| if query.asks_for_person && kind == PERSON { PERSON_FACTOR } else { 1.0 };
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
            let shown = tables.document(ranked.document)?;
            let title = titles.fit(tables, wanted, shown.title);
            Some((Ranked { score: ranked.score * lift(shown.kind), ..ranked }, title))
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
        let Some(shown) = tables.document(ranked.document) else { continue };
        let text = tables.text(ranked.document);
        let seen = titles.as_typed(tables, shown.title) | titles.as_typed(tables, shown.summary);
        let may_be_near = ranked.is_whole && wanted.words.len() > 1;
        let (near, seen) = look(text, marks, wanted, may_be_near, seen);
        let score = ranked.score * (1.0 + title + near) * as_typed(wanted, seen);
        let ranked = Ranked { score, ..ranked };
        let place = refined.partition_point(|other| order(other, &ranked).is_le());
        refined.insert(place, ranked);
    }
    // They rank after all that were searched, and nothing was added to their scores.
    refined.extend(unseen);
    refined.truncate(limit);
    refined
}

/// The bits of the words of a query that some text has as they were typed.
fn typed(wanted: &Wanted) -> u64 {
    (0..).zip(&wanted.words).filter(|(_, word)| word.form.is_some()).fold(0, |bits, (at, _)| bits | 1 << at)
}

/// Between [`OTHER_FORMS`] and one, by the share of the words, by worth, that a document has as they were typed or that
/// no document has so.
fn as_typed(wanted: &Wanted, seen: u64) -> f32 {
    let other = typed(wanted) & !seen;
    let other = (0..).zip(&wanted.words).filter(|(at, _)| other >> at & 1 == 1).map(|(_, word)| word.worth);
    1.0 - (1.0 - OTHER_FORMS) * other.sum::<f32>() / wanted.worth()
}

/// Looks through a text for two things. If all words may be near each other: [`NEARNESS`] if all are side by side, and
/// less the more there is between them. And which words it has as they were typed, besides those already `seen`.
#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
fn look(text: &[u8], marks: &Marks, wanted: &Wanted, may_be_near: bool, mut seen: u64) -> (f32, u64) {
    let words = wanted.words.len();
    let typed = typed(wanted);
    let mut last_seen = vec![None; words];
    let mut shortest = usize::MAX;
    if !may_be_near && typed & !seen == 0 {
        return (0.0, seen);
    }
    marks.each(text, |spot| {
        let place = usize::from(spot.mark) - 1;
        seen |= u64::from(spot.is_as_typed) << place;
        if let Some(last) = last_seen.get_mut(place).filter(|_| may_be_near) {
            *last = Some(spot.words_before);
        }
        if let Some(Some(first)) = last_seen.iter().min() {
            shortest = shortest.min((spot.words_before - first + 1) as usize);
        }
        // They cannot be closer than side by side.
        may_be_near && shortest > words || typed & !seen != 0
    });
    let near = if shortest == usize::MAX { 0.0 } else { NEARNESS * words as f32 / shortest.max(words) as f32 };
    (near, seen)
}
