//! The names of the files with the words of the interface.

use contract::Locale;

/// Returns the name of a locale's file.
pub(super) fn file(locale: Locale) -> String {
    format!("strings/{locale}.toml")
}

/// Whether a file of the theme holds words.
pub(super) fn is_words(name: &str) -> bool {
    Locale::ALL.into_iter().any(|locale| file(locale) == name)
}
