//! The sections of an index; every access is checked.

use std::ops::Range;

use bytes::Bytes;
use contract::Locale;

use super::{IndexError, inverse::Inverse};
use crate::{
    format::{HEADER, MARK, NO_TERM, SECTIONS, Section, VERSION, checksum, read_text, read_varint},
    synonyms::Synonyms,
    typo::{is_one_slip, letter_set, may_be_one_slip},
};

#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) locale: Locale,
    /// Number of documents, and of those with a text: lists, which have none, must not make words rarer.
    pub(super) documents: usize,
    pub(super) texts: usize,
    pub(super) forms: TextTable,
    pub(super) terms: TextTable,
    /// The sets of letters of the forms and the terms.
    form_letters: Box<[u32]>,
    term_letters: Box<[u32]>,
    /// The forms and the pieces of each term.
    pub(super) forms_of: Inverse,
    pub(super) pieces_of: Inverse,
    /// For each piece [`GAP`], or 0 for a word.
    pub(super) kinds: Bytes,
    pub(super) synonyms: Synonyms,
    pieces: TextTable,
    bytes: Bytes,
    sections: [Range<usize>; SECTIONS],
}

/// The kind of a piece that is not a word.
pub(super) const GAP: u8 = u8::MAX;

/// Fewest digits of a telephone number with the code of its country.
const MIN_TELEPHONE: usize = 10;

/// Texts by number. UTF-8 and starts are checked once, and again at each access.
#[derive(Clone, Debug)]
pub(super) struct TextTable {
    starts: Bytes,
    texts: Bytes,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredDocument<'a> {
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) url: &'a str,
    pub(super) kind: &'a str,
    pub(super) summary: &'a str,
    pub(super) translation: &'a str,
    pub(super) facts: &'a str,
}

/// The documents of a term, in ascending order.
pub(super) struct TermPostings<'a> {
    /// Number of documents according to the index.
    pub(super) count: u32,
    bytes: &'a [u8],
    at: usize,
    document: u32,
}

impl Tables {
    pub(super) fn parse(bytes: &Bytes) -> Result<Self, IndexError> {
        let header = bytes.get(..HEADER).ok_or(IndexError::Unknown)?;
        if header[..4] != MARK {
            return Err(IndexError::Unknown);
        }
        let version = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        if version != VERSION {
            return Err(IndexError::Version(version));
        }
        let locale = match &header[8..16] {
            b"en\0\0\0\0\0\0" => Locale::En,
            b"tr\0\0\0\0\0\0" => Locale::Tr,
            _ => return Err(IndexError::Unknown),
        };
        if u64_at(bytes, 2) != Some(checksum(&bytes[24..])) {
            return Err(IndexError::Damaged);
        }
        let mut start = HEADER;
        let mut sections = [const { 0..0 }; SECTIONS];
        for (number, section) in sections.iter_mut().enumerate() {
            let length = usize::try_from(u64_at(bytes, 3 + number).unwrap_or(u64::MAX));
            let end = length.ok().and_then(|length| start.checked_add(length)).filter(|end| *end <= bytes.len());
            *section = start..end.ok_or(IndexError::Damaged)?;
            start = section.end;
        }
        if start != bytes.len() {
            return Err(IndexError::Damaged);
        }
        let slice = |section: Section| bytes.slice(sections[section as usize].clone());
        let words = |starts, texts| TextTable { starts: slice(starts), texts: slice(texts) };
        let (forms, terms) = (words(Section::FormStarts, Section::Forms), words(Section::TermStarts, Section::Terms));
        let (form_terms, piece_terms) = (slice(Section::FormTerms), slice(Section::PieceTerms));
        let tables = Self {
            locale,
            documents: (slice(Section::DocumentStarts).len() / 8).saturating_sub(1),
            texts: slice(Section::TextStarts).as_chunks::<8>().0.windows(2).filter(|pair| pair[0] != pair[1]).count(),
            forms_of: Inverse::new(terms.len(), all(&form_terms)),
            pieces_of: Inverse::new(terms.len(), all(&piece_terms)),
            kinds: all(&piece_terms).map(|term| if term == NO_TERM { GAP } else { 0 }).collect(),
            synonyms: Synonyms::read(&slice(Section::Synonyms)).ok_or(IndexError::Damaged)?,
            form_letters: forms.letter_sets(),
            term_letters: terms.letter_sets(),
            forms,
            terms,
            pieces: words(Section::PieceStarts, Section::Pieces),
            bytes: bytes.clone(),
            sections,
        };
        if tables.are_consistent() { Ok(tables) } else { Err(IndexError::Damaged) }
    }

