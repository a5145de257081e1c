//! The shares of title and summary in the score of a document.

use super::{candidates::QueryTerms, query::Query, spellings::Spellings, tables::Tables};
use crate::words::each_word;

/// Bonus of a title with all words of the query, and further bonus of a title without other words.
const TITLE: f32 = 0.67;
const WHOLE_TITLE: f32 = 0.8;
/// Factor of a word in another form than in the query.
const OTHER_FORM: f32 = 0.8;

/// What a document's title and summary contain of a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubjectShares {
    /// The bonus of the title, zero or more.
    pub(super) title: f32,
    /// The share of the query, by worth, in title and summary together.
    pub(super) summary: f32,
}

/// The spellings of the words of a query in titles.
pub(super) struct Titles<'a> {
    /// The position of the word in the query and the factor of the spelling.
    spellings: Spellings<'a, (usize, f32)>,
}

impl<'a> Titles<'a> {
    pub(super) fn new(tables: &'a Tables, query: &Query, wanted: &QueryTerms) -> Self {
        let places = wanted.words.iter().enumerate();
        let terms = places.flat_map(|(place, word)| word.terms.iter().map(move |(term, _)| (*term, place)));
        let spellings = Spellings::new(tables, terms, |place, form| {
            let is_same = query.words.iter().any(|word| word.form == form);
            (*place, if is_same { 1.0 } else { OTHER_FORM })
        });
        Self { spellings }
    }

    /// Returns the words of the query that occur in a text as typed, one bit for each.
    pub(super) fn words_as_typed(&self, tables: &Tables, text: &str) -> u64 {
        let (mut typed, mut folded) = (0, String::new());
        each_word(tables.locale, text, |word| match self.spellings.find(word, &mut folded) {
            Some((place, counts)) if counts >= 1.0 => typed |= 1 << place,
            _ => {}
        });
        typed
    }

    /// Returns what a title and a summary contain of the query.
    #[expect(clippy::cast_precision_loss, reason = "titles are short")]
    pub(super) fn shares(&self, tables: &Tables, wanted: &QueryTerms, title: &str, summary: &str) -> SubjectShares {
        let mut has = vec![0.0_f32; wanted.words.len()];
        let (mut words, mut matching) = (0_u32, 0.0_f32);
        let mut folded = String::new();
        let mut read = |text: &str, has: &mut [f32]| {
            each_word(tables.locale, text, |word| {
                words += 1;
                let Some((place, counts)) = self.spellings.find(word, &mut folded) else { return };
                matching += counts;
                if let Some(has) = has.get_mut(place) {
                    *has = has.max(counts);
                }
            });
            (words, matching)
        };
        let share = |has: &[f32]| {
            has.iter().zip(&wanted.words).map(|(has, word)| has * word.worth).sum::<f32>() / wanted.worth()
        };
        let (words, matching) = read(title, &mut has);
        let in_title = share(&has);
        let title = in_title * (TITLE + WHOLE_TITLE * in_title * matching / words.max(1) as f32);
        read(summary, &mut has);
        SubjectShares { title, summary: share(&has) }
    }
}
