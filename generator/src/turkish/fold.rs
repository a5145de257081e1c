//! Folding for search.

/// The form in which a query and a text meet.
#[must_use]
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}
