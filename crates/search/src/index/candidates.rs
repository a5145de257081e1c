//! The terms of an index for the words of a query.

use super::{
    query::{Query, QueryWord},
    tables::Tables,
};
use crate::{
    stem::stem,
    stop_words::{is_everyday, is_finite_verb, is_stop_word},
    typo::differ_by_at_most,
};

/// Fewest letters of the beginning of a word.
const MIN_BEGINNING: usize = 2;
/// Fewest letters of a word with a slip.
const MIN_SLIP: usize = 5;
/// Maximum number of letters by which a word with a slip in a short stem differs from the nearest form of the term:
/// short stems of unrelated words may be similar (`redund-ancy`, `refund`).
const SLIP_AND_ENDING: usize = 2;
/// Fewest letters of a stem that is not similar to another by chance.
const LONG_STEM: usize = 7;
/// Maximum number of words of a query with a slip: each is compared with all forms and stems.
const MAX_SLIPS: usize = 3;
/// Maximum number of forms examined for the beginning of a word, and of terms used.
const MAX_FORMS: usize = 4096;
const MAX_TERMS: usize = 24;

/// Maximum worth of a word, as a multiple of the query's average (see [`QueryTerms::most_worth`]).
const MAX_WORTH: f32 = 1.05;
/// Factor of the worth of a word of everyday language, and of a verb that occurs in no text.
const EVERYDAY: f32 = 0.35;
/// Factor of a term that begins like an unfinished word: if the word itself is a term, and if it is not.
const BEGINS: f32 = 0.35;
const COMPLETES: f32 = 0.8;
/// Factor of a term that differs from the word by a slip.
const RESEMBLES: f32 = 0.6;
/// Factor of a synonym, and of a part of a synonymous phrase.
const MEANS: f32 = 0.7;
const MEANS_IN_PART: f32 = 0.6;

/// The words of a query that occur in the index, with their terms.
#[derive(Debug, Default)]
pub(super) struct QueryTerms {
    pub(super) words: Vec<TermsOfWord>,
    /// The share of these words in the whole query, by worth.
    pub(super) known: f32,
    /// The same share if a word that occurs in no document counts as one of the rarest, and the worth of these.
    pub(super) answerable: f32,
    pub(super) rarest: f32,
}

#[derive(Debug)]
pub(super) struct TermsOfWord {
    /// Higher for rare words, lower for similar ones.
    pub(super) worth: f32,
    /// Terms and their factors, at most one.
    pub(super) terms: Vec<(u32, f32)>,
    /// The number of the word as typed, if it occurs in a text.
    pub(super) form: Option<u32>,
}

impl QueryTerms {
    /// Returns the worth of all words together.
    pub(super) fn worth(&self) -> f32 {
        self.words.iter().map(|word| word.worth).sum()
    }

    /// Returns the greatest worth of a single word in the covered share of the query. Rarity already raises the weight
    /// of a word: without this limit, the rarer of two words would outrank a title with the other.
    #[expect(clippy::cast_precision_loss, reason = "queries are short")]
    pub(super) fn most_worth(&self) -> f32 {
        MAX_WORTH * self.worth() / self.words.len() as f32
    }
}

/// Returns the terms for every word of `query` that is not idle.
///
/// A word that occurs in no text does not distinguish documents, so it is left out; `known` is the share of the others.
pub(super) fn resolve_terms(tables: &Tables, query: &Query) -> QueryTerms {
    let synonyms = synonyms(tables, query);
    let words = query.words.iter().zip(&synonyms).filter(|(word, _)| !word.is_idle);
    let mut slips_left = MAX_SLIPS;
    let words = words.flat_map(|(word, synonyms)| match terms(tables, word, synonyms, &mut slips_left) {
        terms if terms.is_empty() && !query.is_mixed => {
            split_compound(tables, word).into_iter().map(|it| (it, None, word)).collect()
        }
        terms => vec![(terms, tables.forms.find(&word.form), word)],
    });
    let words = words.map(|(terms, form, word)| {
        let says_little = is_everyday(tables.locale, &word.form, &word.stem)
            || terms.is_empty() && is_finite_verb(tables.locale, &word.form);
        let factor = if says_little { EVERYDAY } else { 1.0 };
        TermsOfWord { worth: factor * worth(tables, &terms), terms, form }
    });
    let (words, unknown): (Vec<_>, Vec<_>) = words.partition(|word| !word.terms.is_empty());
    let [known, unknown] = [&words, &unknown].map(|words| words.iter().map(|word| word.worth).sum::<f32>());
    let rarest = rarity(tables, 1);
    let share = |unknown: f32| if unknown > 0.0 { known / (known + unknown) } else { 1.0 };
    QueryTerms { words, known: share(unknown), answerable: share(unknown * rarest / rarity(tables, 0)), rarest }
}

