//! Slugs and anchors.

use contract::Locale;

/// The slug form of a heading.
#[must_use]
pub fn anchor(text: &str, locale: Locale) -> String {
    slug(text, locale)
}

/// The slug form of a title: empty, or a valid [`contract::text::Slug`].
#[must_use]
pub fn slug(text: &str, _locale: Locale) -> String {
    let words: Vec<_> = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-").to_ascii_lowercase()
}
