//! Second ranking of the best documents: by phrases, titles and the nearness of the words.

use super::{
    candidates::QueryTerms,
    phrase::QueryPhrases,
    query::Query,
    rank::{Ranked, SECOND_LOOK, order},
    spots::Marks,
    tables::Tables,
    titles::Titles,
};
use crate::PERSON;

/// Measures of how well a document answers a query of several words: the relevance as a share of the query's worth, the
/// relevance in words of greatest rarity, and the bonus of the title. A document that lacks a word is left out if the
/// sum of these, each divided by its measure, is below one. Neither a common word nor one of many is enough, and a title
/// with many of the words is.
const ANSWERS_SHARE: f32 = 0.73;
const ANSWERS_WORTH: f32 = 4.0;
const ANSWERS_TITLE: f32 = 0.38;
/// Addend for each word after the first, and factor of a person if the query contains a word such as `lawyer`.
const ANSWERS_TOGETHER: f32 = 0.38;
const ANSWERING_PERSON: f32 = 2.0;

/// Bonus of adjacent words.
const NEARNESS: f32 = 0.7;
/// Bonus of a title and a summary with all words of the query between them.
const SUBJECT: f32 = 0.95;
/// Factor of a document with the words of the query only in other forms: different words may share a stem.
const OTHER_FORMS: f32 = 0.8;
/// Factor of a person if the query contains a word such as `lawyer`.
const PERSON_FACTOR: f32 = 5.5;
/// Factor of a page without a text of its own: a page that explains a subject ranks before one that only bears its name.
const LIST_FACTOR: f32 = 0.8;

/// Returns the best `limit` documents with every phrase. If there are fewer, documents that were not searched for the
/// phrases follow.
pub(super) fn refine(
    tables: &Tables,
    query: &Query,
    wanted: &QueryTerms,
    (marks, mut phrases): (&Marks, QueryPhrases<'_>),
    found: Vec<Ranked>,
    limit: usize,
) -> Vec<Ranked> {
    let titles = Titles::new(tables, query, wanted);
    let lift = |kind: &str| if query.names_lawyer && kind == PERSON { PERSON_FACTOR } else { 1.0 };
    // A phrase selects the documents, so few more than `limit` are examined.
    let most = if phrases.is_empty() { limit.max(SECOND_LOOK) } else { limit + limit / 2 };
    let mut unseen = Vec::new();
    let kept = found.into_iter().filter(|ranked| {
        let stands = phrases.match_document(tables, ranked.document);
        if stands.is_none() && unseen.len() < limit {
            unseen.push(*ranked);
        }
        stands == Some(true)
    });
    // With the bonus of title and summary.
    let mut kept: Vec<(Ranked, f32)> = kept
        .take(most)
        .filter_map(|ranked| {
            let texts = tables.document(ranked.document)?;
            let shares = titles.shares(tables, wanted, texts.title, texts.summary);
            // A page without a text of its own, such as that of a law, is found by all of the words only. A page of the
            // other language has no kind here.
            let is_list = tables.text(ranked.document).is_empty() && !texts.kind.is_empty();
            let is_complete = ranked.is_whole && wanted.known >= 1.0;
            if is_list && !is_complete || !answers(query, wanted, &ranked, shares.title, texts.kind) {
                return None;
            }
            let score = ranked.score * lift(texts.kind) * if is_list { LIST_FACTOR } else { 1.0 };
            Some((Ranked { score, ..ranked }, shares.title + SUBJECT * shares.summary))
        })
        .collect();
    // The greatest score that the nearness of words can give: the loop below stops when no document can rise further.
    let best = |ranked: &Ranked, subject: f32| {
        let near = if ranked.is_whole && wanted.words.len() > 1 { NEARNESS } else { 0.0 };
        ranked.score * (1.0 + subject + near)
    };
    kept.sort_by(|(a, subject_a), (b, subject_b)| {
        best(b, *subject_b).total_cmp(&best(a, *subject_a)).then_with(|| a.document.cmp(&b.document))
    });
    let mut refined: Vec<Ranked> = Vec::with_capacity(kept.len());
    for (ranked, subject) in kept {
        let last = refined.get(limit.wrapping_sub(1));
        if last.is_some_and(|last| last.score > best(&ranked, subject)) {
            break;
        }
        let Some(texts) = tables.document(ranked.document) else { continue };
        let text = tables.text(ranked.document);
        let seen = titles.words_as_typed(tables, texts.title) | titles.words_as_typed(tables, texts.summary);
        let may_be_near = ranked.is_whole && wanted.words.len() > 1;
        let (near, seen) = scan_text(text, marks, wanted, may_be_near, seen);
        let score = ranked.score * (1.0 + subject + near) * typed_factor(wanted, seen);
        let ranked = Ranked { score, ..ranked };
        let place = refined.partition_point(|other| order(other, &ranked).is_le());
        refined.insert(place, ranked);
    }
    // Unsearched documents rank last, with the score of the first ranking.
    refined.extend(unseen);
    refined.truncate(limit);
    refined
}

/// Returns whether a document answers a query, and not only contains a word of it.
fn answers(query: &Query, wanted: &QueryTerms, ranked: &Ranked, title: f32, kind: &str) -> bool {
    let is_question = query.words.len() > 2;
    // All words of a question suffice if more than one of them names its subject.
    let is_complete = ranked.is_whole && wanted.known >= 1.0 && (query.telling > 1 || !is_question);
    let is_keyword = query.meaningful < 2 && (!is_question || query.names_lawyer);
    if is_keyword || is_complete || !query.phrases.is_empty() {
        return true;
    }
    let share = ranked.relevance * wanted.answerable / wanted.worth();
    let together = ANSWERS_TOGETHER * wanted.answerable * f32::from(ranked.words.saturating_sub(1));
    let evidence = share / ANSWERS_SHARE
        + ranked.relevance / (wanted.rarest * ANSWERS_WORTH)
        + title * wanted.answerable.powf(1.5) / ANSWERS_TITLE
        + together;
    let lift = if query.names_lawyer && kind == PERSON { ANSWERING_PERSON } else { 1.0 };
    evidence * lift >= 1.0
}

/// Returns the bits of the words of a query that occur as typed in some text.
fn typed_bits(wanted: &QueryTerms) -> u64 {
    (0..).zip(&wanted.words).filter(|(_, word)| word.form.is_some()).fold(0, |bits, (at, _)| bits | 1 << at)
}

/// Returns a factor between [`OTHER_FORMS`] and one: the share of words, by worth, that the document has as typed or
/// that no document has as typed.
fn typed_factor(wanted: &QueryTerms, seen: u64) -> f32 {
    let other = typed_bits(wanted) & !seen;
    let other = (0..).zip(&wanted.words).filter(|(at, _)| other >> at & 1 == 1).map(|(_, word)| word.worth);
    1.0 - (1.0 - OTHER_FORMS) * other.sum::<f32>() / wanted.worth()
}

/// Returns the bonus of nearness, up to [`NEARNESS`] if all words are adjacent, and `seen` with the words that the text
/// has as typed. With `may_be_near` unset, the bonus is zero.
#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
fn scan_text(text: &[u8], marks: &Marks, wanted: &QueryTerms, may_be_near: bool, mut seen: u64) -> (f32, u64) {
    let words = wanted.words.len();
    let typed = typed_bits(wanted);
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
        // Continue until the words are adjacent and all typed words have been seen.
        may_be_near && shortest > words || typed & !seen != 0
    });
    let near = if shortest == usize::MAX { 0.0 } else { NEARNESS * words as f32 / shortest.max(words) as f32 };
    (near, seen)
}
