//! Search over a site's pages in one language: the generator builds the index, and a reader of its bytes can query it.
//!
//! **Why not a search library.** The index of a site is built once, never changes, and fits in memory; the hard part is
//! the language, and there no library offers anything that serves (see `stem`). Tantivy 0.27 without its default
//! features is 104 crates, 51 of which the workspace does not have, for segments, merges, columns and a query language
//! that a site does not need. This crate adds none. What querying 20,000 documents costs is in `benches/README.md`;
//! `examples/figures.rs` measures it, and what indexing and reading cost.
//!
//! **The index** ranks by BM25F (title, summary, headings, body). The complete weight of a word in a document is known
//! when the index is built, and kept as one byte. Texts are kept as numbers of words: that takes a third of their
//! size, and phrases, nearness and passages are read from them without splitting a text again.
//!
//! This crate uses no file system, no HTTP and no clock.

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

pub use builder::{Builder, Document};
pub use find::{Found, Languages, find};
pub use index::{Hit, Index, IndexError, Marker};
pub use letters::{each_letter, fold};
pub use synonyms::translated;

/// The kind of a document about a person.
pub const PERSON: &str = "person";

#[cfg(test)]
mod tests;
