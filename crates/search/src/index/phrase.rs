//! Words in quotation marks: they must follow one another, in any of their forms.

use super::{query::Query, spellings::Spellings, tables::Tables};
use crate::{
    format::{push_varint, read_varint},
    words::each_word,
};

/// Number of bytes of texts that are searched for the phrases of one query; more would take too long.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// A phrase whose words are all known.
struct Phrase<'a> {
    terms: Vec<u32>,
    begin: Begin,
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
            let begin = Begin::of(terms.first().map_or(&[][..], |term| tables.pieces_of.members(*term)));
            let spellings = Spellings::new(tables, terms.iter().map(|term| (*term, *term)), |term, _| *term);
            Phrase { terms, begin, spellings }
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
        let mut at = 0;
        while let Some(place) = self.begin.next(text, at) {
            if self.goes_on(tables, &text[place..]) {
                return true;
            }
            at = place + 1;
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

/// The first two bytes of the numbers of a word's spellings. A text is searched for them without decoding its numbers,
/// which is several times faster.
struct Begin {
    /// One bit for each pair of bytes.
    pairs: Vec<u64>,
}

impl Begin {
    fn of(pieces: &[u32]) -> Self {
        let mut begin = Self { pairs: vec![0; 1 << 10] };
        for piece in pieces {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, *piece);
            match bytes[..] {
                [first] => (0..=u8::MAX).for_each(|second| begin.mark(first, second)),
                [first, second, ..] => begin.mark(first, second),
                [] => {}
            }
        }
        begin
    }

    fn mark(&mut self, first: u8, second: u8) {
        let pair = usize::from(u16::from_le_bytes([first, second]));
        self.pairs[pair / 64] |= 1 << (pair % 64);
    }

    /// Finds where a number that may be one of these begins, from `at` on. The last byte cannot begin a phrase.
    fn next(&self, text: &[u8], at: usize) -> Option<usize> {
        let is_marked = |pair: &[u8; 2]| {
            let pair = usize::from(u16::from_le_bytes(*pair));
            self.pairs[pair / 64] >> (pair % 64) & 1 == 1
        };
        let mut from = at;
        loop {
            let place = from + text.get(from..)?.array_windows().position(is_marked)?;
            // Inside a number, the byte before says that the number goes on.
            if place.checked_sub(1).is_none_or(|before| text[before] < 0x80) {
                return Some(place);
            }
            from = place + 1;
        }
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
