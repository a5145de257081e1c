//! Markdown as plain text.

/// The words of `text`, for search and estimates.
#[must_use]
pub fn plain_text(text: &str) -> String {
    text.to_owned()
}