    /// Returns whether the lengths of the tables match and the texts are UTF-8.
    fn are_consistent(&self) -> bool {
        let length = |section: Section| self.section(section).len();
        let words = [&self.forms, &self.terms, &self.pieces];
        length(Section::DocumentStarts) == (self.documents + 1) * 8
            && u32::try_from(self.documents).is_ok()
            && length(Section::TextStarts) == (self.documents + 1) * 8
            && length(Section::PieceTerms) == self.pieces.len() * 4
            && length(Section::FormTerms) == self.forms.len() * 4
            && length(Section::PostingStarts) == (self.terms.len() + 1) * 8
            && words.iter().all(|words| words.is_valid())
            && [
                (Section::DocumentStarts, Section::Documents),
                (Section::TextStarts, Section::Texts),
                (Section::PostingStarts, Section::Postings),
            ]
            .iter()
            .all(|(starts, target)| is_ascending(self.section(*starts), length(*target)))
    }

    /// Returns a piece's text as written; empty if there is no such piece.
    pub(super) fn piece(&self, piece: u32) -> &str {
        self.pieces.text(piece)
    }

    /// Returns the length of a piece in bytes.
    #[inline]
    pub(super) fn piece_size(&self, piece: u32) -> usize {
        self.pieces.bytes(piece).len()
    }

    /// Returns the term of a piece; `None` for a gap.
    #[inline]
    pub(super) fn term_of_piece(&self, piece: u32) -> Option<u32> {
        u32_at(self.section(Section::PieceTerms), piece).filter(|term| *term != NO_TERM)
    }

    pub(super) fn term_of_form(&self, form: u32) -> Option<u32> {
        u32_at(self.section(Section::FormTerms), form).filter(|term| (*term as usize) < self.terms.len())
    }

    /// Returns the forms that differ from `form` by one slip.
    pub(super) fn forms_near<'a>(&'a self, form: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.forms.near(&self.form_letters, form)
    }

    /// Returns the terms that differ from `stem` by one slip.
    pub(super) fn terms_near<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.terms.near(&self.term_letters, stem)
    }

    /// Returns the telephone number that ends with `digits`, or with which they end. The builder has numbers as digits
    /// only.
    pub(super) fn telephone(&self, digits: &str) -> Option<&str> {
        // Forms are sorted, and digits stand before letters.
        let forms = (0..self.forms.len() as u32).map(|form| self.forms.text(form));
        let numbers = forms.take_while(|form| form.starts_with(|first: char| first.is_ascii_digit()));
        let is_same = |form: &&str| form.len() >= MIN_TELEPHONE && (form.ends_with(digits) || digits.ends_with(form));
        numbers.filter(is_same).find(|form| form.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Returns the documents with a term.
    pub(super) fn postings(&self, term: u32) -> TermPostings<'_> {
        let bytes = self.stretch(Section::PostingStarts, Section::Postings, term).unwrap_or_default();
        let mut at = 0;
        let count = read_varint(bytes, &mut at).unwrap_or(0).min(self.documents as u32);
        TermPostings { count, bytes, at, document: 0 }
    }

    /// Returns the stored texts of a document.
    pub(super) fn document(&self, document: u32) -> Option<StoredDocument<'_>> {
        let bytes = self.stretch(Section::DocumentStarts, Section::Documents, document)?;
        let mut at = 0;
        Some(StoredDocument {
            id: read_text(bytes, &mut at)?,
            title: read_text(bytes, &mut at)?,
            url: read_text(bytes, &mut at)?,
            kind: read_text(bytes, &mut at)?,
            summary: read_text(bytes, &mut at)?,
            translation: read_text(bytes, &mut at)?,
            facts: read_text(bytes, &mut at)?,
        })
    }

    pub(super) fn id(&self, document: u32) -> Option<&str> {
        read_text(self.stretch(Section::DocumentStarts, Section::Documents, document)?, &mut 0)
    }

    /// Returns a document's text: the varint numbers of its pieces.
    pub(super) fn text(&self, document: u32) -> &[u8] {
        self.stretch(Section::TextStarts, Section::Texts, document).unwrap_or_default()
    }

    fn section(&self, section: Section) -> &[u8] {
        &self.bytes[self.sections[section as usize].clone()]
    }

    fn stretch(&self, starts: Section, target: Section, number: u32) -> Option<&[u8]> {
        let starts = self.section(starts);
        let start = usize::try_from(u64_at(starts, number as usize)?).ok()?;
        let end = usize::try_from(u64_at(starts, number as usize + 1)?).ok()?;
        self.section(target).get(start..end)
    }
}