/// Returns whether a word of `query` that is not idle occurs here in no form, or occurs as written only in `other`: a
/// foreign word may have a known stem by chance. Also true if a word is foreign by its letters.
pub(super) fn may_be_in_language_of(tables: &Tables, query: &Query, other: &Tables) -> bool {
    let has = |tables: &Tables, word: &QueryWord| tables.forms.find(&word.form).is_some();
    let synonyms = synonyms(tables, query);
    query.words.iter().zip(&synonyms).any(|(word, synonyms)| {
        let is_unknown = || !has(tables, word) && (tables.terms.find(&word.stem).is_none() || has(other, word));
        word.is_foreign || !word.is_idle && synonyms.is_empty() && is_unknown()
    })
}

/// Returns the stop words of `query` in the language of `first`. `None` if `query` may be in the language of `tables`,
/// because each of its words occurs here or is unknown in both: the English `is` is also a spelling of `iş`.
pub(super) fn stop_words_elsewhere(tables: &Tables, query: &str, first: &Tables) -> Option<Vec<String>> {
    let words = Query::parse(first.locale, query).words;
    let is_of_first = |word: &QueryWord| {
        let is_known = is_stop_word(first.locale, &word.form) || first.forms.find(&word.form).is_some();
        !word.is_foreign && is_known && tables.forms.find(&word.form).is_none()
    };
    let is_mixed =
        words.iter().any(|word| is_of_first(word) && tables.terms.find(&stem(tables.locale, &word.form)).is_none());
    let idle = words.into_iter().filter(|word| word.is_idle && !word.is_foreign);
    is_mixed.then(|| idle.map(|word| word.form).collect())
}

/// Returns for each word of `query` the synonyms of the word, or of its phrase, as terms.
pub(super) fn synonyms(tables: &Tables, query: &Query) -> Vec<Vec<(u32, f32)>> {
    let mut found = vec![Vec::new(); query.words.len()];
    let telling: Vec<usize> = (0..query.words.len()).filter(|at| !query.words[*at].is_idle).collect();
    let stems: Vec<&str> = telling.iter().map(|at| query.words[*at].stem.as_str()).collect();
    tables.synonyms.each(&stems, |place, alternative| {
        let terms: Option<Vec<u32>> = alternative.split(' ').map(|stem| tables.terms.find(stem)).collect();
        let Some(terms) = terms else { return };
        // Word by word; of a phrase in place of a single word, only the rarest word.
        let rarest = terms.iter().min_by_key(|term| tables.postings(**term).count);
        let is_part = place.len() < terms.len();
        for (number, at) in place.clone().enumerate() {
            let term = if is_part && place.len() == 1 { rarest } else { terms.get(number).or(terms.last()) };
            found[telling[at]].extend(term.map(|term| (*term, if is_part { MEANS_IN_PART } else { MEANS })));
        }
    });
    found
}

