//! Words in quotation marks: they must stand one after the other, in any of their forms.

use super::{query::Query, spellings::Spellings, spots::Marks, tables::Tables};
use crate::words::each_word;

/// Octets of texts that are looked through for the phrases of one query; more would take too long.
const MOST_OCTETS: usize = 1 << 20;

/// A phrase whose words are all known.
struct Phrase<'a> {
    terms: Vec<u32>,
    /// Each different term of the phrase is a word of these.
    marks: Marks,
    spellings: Spellings<'a, u32>,
}

/// The phrases of a query, and the documents that may have them.
pub(super) struct Phrases<'a> {
    all: Vec<Phrase<'a>>,
    /// For each document whether it has every word of every phrase; empty without phrases.
    may_have: Vec<bool>,
    left: usize,
}

impl<'a> Phrases<'a> {
    /// `None` where a phrase has a word that no text has.
    pub(super) fn of(tables: &'a Tables, query: &Query) -> Option<Self> {
        let terms: Option<Vec<Vec<u32>>> = query
            .phrases
            .iter()
            .map(|phrase| query.words[phrase.clone()].iter().map(|word| tables.terms.find(&word.stem)).collect())
            .collect();
        let terms = terms?;
        let mut has = if terms.is_empty() { Vec::new() } else { vec![0_u8; tables.documents] };
        for (number, term) in (0..).zip(terms.iter().flatten()) {
            for (document, _) in tables.postings(*term) {
                if let Some(has) = has.get_mut(document as usize).filter(|has| **has == number) {
                    *has += 1;
                }
            }
        }
        let words = terms.iter().map(Vec::len).sum::<usize>();
        let phrase = |terms: Vec<u32>| {
            let marks = Marks::of(tables, terms.iter().map(|term| std::iter::once(*term)));
            let spellings = Spellings::new(tables, terms.iter().map(|term| (*term, *term)), |term, _| *term);
            Phrase { terms, marks, spellings }
        };
        Some(Self {
            all: terms.into_iter().map(phrase).collect(),
            may_have: has.into_iter().map(|has| usize::from(has) == words).collect(),
            left: MOST_OCTETS,
        })
    }

    /// Whether a document may have every phrase.
    pub(super) fn may_stand_in(&self, document: u32) -> bool {
        self.may_have.is_empty() || self.may_have.get(document as usize).is_some_and(|may| *may)
    }

    /// Whether there is nothing to look for.
    pub(super) fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a document has every phrase. After very much text it says no.
    pub(super) fn stand_in(&mut self, tables: &Tables, document: u32) -> bool {
        if self.are_none() {
            return true;
        }
        let text = tables.text(document);
        let Some(left) = self.left.checked_sub(text.len() * self.all.len()) else { return false };
        self.left = left;
        self.all.iter().all(|phrase| phrase.stands_in(tables, document, text))
    }
}

impl Phrase<'_> {
    fn stands_in(&self, tables: &Tables, document: u32, text: &[u8]) -> bool {
        let mut search = Search::of(&self.terms);
        let (mut found, mut next) = (false, 0);
        self.marks.each(text, |spot| {
            if spot.words_before != next {
                search.interrupt();
            }
            next = spot.words_before + 1;
            found = tables.term_of_piece(spot.piece).is_some_and(|term| search.step(term));
            !found
        });
        found
            || tables.document(document).is_some_and(|shown| {
                [shown.title, shown.summary].into_iter().any(|text| self.stands_in_plain(tables, text))
            })
    }

    fn stands_in_plain(&self, tables: &Tables, text: &str) -> bool {
        let mut search = Search::of(&self.terms);
        let (mut found, mut folded) = (false, String::new());
        each_word(tables.locale, text, |word| match self.spellings.find(word.text, &mut folded) {
            Some(term) => found |= search.step(term),
            None => search.interrupt(),
        });
        found
    }
}

/// How much of a phrase stands at a place of a text.
struct Search<'a> {
    terms: &'a [u32],
    /// A bit for each number of words of the phrase that end here.
    open: u32,
}

impl<'a> Search<'a> {
    fn of(terms: &'a [u32]) -> Self {
        Self { terms, open: 0 }
    }

    /// Another word stands between.
    fn interrupt(&mut self) {
        self.open = 0;
    }

    /// Takes the next word; whether the phrase ends with it.
    fn step(&mut self, term: u32) -> bool {
        let fits = self.terms.iter().enumerate().filter(|(_, word)| **word == term);
        let fits = fits.fold(0_u32, |bits, (at, _)| bits | (1 << (at + 1)));
        self.open = ((self.open << 1) | 2) & fits;
        self.open & (1 << self.terms.len()) != 0
    }
}