impl TextTable {
    pub(super) fn len(&self) -> usize {
        (self.starts.len() / 4).saturating_sub(1)
    }

    /// Returns the text of a number; empty if there is no such number.
    pub(super) fn text(&self, number: u32) -> &str {
        std::str::from_utf8(self.bytes(number)).unwrap_or_default()
    }

    /// Returns the bytes of a number's text without checking the encoding.
    pub(super) fn bytes(&self, number: u32) -> &[u8] {
        let Some(start) = u32_at(&self.starts, number) else { return &[] };
        let Some(end) = number.checked_add(1).and_then(|next| u32_at(&self.starts, next)) else { return &[] };
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Returns the number of a text.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let at = self.first_not_below(text.as_bytes());
        (self.bytes(at) == text.as_bytes() && (at as usize) < self.len()).then_some(at)
    }

    /// Returns the numbers of all texts that begin with `prefix`.
    pub(super) fn beginning_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = u32> + 'a {
        let first = self.first_not_below(prefix.as_bytes());
        (first..self.len() as u32).take_while(move |number| self.bytes(*number).starts_with(prefix.as_bytes()))
    }

    fn letter_sets(&self) -> Box<[u32]> {
        (0..self.len() as u32).map(|number| letter_set(self.bytes(number))).collect()
    }

    /// Returns the numbers of the texts that differ from `text` by one slip. The sets of letters rule out nearly all.
    fn near<'a>(&'a self, letters: &'a [u32], text: &'a str) -> impl Iterator<Item = u32> + 'a {
        let own = letter_set(text.as_bytes());
        (0..)
            .zip(letters)
            .filter(move |(number, letters)| {
                may_be_one_slip(own, **letters) && is_one_slip(self.bytes(*number), text.as_bytes())
            })
            .map(|(number, _)| number)
    }

    fn first_not_below(&self, text: &[u8]) -> u32 {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.bytes(middle) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn is_valid(&self) -> bool {
        let Ok(texts) = std::str::from_utf8(&self.texts) else { return false };
        let (starts, rest) = self.starts.as_chunks::<4>();
        let starts = starts.iter().map(|start| u32::from_le_bytes(*start) as usize);
        rest.is_empty()
            && starts.clone().is_sorted()
            && starts.clone().all(|start| texts.is_char_boundary(start))
            && starts.clone().next() == Some(0)
            && starts.clone().next_back() == Some(texts.len())
    }
}

impl Iterator for TermPostings<'_> {
    type Item = (u32, u8);

    #[inline]
    fn next(&mut self) -> Option<(u32, u8)> {
        let distance = read_varint(self.bytes, &mut self.at)?;
        let weight = *self.bytes.get(self.at)?;
        self.at += 1;
        self.document = self.document.checked_add(distance)?;
        Some((self.document, weight))
    }
}

fn is_ascending(starts: &[u8], end: usize) -> bool {
    let (starts, rest) = starts.as_chunks::<8>();
    let starts = starts.iter().map(|start| u64::from_le_bytes(*start));
    rest.is_empty() && starts.clone().is_sorted() && starts.clone().next_back() == Some(end as u64)
}

/// Returns all numbers of a table.
fn all(table: &[u8]) -> impl Iterator<Item = u32> + Clone + '_ {
    table.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number))
}

#[inline]
fn u32_at(bytes: &[u8], number: u32) -> Option<u32> {
    bytes.as_chunks::<4>().0.get(number as usize).map(|number| u32::from_le_bytes(*number))
}

fn u64_at(bytes: &[u8], number: usize) -> Option<u64> {
    bytes.as_chunks::<8>().0.get(number).map(|number| u64::from_le_bytes(*number))
}
