//! Builds the bytes of an index from documents.

mod lexicon;
mod postings;
mod sections;
mod write;

use contract::Locale;

use crate::{
    format::{push_text, push_varint, read_text},
    synonyms,
};
use lexicon::Lexicon;

/// A page in plain text.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexedDocument<'a> {
    /// Unique in an index.
    pub id: &'a str,
    pub title: &'a str,
    /// Empty for a page that exists only in the other language and is searchable in this one.
    pub url: &'a str,
    /// `publication`, `person` and the like.
    pub kind: &'a str,
    /// Headings inside the text.
    pub headings: &'a [&'a str],
    /// Further words that find the document. They rank like headings, and its length is without them.
    pub terms: &'a [&'a str],
    /// The description in lists.
    pub summary: &'a str,
    pub body: &'a str,
    /// The id of the same page in the index of the other language; empty if there is none.
    pub translation: &'a str,
    /// Data of the caller; stored unchanged and not searched.
    pub facts: &'a str,
}

/// Collects documents of one locale. Texts are stored as numbers of words, about a third of their size.
#[derive(Debug)]
pub struct Builder {
    locale: Locale,
    lexicon: Lexicon,
    entries: Vec<IndexEntry>,
    /// Buffer for the document that is being added.
    draft: Vec<u8>,
}

/// The parts of a document; each has its own weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DocumentField {
    Title,
    Summary,
    Headings,
    Body,
}

const FIELDS: usize = 4;

impl DocumentField {
    const ALL: [Self; FIELDS] = [Self::Title, Self::Summary, Self::Headings, Self::Body];
}

/// A document with its words as numbers of a lexicon.
#[derive(Debug)]
struct IndexEntry {
    /// The stored texts in the form of `Section::Documents`, then the varint numbers of the pieces of each field.
    bytes: Box<[u8]>,
    /// The end of the stored texts, and the end of each field.
    ends: [usize; FIELDS + 1],
    /// Words of each field.
    lengths: [u32; FIELDS],
    /// The joined lexicon of these numbers.
    lexicon: usize,
}

impl Builder {
    /// Creates an empty builder for `locale`.
    pub fn new(locale: Locale) -> Self {
        Self { locale, lexicon: Lexicon::new(locale), entries: Vec::new(), draft: Vec::new() }
    }

    /// Adds a document. The order of calls does not matter; of two documents with one id, only one is kept.
    pub fn add(&mut self, document: &IndexedDocument<'_>) {
        self.draft.clear();
        let IndexedDocument { id, title, url, kind, summary, translation, facts, .. } = *document;
        for text in [id, title, url, kind, summary, translation, facts] {
            push_text(&mut self.draft, text);
        }
        let mut ends = [self.draft.len(); FIELDS + 1];
        let mut lengths = [0; FIELDS];
        let fields: [(DocumentField, &[&str]); FIELDS] = [
            (DocumentField::Title, &[document.title]),
            (DocumentField::Summary, &[document.summary]),
            (DocumentField::Headings, document.headings),
            (DocumentField::Body, &[document.body]),
        ];
        for (field, texts) in fields {
            lengths[field as usize] = texts.iter().map(|text| self.read(text)).sum();
            if field == DocumentField::Headings {
                for term in document.terms {
                    self.read(term);
                }
            }
            ends[field as usize + 1] = self.draft.len();
        }
        self.entries.push(IndexEntry { bytes: self.draft.as_slice().into(), ends, lengths, lexicon: 0 });
    }

    /// Returns the bytes of the index; equal documents give equal bytes.
    pub fn build(self) -> Vec<u8> {
        Self::join(self.locale, [self], &[])
    }

    /// Returns the bytes of one index of the documents of several builders; the result does not depend on how the
    /// documents are distributed. The phrases of each group of `synonyms` stand for each other in queries.
    pub fn join(locale: Locale, builders: impl IntoIterator<Item = Self>, synonyms: &[Vec<String>]) -> Vec<u8> {
        let mut lexicons = Vec::new();
        let mut entries = Vec::new();
        for (number, builder) in builders.into_iter().enumerate() {
            lexicons.push(builder.lexicon);
            entries.extend(builder.entries.into_iter().map(|entry| IndexEntry { lexicon: number, ..entry }));
        }
        entries.sort_by(|a, b| a.id().cmp(b.id()).then_with(|| a.stored().cmp(b.stored())));
        entries.dedup_by(|later, first| later.id() == first.id());
        write::index(locale, lexicons, entries, &synonyms::encode(locale, synonyms))
    }

    /// Appends the numbers of the pieces of `text` to the draft, and returns the number of words.
    fn read(&mut self, text: &str) -> u32 {
        let (numbers, lexicon) = (&mut self.draft, &mut self.lexicon);
        let mut words = 0;
        let mut begins = true;
        let rest = crate::words::each_range(self.locale, text, |gap, word| {
            // The usual gap, one space, needs no number.
            if begins || word.start != gap + 1 || text.as_bytes()[gap] != b' ' {
                lexicon.gap(&text[gap..word.start], |piece| push_varint(numbers, piece));
            }
            begins = false;
            push_varint(numbers, lexicon.word(&text[word]));
            words += 1;
        });
        lexicon.gap(&text[rest..], |piece| push_varint(numbers, piece));
        words
    }
}

impl IndexEntry {
    fn id(&self) -> &str {
        read_text(&self.bytes, &mut 0).unwrap_or_default()
    }

    fn stored(&self) -> &[u8] {
        &self.bytes[..self.ends[0]]
    }

    fn field(&self, field: DocumentField) -> &[u8] {
        &self.bytes[self.ends[field as usize]..self.ends[field as usize + 1]]
    }
}
