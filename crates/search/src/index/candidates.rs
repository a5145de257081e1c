//! Which terms of an index answer the words of a query.

use super::{
    query::{Query, QueryWord},
    tables::Tables,
};
use crate::{
    stem::stem,
    stop_words::is_stop_word,
    typo::{differ_by_at_most, is_one_slip},
};

/// Fewest letters of a beginning of a word that says something.
const MIN_BEGINNING: usize = 2;
/// Fewest letters of a word that may contain a slip.
const MIN_SLIP: usize = 5;
/// Most letters by which a word with a slip in a short stem differs from the form of the term that is nearest: short
/// stems of words that have nothing in common may be alike (`redund-ancy`, `refund`).
const SLIP_AND_ENDING: usize = 2;
/// Fewest letters of a stem that is like no other by chance, whatever its endings.
const LONG_STEM: usize = 7;
/// How many words of a query may have one, the first that need it: each is compared with everything that the index
/// knows.
const MAX_SLIPS: usize = 3;
/// How many forms are examined for the beginning of a word, and how many terms are taken.
const MAX_FORMS: usize = 4096;
const MAX_TERMS: usize = 24;

/// How many times the average of a query a word of it may be worth (see [`Wanted::most_worth`]).
const MAX_WORTH: f32 = 1.1;
/// The least that a document must tell of a query with several words, as a share of what a document tells that has one
/// word of the rarest kind and is about it, where that word is the whole query.
const MIN_TOLD: f32 = 0.03;
/// Factor of a term that begins like an unfinished word: where the word itself is known, and where it is not.
const BEGINS: f32 = 0.35;
const COMPLETES: f32 = 0.8;
/// Factor of a term that only resembles the word.
const RESEMBLES: f32 = 0.6;
/// Factor of a term that means the same as the word, and of one that is only a part of what does.
const MEANS: f32 = 0.7;
const MEANS_IN_PART: f32 = 0.4;

/// The words of a query that rank, with their terms.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The words that the index knows, or words like them.
    pub(super) words: Vec<WantedWord>,
    /// The share of the whole query that these words make up, by worth; at most one.
    pub(super) known: f32,
}

/// A word of a query.
#[derive(Debug)]
pub(super) struct WantedWord {
    /// How much it tells: rare words tell more, and words that only resemble the one asked for tell less.
    pub(super) worth: f32,
    /// Terms and the factor of each, at most one.
    pub(super) terms: Vec<(u32, f32)>,
    /// The number of the word as it was typed, if some text has it so.
    pub(super) form: Option<u32>,
}

impl Wanted {
    /// What all words together are worth.
    pub(super) fn worth(&self) -> f32 {
        self.words.iter().map(|word| word.worth).sum()
    }

    /// The most that a single word is worth where the words that a document has are weighed against those that it
    /// lacks. Rarity already raises what a word contributes: counted once more without a limit, the rarer of two words
    /// would outdo a title with the other one.
    #[expect(clippy::cast_precision_loss, reason = "queries are short")]
    pub(super) fn most_worth(&self) -> f32 {
        MAX_WORTH * self.worth() / self.words.len() as f32
    }
}

/// The least weight of words by which a document is no noise.
///
/// What a document tells of a query is the weight of the words that it has, times the share that this is of the whole
/// query, in which a word that no document has counts as one of the rarest: neither a common word alone tells enough,
/// nor a single one of many. A document that has the only word of a query, or the words in quotation marks, has what
/// was asked for.
pub(super) fn least_told(tables: &Tables, query: &Query, wanted: &Wanted) -> f32 {
    if query.telling < 2 || !query.phrases.is_empty() {
        return 0.0;
    }
    let (rarest, known) = (rarity(tables, 1), wanted.worth());
    let unknown = (known / wanted.known - known) * rarest / rarity(tables, 0);
    (MIN_TOLD * rarest * (known + unknown)).sqrt()
}

/// Returns the terms for every word of `query` that is not idle.
///
/// A word that occurs nowhere cannot tell one document from another, so it is left out; the share of the query that
/// remains says how well this index, and thus its language, understands it.
pub(super) fn wanted(tables: &Tables, query: &Query) -> Wanted {
    let synonyms = synonyms(tables, query);
    let words = query.words.iter().zip(&synonyms).filter(|(word, _)| !word.is_idle);
    let mut slips_left = MAX_SLIPS;
    let words = words.flat_map(|(word, synonyms)| match terms(tables, word, synonyms, &mut slips_left) {
        terms if terms.is_empty() && !query.is_mixed => halves(tables, word).into_iter().map(|it| (it, None)).collect(),
        terms => vec![(terms, tables.forms.find(&word.form))],
    });
    let words = words.map(|(terms, form)| WantedWord { worth: worth(tables, &terms), terms, form });
    let (words, unknown): (Vec<_>, Vec<_>) = words.partition(|word| !word.terms.is_empty());
    let [known, unknown] = [&words, &unknown].map(|words| words.iter().map(|word| word.worth).sum::<f32>());
    Wanted { words, known: if unknown > 0.0 { known / (known + unknown) } else { 1.0 } }
}

