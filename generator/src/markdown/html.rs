//! Markdown as HTML.

use contract::Locale;
use pulldown_cmark::{Parser, html::push_html};

use super::{Heading, OPTIONS, Targets};

/// A rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Html {
    /// Flow content, to stand inside a page.
    pub html: String,
    /// The headings, in order.
    pub headings: Vec<Heading>,
}

/// Renders `text` as HTML.
#[must_use]
pub fn to_html(text: &str, _locale: Locale, _targets: &dyn Targets) -> Html {
    let mut html = String::with_capacity(text.len() * 3 / 2);
    push_html(&mut html, Parser::new_ext(text, OPTIONS));
    Html { html, headings: Vec::new() }
}
