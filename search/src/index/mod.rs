//! An index in memory, and what it answers.

mod candidates;
mod query;
mod rank;
mod refine;
mod snippet;
mod tables;

use std::fmt;

use bytes::Bytes;
use contract::Locale;

use tables::Tables;

/// Most documents of one answer.
const LONGEST_ANSWER: usize = 200;

/// An index, borrowed from the bytes that a builder wrote. Clones share them.
#[derive(Clone, Debug)]
pub struct Index {
    tables: Tables,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Names the document.
    pub id: &'a str,
    /// Its heading.
    pub title: &'a str,
    /// Where people read it.
    pub url: &'a str,
    /// What it is.
    pub kind: &'a str,
    /// The passage around the words that were found: plain text of at most 240 characters.
    pub snippet: String,
    /// How well it fits; comparable within one answer only.
    pub score: f32,
}

/// The bytes are not those of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexError {
    /// They begin like something else, or like another version of the format.
    Unknown,
    /// They contradict themselves.
    Damaged,
}

impl fmt::Display for IndexError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Unknown => "not a search index of this version",
            Self::Damaged => "the search index is damaged",
        })
    }
}

impl std::error::Error for IndexError {}

impl Index {
    /// Reads an index. It copies nothing; the bytes live as long as the index.
    ///
    /// # Errors
    /// When the bytes are not those of an index, or an accident happened to them.
    #[expect(clippy::needless_pass_by_value, reason = "the index keeps the bytes")]
    pub fn parse(bytes: Bytes) -> Result<Self, IndexError> {
        Ok(Self { tables: Tables::parse(&bytes)? })
    }

    /// The best documents for `query`, the best first, equal ones by id; at most `limit` and at most 200.
    ///
    /// Words count in any of their forms, the last one also as the beginning of a word; words inside quotation marks
    /// must stand together. A query without a word finds nothing; only its first 256 characters and 12 words count.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit<'_>> {
        let limit = limit.min(LONGEST_ANSWER).min(self.len());
        let query = query::Query::parse(self.tables.locale, query);
        if limit == 0 || query.words.is_empty() {
            return Vec::new();
        }
        let wanted = candidates::wanted(&self.tables, &query);
        let found = rank::rank(&self.tables, &wanted, limit, query.phrases.is_empty());
        let found = refine::refine(&self.tables, &query, &wanted, found, limit);
        found.into_iter().filter_map(|(document, score)| self.hit(document, score, &wanted)).collect()
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tables.documents
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The language of the documents.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.tables.locale
    }

    fn hit(&self, document: u32, score: f32, wanted: &candidates::Wanted) -> Option<Hit<'_>> {
        let shown = self.tables.document(document)?;
        let snippet = snippet::snippet(&self.tables, document, shown.summary, wanted);
        Some(Hit { id: shown.id, title: shown.title, url: shown.url, kind: shown.kind, snippet, score })
    }
}
