//! The spellings of a few terms, to recognise words of a title or a summary without searching all forms.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::tables::Tables;
use crate::letters::each_letter;

/// Folded spellings with their meanings.
pub(super) struct Spellings<'a, T> {
    meanings: HashMap<&'a str, T, FixedState>,
}

impl<'a, T: Copy> Spellings<'a, T> {
    /// Creates the spellings of `terms`; of two meanings of a term the first counts. `meaning` maps a term's meaning
    /// and a spelling to the meaning of that spelling.
    pub(super) fn new<M>(
        tables: &'a Tables,
        terms: impl Iterator<Item = (u32, M)>,
        meaning: impl Fn(&M, &str) -> T,
    ) -> Self {
        let mut spellings = Self { meanings: HashMap::default() };
        for (term, of_term) in terms {
            for form in tables.forms_of.members(term) {
                let form = tables.forms.text(*form);
                spellings.meanings.entry(form).or_insert_with(|| meaning(&of_term, form));
            }
        }
        spellings
    }

    /// Returns the meaning of a word. `folded` is a scratch buffer.
    pub(super) fn find(&self, word: &str, folded: &mut String) -> Option<T> {
        folded.clear();
        each_letter(word, |letter| folded.push(letter));
        self.meanings.get(folded.as_str()).copied()
    }
}
