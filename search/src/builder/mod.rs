//! From documents to the bytes of an index.

mod lexicon;
mod postings;
mod write;

use contract::Locale;

use crate::format::{push_text, push_varint};
use lexicon::Lexicon;

/// What is to be found: a page, in plain text.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Names the document; each once in an index.
    pub id: &'a str,
    /// Its heading.
    pub title: &'a str,
    /// Where people read it.
    pub url: &'a str,
    /// What it is: `publication`, `person`.
    pub kind: &'a str,
    /// Headings inside the text.
    pub headings: &'a [&'a str],
    /// What lists say about it.
    pub summary: &'a str,
    /// The text.
    pub body: &'a str,
}

/// Collects documents of one locale.
///
/// It keeps texts as numbers of words, about a third of their size.
#[derive(Debug)]
pub struct Builder {
    locale: Locale,
    lexicon: Lexicon,
    entries: Vec<Entry>,
}

/// The parts of a document that weigh differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Title,
    Summary,
    Headings,
    Body,
}

/// How many fields there are.
const FIELDS: usize = 4;

/// A document whose words have become numbers of the lexicon.
#[derive(Debug)]
struct Entry {
    id: String,
    /// As `Section::Documents` has it.
    shown: Vec<u8>,
    /// Varint numbers of pieces, a stretch for each field.
    fields: [Vec<u8>; FIELDS],
    /// How many words each field has.
    lengths: [u32; FIELDS],
}

impl Builder {
    /// An empty index of `locale`.
    #[must_use]
    pub fn new(locale: Locale) -> Self {
        Self { locale, lexicon: Lexicon::new(locale), entries: Vec::new() }
    }

    /// Takes a document. The order of calls does not matter; of two documents with one id, either may be kept.
    pub fn add(&mut self, document: &Document<'_>) {
        let mut shown = Vec::new();
        for text in [document.id, document.title, document.url, document.kind, document.summary] {
            push_text(&mut shown, text);
        }
        let mut entry = Entry { id: document.id.to_owned(), shown, fields: Default::default(), lengths: [0; FIELDS] };
        self.read(&mut entry, Field::Title, document.title);
        self.read(&mut entry, Field::Summary, document.summary);
        for heading in document.headings {
            self.read(&mut entry, Field::Headings, heading);
        }
        self.read(&mut entry, Field::Body, document.body);
        entry.fields.iter_mut().for_each(Vec::shrink_to_fit);
        self.entries.push(entry);
    }

    /// The bytes of the index: the same for the same documents.
    #[must_use]
    pub fn build(self) -> Vec<u8> {
        let Self { locale, lexicon, mut entries } = self;
        entries.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.shown.cmp(&b.shown)));
        entries.dedup_by(|later, first| later.id == first.id);
        write::index(locale, lexicon, entries)
    }

    fn read(&mut self, entry: &mut Entry, field: Field, text: &str) {
        let (numbers, length) = (&mut entry.fields[field as usize], &mut entry.lengths[field as usize]);
        let lexicon = &mut self.lexicon;
        let mut begins = true;
        let rest = crate::words::each_word(self.locale, text, |word| {
            if begins || word.gap != " " {
                lexicon.gap(word.gap, |piece| push_varint(numbers, piece));
            }
            begins = false;
            push_varint(numbers, lexicon.word(word.text));
            *length += 1;
        });
        lexicon.gap(rest, |piece| push_varint(numbers, piece));
    }
}
