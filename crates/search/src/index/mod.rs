//! An index in memory, and how it answers queries.

mod candidates;
mod inverse;
mod marker;
mod phrase;
mod query;
mod rank;
mod refine;
mod snippet;
mod spellings;
mod spots;
mod suggestion;
mod tables;
mod titles;

use std::{cmp::Ordering, fmt};

use bytes::Bytes;
use contract::Locale;

use candidates::Wanted;
pub use marker::Marker;
use phrase::Phrases;
use query::Query;
use rank::Ranked;
use spots::Marks;
use tables::{Shown, Tables};

use crate::format::VERSION;

/// Maximum number of documents in one answer.
const MAX_HITS: usize = 200;
/// Maximum number where even the best hardly answers the query.
const MAX_WEAK_HITS: usize = 4;

/// An index, borrowed from the bytes that a builder wrote. Clones share them.
#[derive(Clone, Debug)]
pub struct Index {
    tables: Tables,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Identifies the document.
    pub id: &'a str,
    /// Its heading.
    pub title: &'a str,
    /// Where people read it; empty if it exists in the other language only.
    pub url: &'a str,
    /// What it is.
    pub kind: &'a str,
    /// The passage around the words that were found: plain text of at most 240 characters.
    pub snippet: String,
    /// The id of the same page in the index of the other language; empty if there is none.
    pub translation: &'a str,
    /// What the writer of the index noted besides.
    pub facts: &'a str,
    /// How well it fits. Comparable with the answers of other indexes to the same query, because words that an index
    /// does not know lower it.
    pub score: f32,
}

/// The bytes are not those of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexError {
    /// They do not begin like an index.
    Unknown,
    /// They have this version of the format, which is not the one that is read.
    Version(u32),
    /// They contradict themselves.
    Damaged,
}

impl fmt::Display for IndexError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => out.write_str("it is no search index"),
            Self::Version(found) => write!(out, "it has format {found}, and format {VERSION} is read"),
            Self::Damaged => out.write_str("it is damaged"),
        }
    }
}

impl std::error::Error for IndexError {}

impl Index {
    /// Reads an index. It copies nothing; the bytes live as long as the index.
    ///
    /// # Errors
    /// If the bytes are not those of an index, or are damaged by accident.
    #[expect(clippy::needless_pass_by_value, reason = "the index keeps the bytes")]
    pub fn parse(bytes: Bytes) -> Result<Self, IndexError> {
        Ok(Self { tables: Tables::parse(&bytes)? })
    }

    /// Returns the best documents for `query`, best first, equal ones by id; at most `limit` and at most 200.
    ///
    /// Words count in any of their forms, the last one also as the beginning of a word. Words in quotation marks must
    /// stand together, but only the first megabyte of texts is searched for that: after it, documents that have all of
    /// these words follow those in which they stand together. A query without a word finds nothing; only its first 400
    /// characters and 12 words count, besides those that only hold others together.
    ///
    /// Of a query with several words, a document must tell something: one that has a common word of them, or one of
    /// many, is left out. Where even the best document hardly answers the query, only the first four are returned.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit<'_>> {
        self.answer(&Query::parse(self.tables.locale, query), limit)
    }

    /// [`Self::search`] for a query that was put to `first`, the index of the other language. If a word of it is of
    /// that language only, those that hold others together there are left out, and none is taken for two words of this
    /// one: `lawyer` is not `law` and `yer`.
    #[must_use]
    pub fn search_after(&self, first: &Self, query: &str, limit: usize) -> Vec<Hit<'_>> {
        let idle = candidates::idle_elsewhere(&self.tables, query, &first.tables);
        self.answer(&Query::beside(self.tables.locale, query, idle.as_deref()), limit)
    }

    fn answer(&self, query: &Query, limit: usize) -> Vec<Hit<'_>> {
        let limit = limit.min(MAX_HITS).min(self.len());
        if limit == 0 || query.words.is_empty() {
            return Vec::new();
        }
        let tables = &self.tables;
        let wanted = candidates::wanted(tables, query);
        if wanted.words.is_empty() {
            return Vec::new();
        }
        let Some(phrases) = Phrases::of(tables, query) else { return Vec::new() };
        let most = if phrases.are_none() { limit } else { self.len() };
        let least_told = candidates::least_told(tables, query, &wanted);
        let found = rank::rank(tables, &wanted, least_told, most, |document| phrases.may_stand_in(document));
        let marks = Marks::new(tables, &wanted);
        let mut found = refine::refine(tables, query, &wanted, (&marks, phrases), found, limit);
        if found.first().is_some_and(|best| query.is_hardly_answered(best.score)) {
            found.truncate(MAX_WEAK_HITS);
        }
        found.into_iter().filter_map(|ranked| self.hit(ranked, &wanted, &marks)).collect()
    }

    /// Whether `query` may be in the language of `other`: whether some meaningful word of it occurs in no text here in
    /// any of its forms, or in none as it is written but does so in those of `other`.
    #[must_use]
    pub fn is_rather_of(&self, query: &str, other: &Self) -> bool {
        candidates::is_rather_of(&self.tables, &Query::parse(self.tables.locale, query), &other.tables)
    }

    /// The document with this `id`, with its description in lists as the passage, and no score.
    #[must_use]
    pub fn document(&self, id: &str) -> Option<Hit<'_>> {
        let (mut low, mut high) = (0, self.len() as u32);
        // The builder wrote them in order of id.
        while low < high {
            let middle = low + (high - low) / 2;
            match self.tables.document(middle)?.id.cmp(id) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => {
                    let wanted = Wanted::default();
                    let marks = Marks::new(&self.tables, &wanted);
                    let ranked = Ranked { document: middle, score: 0.0, is_whole: false };
                    return self.hit(ranked, &wanted, &marks);
                }
            }
        }
        None
    }

    /// What marks the words of `query` in texts of this language.
    #[must_use]
    pub fn marker(&self, query: &str) -> Marker<'_> {
        Marker::new(&self.tables, &Query::parse(self.tables.locale, query))
    }

    /// `query` with words in place of those that no text has, if there are words that are spelled nearly so.
    #[must_use]
    pub fn suggestion(&self, query: &str) -> Option<String> {
        suggestion::suggestion(&self.tables, query)
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tables.documents
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The language of the documents.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.tables.locale
    }

    fn hit(&self, Ranked { document, score, .. }: Ranked, wanted: &Wanted, marks: &Marks) -> Option<Hit<'_>> {
        let shown = self.tables.document(document)?;
        let snippet = snippet::snippet(&self.tables, document, shown.summary, wanted, marks);
        let Shown { id, title, url, kind, translation, facts, .. } = shown;
        Some(Hit { id, title, url, kind, snippet, translation, facts, score })
    }
}
