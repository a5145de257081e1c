//! Words in quotation marks, which must follow one another, in any of their forms.

use super::{query::Query, spellings::Spellings, tables::Tables};
use crate::{format::read_varint, words::each_word};

/// Bytes of texts that are searched for the phrases of one query, which limits its time.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// A phrase whose words are all terms of the index.
struct Phrase<'a> {
    terms: Vec<u32>,
    spellings: Spellings<'a, u32>,
}

/// The phrases of a query, and the documents that may match them.
pub(super) struct QueryPhrases<'a> {
    all: Vec<Phrase<'a>>,
    /// For each document, whether it has every word of every phrase; empty without phrases.
    may_have: Vec<bool>,
    /// Bytes of texts that may still be searched; `None` once the limit is exceeded.
    left: Option<usize>,
}

impl<'a> QueryPhrases<'a> {
    /// Prepares the phrases of `query`; `None` if a word of a phrase occurs in no text.
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

    /// Returns whether a document has every word of every phrase.
    pub(super) fn may_match(&self, document: u32) -> bool {
        self.may_have.is_empty() || self.may_have.get(document as usize).is_some_and(|may| *may)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns whether a document has every phrase; `None` for this and all later documents once the limit of searched
    /// bytes is exceeded.
    pub(super) fn match_document(&mut self, tables: &Tables, document: u32) -> Option<bool> {
        if self.is_empty() {
            return Some(true);
        }
        let text = tables.text(document);
        self.left = self.left?.checked_sub(text.len() * self.all.len());
        self.left.map(|_| self.all.iter().all(|phrase| phrase.matches_text(tables, document, text)))
    }
}

impl Phrase<'_> {
    fn matches_text(&self, tables: &Tables, document: u32, text: &[u8]) -> bool {
        let (mut place, mut at) = (0, 0);
        while let Some(piece) = read_varint(text, &mut at) {
            if tables.term_of_piece(piece) == self.terms.first().copied() && self.continues(tables, &text[place..]) {
                return true;
            }
            place = at;
        }
        tables.document(document).is_some_and(|document_texts| {
            [document_texts.title, document_texts.summary].into_iter().any(|text| self.matches_plain_text(tables, text))
        })
    }

    /// Returns whether a text begins with the phrase, ignoring signs between its words.
    fn continues(&self, tables: &Tables, text: &[u8]) -> bool {
        let mut at = 0;
        self.terms.iter().all(|term| {
            let mut words = std::iter::from_fn(|| read_varint(text, &mut at)).filter_map(|it| tables.term_of_piece(it));
            words.next() == Some(*term)
        })
    }

    fn matches_plain_text(&self, tables: &Tables, text: &str) -> bool {
        let mut search = PhraseMatcher::of(&self.terms);
        let (mut found, mut folded) = (false, String::new());
        each_word(tables.locale, text, |word| match self.spellings.find(word, &mut folded) {
            Some(term) => found |= search.step(term),
            None => search.interrupt(),
        });
        found
    }
}

/// Matches a phrase in the words of a plain text.
struct PhraseMatcher<'a> {
    terms: &'a [u32],
    /// Bit `n` is set if the last `n` words are the first `n` words of the phrase.
    open: u64,
}

impl<'a> PhraseMatcher<'a> {
    fn of(terms: &'a [u32]) -> Self {
        Self { terms, open: 0 }
    }

    /// Starts again after a word that is not in the phrase.
    fn interrupt(&mut self) {
        self.open = 0;
    }

    /// Adds the next word, and returns whether the phrase ends with it.
    fn step(&mut self, term: u32) -> bool {
        let fits = self.terms.iter().enumerate().filter(|(_, word)| **word == term);
        let fits = fits.fold(0_u64, |bits, (at, _)| bits | (1 << (at + 1)));
        self.open = ((self.open << 1) | 2) & fits;
        self.open & (1 << self.terms.len()) != 0
    }
}