/// Whether some word of `query` that is not idle occurs in no text in any of its forms, or in none as it is written but
/// does so in those of `other`: a word of another language may have a known stem by chance. Also whether a word is
/// plainly of another language.
pub(super) fn is_rather_of(tables: &Tables, query: &Query, other: &Tables) -> bool {
    let has = |tables: &Tables, word: &QueryWord| tables.forms.find(&word.form).is_some();
    let synonyms = synonyms(tables, query);
    query.words.iter().zip(&synonyms).any(|(word, synonyms)| {
        let is_unknown = || !has(tables, word) && (tables.terms.find(&word.stem).is_none() || has(other, word));
        word.is_foreign || !word.is_idle && synonyms.is_empty() && is_unknown()
    })
}

/// The words of `query`, which was put to `first` and is not in its language alone, that say nothing here: those that
/// only hold others together in that language. `None` if `query` may be in the language of `tables`, because each of
/// its words occurs here or is unknown in both: `is`, which is English, is also how people type `iş`.
pub(super) fn idle_elsewhere(tables: &Tables, query: &str, first: &Tables) -> Option<Vec<String>> {
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

/// For each word of `query`, the terms that mean the same as it, or as the phrase that it belongs to.
pub(super) fn synonyms(tables: &Tables, query: &Query) -> Vec<Vec<(u32, f32)>> {
    let mut found = vec![Vec::new(); query.words.len()];
    let telling: Vec<usize> = (0..query.words.len()).filter(|at| !query.words[*at].is_idle).collect();
    let stems: Vec<&str> = telling.iter().map(|at| query.words[*at].stem.as_str()).collect();
    tables.synonyms.each(&stems, |place, alternative| {
        let terms: Option<Vec<u32>> = alternative.split(' ').map(|stem| tables.terms.find(stem)).collect();
        let Some(terms) = terms else { return };
        // Word by word; where a phrase stands for one word, that of its words which tells most.
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
        beginning(tables, &word.form, counts, &mut terms);
    }
    if terms.is_empty() && word.form.len() >= MIN_SLIP - 1 {
        beginning(tables, &word.form, COMPLETES, &mut terms);
    }
    let may_slip = word.form.len() >= MIN_SLIP && !word.form.bytes().any(|byte| byte.is_ascii_digit());
    if terms.is_empty() && may_slip && *slips_left > 0 {
        *slips_left -= 1;
        slips(tables, word, &mut terms);
    }
    terms
}

/// Adds the terms of forms that begin with `form`, the most frequent ones.
fn beginning(tables: &Tables, form: &str, counts: f32, terms: &mut Vec<(u32, f32)>) {
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

/// Adds the terms of forms that differ from the word by one slip, or of stems that differ so from its stem while the
/// stem is long, or some form differs little from the word.
fn slips(tables: &Tables, word: &QueryWord, terms: &mut Vec<(u32, f32)>) {
    let forms = (0..tables.forms.len() as u32)
        .filter(|form| is_one_slip(tables.forms.bytes(*form), word.form.as_bytes()))
        .filter_map(|form| tables.term_of_form(form));
    let has_near_form = |term: u32| {
        let near = |form: u32| differ_by_at_most(SLIP_AND_ENDING, tables.forms.bytes(form), word.form.as_bytes());
        tables.forms_of.members(term).iter().any(|form| near(*form))
    };
    let stems = (0..tables.terms.len() as u32).filter(|term| {
        let stem = tables.terms.bytes(*term);
        stem.len() >= MIN_SLIP
            && is_one_slip(stem, word.stem.as_bytes())
            && (word.stem.len() >= LONG_STEM || has_near_form(*term))
    });
    let mut found: Vec<u32> = forms.collect();
    if word.stem.len() >= MIN_SLIP {
        found.extend(stems);
    }
    found.sort_unstable();
    found.dedup();
    terms.extend(found.into_iter().take(MAX_TERMS).map(|term| (term, RESEMBLES)));
}

/// Splits a word that resembles nothing into two known words, as they may have been written as one: `noncompete`. If
/// there is no such pair it stays unknown, so that documents are not rewarded for having all the rest.
fn halves(tables: &Tables, word: &QueryWord) -> Vec<Vec<(u32, f32)>> {
    let known = |form: &str| tables.forms.find(form).and_then(|form| tables.term_of_form(form));
    (3..word.form.len().saturating_sub(2))
        .filter_map(|at| word.form.split_at_checked(at))
        .find_map(|(first, second)| Some(vec![vec![(known(first)?, 1.0)], vec![(known(second)?, 1.0)]]))
        .unwrap_or_else(|| vec![Vec::new()])
}

/// [`rarity`] of the most frequent among the terms with the greatest factor, times the factor.
fn worth(tables: &Tables, terms: &[(u32, f32)]) -> f32 {
    let full = terms.first().map_or(0.0, |(_, counts)| *counts);
    let same = terms.iter().filter(|(_, counts)| *counts >= full);
    let telling = rarity(tables, same.map(|(term, _)| tables.postings(*term).count).max().unwrap_or(0));
    if terms.is_empty() { telling } else { telling * full }
}

/// Robertson's inverse document frequency of a word that `count` documents have.
#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
fn rarity(tables: &Tables, count: u32) -> f32 {
    let count = count as f32;
    (1.0 + (tables.documents as f32 - count + 0.5) / (count + 0.5)).ln()
}
