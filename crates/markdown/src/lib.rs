//! Authors' Markdown: surveyed once for the checks, rendered as HTML, and copied into the Markdown twins; and what
//! depends on the language of a text, in [`turkish`].
//!
//! This crate knows the syntax but nothing of the site: the caller determines where destinations lead, with
//! [`Targets`].

mod autolinks;
mod destination;
mod fences;
mod heading;
mod html;
mod labels;
mod language;
mod plain;
mod spans;
mod survey;
mod targets;
mod title;
pub mod turkish;
mod twin;
mod words;

use pulldown_cmark::Options;

pub use fences::closed_code;
pub use heading::Heading;
pub use html::{Forms, Html, to_forms, to_html};
pub use labels::with_own_labels;
pub use language::{SCHEME as LANGUAGE_SCHEME, of_words as language_of_words};
pub use plain::{Plain, plain};
pub use survey::{Image, Link, Miscount, Note, Ordinal, Survey, survey};
pub use targets::{Size, Targets, is_document, is_picture, published_ending};
pub use title::{SPACES, as_title, part};
pub use twin::{goes_on_with_list, to_twin, trimmed};
pub use words::{heading_words, line_words, link_words, mailto, obeyed};

/// The extensions that authors may use beyond `CommonMark`. Smart punctuation is off, because the twin must read the
/// same as the page.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH);

#[cfg(test)]
mod tests;
