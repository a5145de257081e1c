//! Search over a site's pages in one language: the generator builds the index, whoever holds its bytes asks it.
//!
//! **Why not a search library.** An index of a site is made once, never changes, and fits in memory; what is hard is
//! the language, and there a library brings nothing that serves (see `stem`). Tantivy 0.27 without its default features
//! is 104 crates, 51 of which the workspace does not have, for segments, merges, columns and a query language that a site
//! does not need. This crate adds none. What asking 20,000 documents takes is in `benches/README.md`; `examples/figures.rs`
//! measures it, and what indexing and reading take.
//!
//! **The index** ranks by BM25F (title, summary, headings, body), whose whole weight of a word in a document is known
//! when the index is built and kept as one octet. Texts are kept as numbers of words: a third of their size, and
//! phrases, nearness and passages are read off without taking a text apart again.
//!
//! This crate knows no file system, no HTTP and no clock.

mod builder;
mod fold;
mod format;
mod index;
mod letters;
mod stem;
mod stop_words;
mod typo;
mod words;

pub use builder::{Builder, Document};
pub use fold::fold;
pub use index::{Hit, Index, IndexError};
pub use letters::each_letter;

#[cfg(test)]
mod tests;
