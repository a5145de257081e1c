//! Authors' Markdown: the survey for the checks, HTML, Markdown twins and plain text; language rules in [`turkish`].
//!
//! The crate does not depend on the site: the caller resolves destinations with [`Targets`].

mod autolinks;
mod clauses;
mod destination;
mod fences;
mod heading;
mod html;
mod labels;
mod language;
mod numbering;
mod one_letter;
mod plain;
mod spans;
mod survey;
mod targets;
mod title;
pub mod turkish;
mod twin;
mod words;

use pulldown_cmark::Options;

pub use clauses::{AnchoredClause, Clauses, anchor_label, names_article};
pub use fences::closed_code;
pub use heading::{Heading, is_anchor};
pub use html::{DocumentForms, Html, names_questions, to_forms, to_html, to_plain};
pub use labels::with_own_labels;
pub use language::{SCHEME as LANGUAGE_SCHEME, of_words as language_of_words};
pub use numbering::Numbering;
pub use one_letter::title_html;
pub use plain::{Plain, plain};
pub use survey::{Image, Link, Miscount, Note, Ordinal, Survey, pictograph, survey};
pub use targets::{Size, Targets, is_document, is_picture, published_ending};
pub use title::{SPACES, mend_title, split_title};
pub use twin::{goes_on_with_list, to_twin, trimmed};
pub use words::{find_markup, heading_words, line_words, link_words, mailto};

/// Extensions of `CommonMark`. Smart punctuation is off, because the twin must read the same as the page.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Returns whether raw HTML is `<br>`, the only notation for a line break in the cell of a table.
fn is_line_break(html: &str) -> bool {
    ["<br>", "<br/>", "<br />"].iter().any(|tag| html.eq_ignore_ascii_case(tag))
}

#[cfg(test)]
mod tests;
