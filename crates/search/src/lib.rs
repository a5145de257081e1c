//! Full-text search: the generator builds one index per language, the sidecar queries the bytes.
//!
//! **Why not a search library.** The index of a site is built once, never changes, and fits in memory; the hard part is
//! the language, which no library solves (see `stem`). Tantivy 0.27 without its default features is 104 crates, 51 of
//! which the workspace does not have, for segments, merges, columns and a query language that a site does not need.
//! This crate adds none. `benches/README.md` has the cost of queries over 20,000 documents; `examples/figures.rs`
//! measures queries, indexing and reading.
//!
//! **The index** ranks by BM25F (title, summary, headings, body). The weight of a word in a document is computed when
//! the index is built, and stored in one byte. Texts are stored as numbers of words: this takes a third of their size,
//! and phrases, nearness and passages need no second split of a text.
//!
//! The crate uses no file system, no HTTP and no clock.

mod builder;
mod find;
mod format;
mod index;
mod letters;
mod stem;
mod stop_words;
mod synonyms;
mod typo;
mod words;

pub use builder::{Builder, IndexedDocument};
pub use find::{Found, Languages, find};
pub use index::{Hit, Index, IndexError, Marker};
pub use letters::{each_letter, fold};
pub use synonyms::translated;

/// The kind of a document about a person.
pub const PERSON: &str = "person";

#[cfg(test)]
mod tests;
