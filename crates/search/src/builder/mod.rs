//! Turns documents into the bytes of an index.

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

/// A page to be found, in plain text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Document<'a> {
    /// Identifies the document; unique in an index.
    pub id: &'a str,
    /// Its heading.
    pub title: &'a str,
    /// Where people read it; empty for a page that exists in the other language only, which words of this language
    /// lead to.
    pub url: &'a str,
    /// What it is: `publication`, `person`.
    pub kind: &'a str,
    /// Headings inside the text.
    pub headings: &'a [&'a str],
    /// What lists say about it.
    pub summary: &'a str,
    /// The text.
    pub body: &'a str,
    /// The id of the same page in the index of the other language; empty if there is none.
    pub translation: &'a str,
    /// What a reader of the index wants to know besides; kept as it is, and not searched.
    pub facts: &'a str,
}

/// Collects documents of one locale.
///
/// It keeps texts as numbers of words, about a third of their size.
#[derive(Debug)]
pub struct Builder {
    locale: Locale,
    lexicon: Lexicon,
    entries: Vec<Entry>,
    /// Buffer in which a document is written before its length is known.
    draft: Vec<u8>,
}

/// The parts of a document, which differ in weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Title,
    Summary,
    Headings,
    Body,
}

/// How many fields there are.
const FIELDS: usize = 4;

impl Field {
    const ALL: [Self; FIELDS] = [Self::Title, Self::Summary, Self::Headings, Self::Body];
}

/// A document whose words have become numbers of the lexicon.
#[derive(Debug)]
struct Entry {
    /// What is shown, in the form of `Section::Documents`; then varint numbers of pieces, one stretch for each field.
    bytes: Box<[u8]>,
    /// Where what is shown ends, and where each field ends.
    ends: [usize; FIELDS + 1],
    /// How many words each field has.
    lengths: [u32; FIELDS],
    /// Which of the joined lexicons the numbers belong to.
    lexicon: usize,
}

impl Builder {
    /// An empty index of `locale`.
    #[must_use]
    pub fn new(locale: Locale) -> Self {
        Self { locale, lexicon: Lexicon::new(locale), entries: Vec::new(), draft: Vec::new() }
    }

    /// Adds a document. The order of calls does not matter; of two documents with one id, either may be kept.
    pub fn add(&mut self, document: &Document<'_>) {
        self.draft.clear();
        let Document { id, title, url, kind, summary, translation, facts, .. } = *document;
        for text in [id, title, url, kind, summary, translation, facts] {
            push_text(&mut self.draft, text);
        }
        let mut ends = [self.draft.len(); FIELDS + 1];
        let mut lengths = [0; FIELDS];
        let fields: [(Field, &[&str]); FIELDS] = [
            (Field::Title, &[document.title]),
            (Field::Summary, &[document.summary]),
            (Field::Headings, document.headings),
            (Field::Body, &[document.body]),
        ];
        for (field, texts) in fields {
            lengths[field as usize] = texts.iter().map(|text| self.read(text)).sum();
            ends[field as usize + 1] = self.draft.len();
        }
        self.entries.push(Entry { bytes: self.draft.as_slice().into(), ends, lengths, lexicon: 0 });
    }

    /// Returns the bytes of the index: the same for the same documents.
    #[must_use]
    pub fn build(self) -> Vec<u8> {
        Self::join(self.locale, [self], &[])
    }

    /// Returns the bytes of the index of all documents that several builders of `locale` took, no matter which took
    /// which. In queries, the phrases of each of the groups `synonyms` stand for each other.
    #[must_use]
    pub fn join(locale: Locale, builders: impl IntoIterator<Item = Self>, synonyms: &[Vec<String>]) -> Vec<u8> {
        let mut lexicons = Vec::new();
        let mut entries = Vec::new();
        for (number, builder) in builders.into_iter().enumerate() {
            lexicons.push(builder.lexicon);
            entries.extend(builder.entries.into_iter().map(|entry| Entry { lexicon: number, ..entry }));
        }
        entries.sort_by(|a, b| a.id().cmp(b.id()).then_with(|| a.shown().cmp(b.shown())));
        entries.dedup_by(|later, first| later.id() == first.id());
        write::index(locale, lexicons, entries, &synonyms::written(locale, synonyms))
    }

    /// Adds the numbers of the pieces of `text` to the draft, and returns how many of them are words.
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

impl Entry {
    /// The document's id, which comes first in what is shown.
    fn id(&self) -> &str {
        read_text(&self.bytes, &mut 0).unwrap_or_default()
    }

    fn shown(&self) -> &[u8] {
        &self.bytes[..self.ends[0]]
    }

    fn field(&self, field: Field) -> &[u8] {
        &self.bytes[self.ends[field as usize]..self.ends[field as usize + 1]]
    }
}
