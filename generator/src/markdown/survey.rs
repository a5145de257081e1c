//! What the checks ask about a text, found in one parse.

use std::ops::Range;

use contract::Locale;

use super::Heading;

/// Everything the checks need. Ranges count octets of the surveyed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The headings, in order, with the anchors that [`super::to_html`] gives them.
    pub headings: Vec<Heading>,
    /// The links, in order of their ends.
    pub links: Vec<Link>,
    /// The images, in order of their ends.
    pub images: Vec<Image>,
    /// Raw HTML, which is not rendered.
    pub raw_html: Vec<Range<usize>>,
    /// Footnote references without a definition.
    pub footnotes_undefined: Vec<Note>,
    /// Footnote definitions that nothing refers to.
    pub footnotes_unused: Vec<Note>,
    /// Second definitions of a footnote.
    pub footnotes_repeated: Vec<Note>,
    /// Links `[text][label]` without a definition of the label.
    pub references_undefined: Vec<Note>,
    /// Number of words.
    pub words: u32,
    /// Whether there is any text at all.
    pub has_text: bool,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as the author wrote it, without escapes.
    pub destination: String,
    /// The destination, as well as can be told; else the whole link.
    pub range: Range<usize>,
    /// Plain text.
    pub text: String,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The file, as the author wrote it, without escapes.
    pub destination: String,
    /// What it shows.
    pub alt: String,
    /// The destination, as well as can be told; else the whole image.
    pub range: Range<usize>,
}

/// A label that refers to something, or is referred to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The label, without brackets.
    pub label: String,
    /// Where it stands.
    pub range: Range<usize>,
}

/// Reads `text` once, for the checks.
#[must_use]
pub fn survey(text: &str, _locale: Locale) -> Survey {
    Survey {
        words: u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX),
        has_text: !text.trim().is_empty(),
        ..Survey::default()
    }
}
