//! Folding for search.

use crate::letters::each_letter;

/// Folds `text` into the form in which queries and texts are compared: without case and marks, Turkish letters in ASCII
/// form, so that `uyusmazlik`, `Uyuşmazlık` and `UYUŞMAZLIK` are one word. Folding twice changes nothing.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    each_letter(text, |letter| folded.push(letter));
    folded
}
