//! Finds the words of a query in any text.

use std::ops::Range;

use super::{candidates, query::Query, spellings::Spellings, tables::Tables};
use crate::words::each_range;

/// Finds the words of one query in any of their forms.
pub struct Marker<'a> {
    tables: &'a Tables,
    spellings: Spellings<'a, ()>,
}

impl<'a> Marker<'a> {
    pub(super) fn new(tables: &'a Tables, query: &Query) -> Self {
        let wanted = candidates::resolve_terms(tables, query);
        let terms = wanted.words.iter().flat_map(|word| word.terms.iter().map(|(term, _)| (*term, ())));
        Self { tables, spellings: Spellings::new(tables, terms, |(), _| ()) }
    }

    /// Returns the ranges of the words in `text`, in order.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        let (mut places, mut folded) = (Vec::new(), String::new());
        each_range(self.tables.locale, text, |_, word| {
            if self.spellings.find(&text[word.clone()], &mut folded).is_some() {
                places.push(word);
            }
        });
        places
    }
}
