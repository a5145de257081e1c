//! Authors' Markdown: surveyed once for the checks, rendered as HTML, and copied into the Markdown twins.
//!
//! This module knows the syntax but nothing of the site: the caller determines where destinations lead, with
//! [`Targets`].

mod destination;
mod fences;
mod heading;
mod html;
mod label;
mod language;
mod owner;
mod picture;
mod plain;
mod spans;
mod survey;
mod targets;
mod title;
mod twin;
mod words;

use pulldown_cmark::Options;

pub(crate) use fences::closed_code;
pub use heading::Heading;
pub use html::{Forms, Html, to_forms, to_html};
pub(crate) use language::{SCHEME as LANGUAGE_SCHEME, of_words as language_of_words};
pub(crate) use owner::with_own_labels;
pub(crate) use picture::is_picture;
pub use plain::{Plain, plain};
pub use survey::{Image, Link, Miscount, Note, Ordinal, Survey, survey};
pub use targets::{Size, Targets};
pub(crate) use title::{SPACES, as_title, part};
pub use twin::to_twin;
pub(crate) use twin::{goes_on_with_list, trimmed};
pub(crate) use words::obeyed;
pub use words::{heading_words, line_words, link_words, mailto};

/// The extensions that authors may use beyond `CommonMark`. Smart punctuation is off, because the twin must read the
/// same as the page.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH);

#[cfg(test)]
mod tests;
