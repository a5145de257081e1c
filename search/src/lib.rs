//! Search over a site's pages in one language: the generator builds the index, whoever holds its bytes asks it.
//!
//! This crate knows no file system, no HTTP and no clock.

mod builder;
mod fold;
mod index;
mod letters;

pub use builder::{Builder, Document};
pub use fold::fold;
pub use index::{Hit, Index, IndexError};
pub use letters::each_letter;