fn terms(tables: &Tables, word: &QueryWord, synonyms: &[(u32, f32)], slips_left: &mut usize) -> Vec<(u32, f32)> {
    let exact = tables.terms.find(&word.stem);
    let mut terms: Vec<(u32, f32)> = exact.map(|term| (term, 1.0)).into_iter().collect();
    let mut synonyms = synonyms.to_vec();
    synonyms.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    for (term, counts) in synonyms {
        if terms.iter().all(|(known, _)| *known != term) {
            terms.push((term, counts));
        }
    }
    if word.is_open && word.form.len() >= MIN_BEGINNING {
        let counts = if exact.is_some() { BEGINS } else { COMPLETES };
        add_beginnings(tables, &word.form, counts, &mut terms);
    }
    if terms.is_empty() && word.form.len() >= MIN_SLIP - 1 {
        add_beginnings(tables, &word.form, COMPLETES, &mut terms);
    }
    let may_slip = word.form.len() >= MIN_SLIP && !word.form.bytes().any(|byte| byte.is_ascii_digit());
    if terms.is_empty() && may_slip && *slips_left > 0 {
        *slips_left -= 1;
        add_slips(tables, word, &mut terms);
    }
    terms
}

/// Adds the most frequent terms of forms that begin with `form`.
fn add_beginnings(tables: &Tables, form: &str, counts: f32, terms: &mut Vec<(u32, f32)>) {
    let mut found: Vec<u32> =
        tables.forms.beginning_with(form).take(MAX_FORMS).filter_map(|form| tables.term_of_form(form)).collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|term| terms.iter().all(|(other, _)| other != term));
    if found.len() > MAX_TERMS {
        found.sort_by_key(|term| std::cmp::Reverse(tables.postings(*term).count));
        found.truncate(MAX_TERMS);
    }
    terms.extend(found.into_iter().map(|term| (term, counts)));
}

/// Adds the terms of forms that differ from the word by one slip, and stems that differ from its stem by one slip if
/// the stem is long or a form differs little from the word.
fn add_slips(tables: &Tables, word: &QueryWord, terms: &mut Vec<(u32, f32)>) {
    let forms = tables.forms_near(&word.form).filter_map(|form| tables.term_of_form(form));
    let has_near_form = |term: u32| {
        let near = |form: u32| differ_by_at_most(SLIP_AND_ENDING, tables.forms.bytes(form), word.form.as_bytes());
        tables.forms_of.members(term).iter().any(|form| near(*form))
    };
    let stems = tables.terms_near(&word.stem).filter(|term| {
        tables.terms.bytes(*term).len() >= MIN_SLIP && (word.stem.len() >= LONG_STEM || has_near_form(*term))
    });
    let mut found: Vec<u32> = forms.collect();
    if word.stem.len() >= MIN_SLIP {
        found.extend(stems);
    }
    found.sort_unstable();
    found.dedup();
    terms.extend(found.into_iter().take(MAX_TERMS).map(|term| (term, RESEMBLES)));
}

/// Splits an unknown word into two known ones, such as `noncompete`. Without such a pair the word stays unknown and
/// lowers all scores.
fn split_compound(tables: &Tables, word: &QueryWord) -> Vec<Vec<(u32, f32)>> {
    let known = |form: &str| tables.forms.find(form).and_then(|form| tables.term_of_form(form));
    (3..word.form.len().saturating_sub(2))
        .filter_map(|at| word.form.split_at_checked(at))
        .find_map(|(first, second)| Some(vec![vec![(known(first)?, 1.0)], vec![(known(second)?, 1.0)]]))
        .unwrap_or_else(|| vec![Vec::new()])
}

/// Returns the [`rarity`] of the most frequent of the terms with the greatest factor, times that factor.
fn worth(tables: &Tables, terms: &[(u32, f32)]) -> f32 {
    let full = terms.first().map_or(0.0, |(_, counts)| *counts);
    let same = terms.iter().filter(|(_, counts)| *counts >= full);
    let telling = rarity(tables, same.map(|(term, _)| tables.postings(*term).count).max().unwrap_or(0));
    if terms.is_empty() { telling } else { telling * full }
}

/// Returns Robertson's inverse document frequency of a word in `count` documents.
#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
fn rarity(tables: &Tables, count: u32) -> f32 {
    let documents = tables.texts.max(count as usize) as f32;
    let count = count as f32;
    (1.0 + (documents - count + 0.5) / (count + 0.5)).ln()
}
