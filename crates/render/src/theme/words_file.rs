//! The names of the files with interface words.

use contract::Locale;

pub(super) fn file(locale: Locale) -> String {
    format!("strings/{locale}.toml")
}

/// Whether a file of the theme contains words.
pub(super) fn is_words(name: &str) -> bool {
    Locale::ALL.into_iter().any(|locale| file(locale) == name)
}
