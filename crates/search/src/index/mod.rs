//! An index in memory, and its queries.

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

use std::{cmp::Ordering, fmt, sync::Arc};

use bytes::Bytes;
use contract::Locale;

use candidates::QueryTerms;
pub use marker::Marker;
use phrase::QueryPhrases;
use query::Query;
use spots::Marks;
use tables::{StoredDocument, Tables};

use crate::format::VERSION;

const MAX_HITS: usize = 200;
/// Maximum number of hits if even the best is a weak match.
const MAX_WEAK_HITS: usize = 4;

/// An index over the bytes that a builder wrote. Clones share the bytes.
#[derive(Clone, Debug)]
pub struct Index {
    tables: Tables,
}

/// A found document. The fields of [`crate::IndexedDocument`] have their meaning there.
#[derive(Clone, Debug)]
pub struct Hit<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub url: &'a str,
    pub kind: &'a str,
    pub translation: &'a str,
    pub facts: &'a str,
    /// Comparable between indexes for the same query: words unknown to an index lower it.
    pub score: f32,
    pub(crate) passage: HitPassage<'a>,
}

/// The source of the snippet of a hit.
#[derive(Clone, Debug)]
pub(crate) struct HitPassage<'a> {
    tables: &'a Tables,
    document: u32,
    summary: &'a str,
    /// `None` if no words were searched for.
    words: Option<Arc<SearchedWords>>,
}

/// The words of a query, and their places in texts.
#[derive(Debug)]
struct SearchedWords {
    wanted: QueryTerms,
    marks: Marks,
}

impl Hit<'_> {
    /// Returns the passage around the found words: plain text of at most 240 characters. Cutting it takes longer than
    /// finding the document, so only a hit that is shown needs it.
    pub fn snippet(&self) -> String {
        let HitPassage { tables, document, summary, words } = &self.passage;
        snippet::snippet(tables, *document, summary, words.as_ref().map(|words| (&words.wanted, &words.marks)))
    }
}

/// The bytes are no index that this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexError {
    /// The bytes do not begin like an index.
    Unknown,
    /// The format has this version, which the crate does not read.
    Version(u32),
    /// The checksum or the lengths are wrong.
    Damaged,
}

impl fmt::Display for IndexError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => out.write_str("no search index"),
            Self::Version(found) => write!(out, "format {found}, expected format {VERSION}"),
            Self::Damaged => out.write_str("damaged"),
        }
    }
}

impl std::error::Error for IndexError {}

impl Index {
    /// Reads an index without copying the bytes, which live as long as the index.
    ///
    /// # Errors
    /// If the bytes are no index, or are damaged.
    #[expect(clippy::needless_pass_by_value, reason = "the index keeps the bytes")]
    pub fn parse(bytes: Bytes) -> Result<Self, IndexError> {
        Ok(Self { tables: Tables::parse(&bytes)? })
    }

    /// Returns the best documents for `query`, best first, equal ones by id; at most `limit` and at most 200.
    ///
    /// Words match in any form, the last one also as the beginning of a word. Words in quotation marks must follow one
    /// another; only the first megabyte of texts is searched for that, and unsearched documents with all of these words
    /// come last. A query without a word finds nothing; its first 400 characters and 12 words count, besides stop
    /// words.
    ///
    /// A document that has only a common word of the query, or one of many, is left out. If even the best document is a
    /// weak match, at most the first four are returned.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit<'_>> {
        self.answer(Query::parse(self.tables.locale, query), limit)
    }

    /// [`Self::search`] for a query that was searched in `first`, the index of the other language. If a word is only of
    /// that language, its stop words are left out, and no word is split into two words of this language: `lawyer` is
    /// not `law` and `yer`.
    pub fn search_after(&self, first: &Self, query: &str, limit: usize) -> Vec<Hit<'_>> {
        let idle = candidates::stop_words_elsewhere(&self.tables, query, &first.tables);
        self.answer(Query::beside(self.tables.locale, query, idle.as_deref()), limit)
    }

    fn answer(&self, mut query: Query, limit: usize) -> Vec<Hit<'_>> {
        let limit = limit.min(MAX_HITS).min(self.len());
        if limit == 0 || query.words.is_empty() {
            return Vec::new();
        }
        let tables = &self.tables;
        query.join_digits(|digits| tables.telephone(digits));
        let query = &query;
        let wanted = candidates::resolve_terms(tables, query);
        if wanted.words.is_empty() {
            return Vec::new();
        }
        let Some(phrases) = QueryPhrases::of(tables, query) else { return Vec::new() };
        let most = if phrases.is_empty() { limit } else { self.len() };
        let found = rank::rank(tables, &wanted, most, |document| phrases.may_match(document));
        let marks = Marks::new(tables, &wanted);
        let mut found = refine::refine(tables, query, &wanted, (&marks, phrases), found, limit);
        if found.first().is_some_and(|best| query.is_weak_match(best.score)) {
            found.truncate(MAX_WEAK_HITS);
        }
        let words = Arc::new(SearchedWords { wanted, marks });
        found.into_iter().filter_map(|ranked| self.hit(ranked.document, ranked.score, Some(&words))).collect()
    }

    /// Returns whether `query` may be in the language of `other`: whether a word that is no stop word occurs here in no
    /// form, or occurs as written only in `other`.
    pub fn may_be_in_language_of(&self, query: &str, other: &Self) -> bool {
        candidates::may_be_in_language_of(&self.tables, &Query::parse(self.tables.locale, query), &other.tables)
    }

    /// Returns the document with this `id`, with its summary as the snippet and score 0.
    pub fn document(&self, id: &str) -> Option<Hit<'_>> {
        let (mut low, mut high) = (0, self.len() as u32);
        // The builder sorts documents by id.
        while low < high {
            let middle = low + (high - low) / 2;
            match self.tables.id(middle)?.cmp(id) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.hit(middle, 0.0, None),
            }
        }
        None
    }

    /// Returns a marker of the words of `query` in texts of this language.
    pub fn marker(&self, query: &str) -> Marker<'_> {
        Marker::new(&self.tables, &Query::parse(self.tables.locale, query))
    }

    /// Returns `query` with similar words in place of those that occur in no text; `None` if there are none.
    pub fn suggestion(&self, query: &str) -> Option<String> {
        suggestion::suggestion(&self.tables, query)
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.tables.documents
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn locale(&self) -> Locale {
        self.tables.locale
    }

    fn hit(&self, document: u32, score: f32, words: Option<&Arc<SearchedWords>>) -> Option<Hit<'_>> {
        let StoredDocument { id, title, url, kind, summary, translation, facts } = self.tables.document(document)?;
        let passage = HitPassage { tables: &self.tables, document, summary, words: words.cloned() };
        Some(Hit { id, title, url, kind, translation, facts, score, passage })
    }
}
