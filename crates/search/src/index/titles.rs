//! How well a title answers a query.

use super::{candidates::Wanted, query::Query, spellings::Spellings, tables::Tables};
use crate::words::each_word;

/// How much a title with all words adds, and how much more one that has no other words.
const TITLE: f32 = 0.8;
const WHOLE_TITLE: f32 = 0.9;
/// Factor of a word of a title that is another form of the word in the query.
const OTHER_FORM: f32 = 0.75;

/// The words that a title may have in common with a query.
pub(super) struct Titles<'a> {
    /// The place of the word in the query, and the factor of the spelling.
    spellings: Spellings<'a, (usize, f32)>,
}

impl<'a> Titles<'a> {
    pub(super) fn new(tables: &'a Tables, query: &Query, wanted: &Wanted) -> Self {
        let places = wanted.words.iter().enumerate();
        let terms = places.flat_map(|(place, word)| word.terms.iter().map(move |(term, _)| (*term, place)));
        let spellings = Spellings::new(tables, terms, |place, form| {
            let is_same = query.words.iter().any(|word| word.form == form);
            (*place, if is_same { 1.0 } else { OTHER_FORM })
        });
        Self { spellings }
    }

    /// Which words of the query, one bit for each, stand in a text as they were typed.
    pub(super) fn as_typed(&self, tables: &Tables, text: &str) -> u64 {
        let (mut typed, mut folded) = (0, String::new());
        each_word(tables.locale, text, |word| match self.spellings.find(word, &mut folded) {
            Some((place, counts)) if counts >= 1.0 => typed |= 1 << place,
            _ => {}
        });
        typed
    }

    /// What a title adds: zero or more.
    #[expect(clippy::cast_precision_loss, reason = "titles are short")]
    pub(super) fn fit(&self, tables: &Tables, wanted: &Wanted, title: &str) -> f32 {
        let mut has = vec![0.0_f32; wanted.words.len()];
        let (mut words, mut matching) = (0_u32, 0.0_f32);
        let mut folded = String::new();
        each_word(tables.locale, title, |word| {
            words += 1;
            let Some((place, counts)) = self.spellings.find(word, &mut folded) else { return };
            matching += counts;
            if let Some(has) = has.get_mut(place) {
                *has = has.max(counts);
            }
        });
        let share: f32 =
            has.iter().zip(&wanted.words).map(|(has, word)| has * word.worth).sum::<f32>() / wanted.worth();
        share * (TITLE + WHOLE_TITLE * share * matching / words.max(1) as f32)
    }
}
