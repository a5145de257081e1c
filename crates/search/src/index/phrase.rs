//! Words in quotation marks: they must follow one another, in any of their forms. If they do so nowhere, nothing is
//! found.

use super::{query::Query, spellings::Spellings, tables::Tables};
use crate::{format::read_varint, words::each_word};

/// Number of bytes of texts that are searched for the phrases of one query; more would take too long.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// A phrase whose words are all known.
struct Phrase<'a> {
    terms: Vec<u32>,
    spellings: Spellings<'a, u32>,
}

/// The phrases of a query, and the documents that may have them.
pub(super) struct Phrases<'a> {
    all: Vec<Phrase<'a>>,
    /// For each document, whether it has every word of every phrase; empty if there are no phrases.
    may_have: Vec<bool>,
    /// Number of bytes of texts that may still be searched, if any.
    left: Option<usize>,
}

impl<'a> Phrases<'a> {
    /// Prepares the phrases of `query`. `None` if a phrase has a word that no text has.
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
            let spellings = Spellings::new(tables, terms.iter().map(|term| (*term, *term)), |term, _| *term);
            Phrase { terms, spellings }
        };
        Some(Self {
            all: terms.into_iter().map(phrase).collect(),
            may_have: has.into_iter().map(|has| usize::from(has) == words).collect(),
            left: Some(MAX_SEARCHED_BYTES),
        })
    }

    /// Whether a document may have every phrase.
    pub(super) fn may_stand_in(&self, document: u32) -> bool {
        self.may_have.is_empty() || self.may_have.get(document as usize).is_some_and(|may| *may)
    }

    /// Whether there are no phrases to look for.
    pub(super) fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a document has every phrase; `None` once too much text has been searched, and from then on for all
    /// documents.
    pub(super) fn stand_in(&mut self, tables: &Tables, document: u32) -> Option<bool> {
        if self.are_none() {
            return Some(true);
        }
        let text = tables.text(document);
        self.left = self.left?.checked_sub(text.len() * self.all.len());
        self.left.map(|_| self.all.iter().all(|phrase| phrase.stands_in(tables, document, text)))
    }
}

impl Phrase<'_> {
    fn stands_in(&self, tables: &Tables, document: u32, text: &[u8]) -> bool {
        let (mut place, mut at) = (0, 0);
        while let Some(piece) = read_varint(text, &mut at) {
            if tables.term_of_piece(piece) == self.terms.first().copied() && self.goes_on(tables, &text[place..]) {
                return true;
            }
            place = at;
        }
        tables.document(document).is_some_and(|shown| {
            [shown.title, shown.summary].into_iter().any(|text| self.stands_in_plain(tables, text))
        })
    }

    /// Whether a text begins with the phrase, ignoring signs between its words.
    fn goes_on(&self, tables: &Tables, text: &[u8]) -> bool {
        let mut at = 0;
        self.terms.iter().all(|term| {
            let mut words = std::iter::from_fn(|| read_varint(text, &mut at)).filter_map(|it| tables.term_of_piece(it));
            words.next() == Some(*term)
        })
    }

    fn stands_in_plain(&self, tables: &Tables, text: &str) -> bool {
        let mut search = Search::of(&self.terms);
        let (mut found, mut folded) = (false, String::new());
        each_word(tables.locale, text, |word| match self.spellings.find(word, &mut folded) {
            Some(term) => found |= search.step(term),
            None => search.interrupt(),
        });
        found
    }
}

/// How much of a phrase matches at a place of a plain text.
struct Search<'a> {
    terms: &'a [u32],
    /// One bit for each number of words of the phrase that match up to here.
    open: u64,
}

impl<'a> Search<'a> {
    fn of(terms: &'a [u32]) -> Self {
        Self { terms, open: 0 }
    }

    /// Starts again, because another word comes between.
    fn interrupt(&mut self) {
        self.open = 0;
    }

    /// Takes the next word, and returns whether the phrase ends with it.
    fn step(&mut self, term: u32) -> bool {
        let fits = self.terms.iter().enumerate().filter(|(_, word)| **word == term);
        let fits = fits.fold(0_u64, |bits, (at, _)| bits | (1 << (at + 1)));
        self.open = ((self.open << 1) | 2) & fits;
        self.open & (1 << self.terms.len()) != 0
    }
}
