//! The messages of the program: a function for each, generated from the tables in `messages/`.
//!
//! A table holds both languages of a message, one below the other. A message that lacks one, or whose languages name
//! different values, does not compile.

use std::{borrow::Cow, fmt::Display, io, ops::Index, path::Path};

use contract::{Locale, PerLocale, text::Invalid};
use serde::Deserialize;

pub use table::*;

#[expect(
    clippy::needless_pass_by_value,
    clippy::useless_format,
    clippy::doc_markdown,
    clippy::too_many_lines,
    reason = "the functions are generated, and documented by their messages"
)]
mod table {
    use super::{Locale, Say, Text};

    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

/// A text in both languages. It has the size of a pointer, because findings contain many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Text(Box<PerLocale<String>>);

impl Text {
    /// Creates a text from the result of `each` for every language.
    pub fn build(each: impl FnMut(Locale) -> String) -> Self {
        Self(Box::new(PerLocale::build(each)))
    }

    /// Joins `texts` with commas; `None` if there are none.
    pub fn list(texts: impl IntoIterator<Item = Self>) -> Option<Self> {
        texts.into_iter().reduce(|list, text| Self::build(|locale| format!("{}, {}", &list[locale], &text[locale])))
    }

    /// Applies `change` to each language.
    #[must_use]
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        Self::build(|locale| change(&self[locale]))
    }

    /// Creates a text that is the same in both languages: a name, or the words of another program. An error of the operating
    /// system is in the words of this one.
    pub fn verbatim(words: impl Display) -> Self {
        Self::build(|locale| with_own_words(words.to_string(), locale))
    }

    /// Creates the text of an error of the operating system at `path`.
    pub fn at_path(path: &Path, error: impl Display) -> Self {
        Self::verbatim(format_args!("{}: {error}", path.display()))
    }
}

/// Returns `1 file` or `2 files`.
pub fn counted_files(count: usize) -> Text {
    if count == 1 { one_file() } else { files(count) }
}

/// Returns the name of a locale's language for use in a sentence.
#[must_use]
pub fn language(locale: Locale) -> Text {
    match locale {
        Locale::En => english(),
        Locale::Tr => turkish(),
    }
}

impl Index<Locale> for Text {
    type Output = str;

    fn index(&self, locale: Locale) -> &str {
        &self.0[locale]
    }
}

/// Only for tests: other code names both languages, or uses [`Text::verbatim`].
#[cfg(test)]
impl From<String> for Text {
    fn from(words: String) -> Self {
        Self::verbatim(words)
    }
}

#[cfg(test)]
impl From<&str> for Text {
    fn from(words: &str) -> Self {
        Self::verbatim(words)
    }
}

/// The expected form in place of an invalid text.
impl From<Invalid> for Text {
    fn from(invalid: Invalid) -> Self {
        match invalid {
            Invalid::Date => date_wanted(),
            Invalid::Email => email_wanted(),
            Invalid::Slug => slug_wanted(),
            Invalid::Uri => web_address_wanted(),
            Invalid::Origin => origin_wanted(),
            Invalid::AsciiHost => host_wanted(),
            Invalid::EncodedUri => encoded_address_wanted(),
            Invalid::PercentEncoding => encoding_wanted(),
            Invalid::OneFragment => fragment_wanted(),
        }
    }
}

/// A value of a message.
pub trait Say {
    /// Returns the text of the value in a language.
    fn say(&self, locale: Locale) -> Cow<'_, str>;
}

impl Say for Text {
    fn say(&self, locale: Locale) -> Cow<'_, str> {
        Cow::Borrowed(&self[locale])
    }
}

impl<T: Display> Say for T {
    fn say(&self, locale: Locale) -> Cow<'_, str> {
        Cow::Owned(with_own_words(self.to_string(), locale))
    }
}

/// What the standard library reports of a file that is no text.
const NO_TEXT: &str = "stream did not contain valid UTF-8";

/// Returns `words` with the program's own in place of an error of the operating system, such as
/// `File exists (os error 17)`, with which they end.
fn with_own_words(words: String, locale: Locale) -> String {
    if let Some(before) = words.strip_suffix(NO_TEXT) {
        return format!("{before}{}", &system_no_text()[locale]);
    }
    let number = words.strip_suffix(')').and_then(|words| words.rsplit_once(" (os error ")?.1.parse().ok());
    let Some(number) = number else { return words };
    let error = io::Error::from_raw_os_error(number);
    let own = match error.kind() {
        io::ErrorKind::NotFound => system_not_found(),
        io::ErrorKind::PermissionDenied => system_not_allowed(),
        io::ErrorKind::AlreadyExists => system_exists(),
        io::ErrorKind::AddrInUse => system_address_used(),
        io::ErrorKind::AddrNotAvailable => system_no_address(),
        io::ErrorKind::StorageFull => system_full(),
        io::ErrorKind::ReadOnlyFilesystem => system_read_only(),
        io::ErrorKind::NotADirectory => system_no_folder(),
        io::ErrorKind::IsADirectory => system_folder(),
        io::ErrorKind::ConnectionRefused => system_refused(),
        io::ErrorKind::TimedOut => system_late(),
        io::ErrorKind::DirectoryNotEmpty => system_not_empty(),
        io::ErrorKind::InvalidFilename => system_name_too_long(),
        _ if number == TOO_MANY_LINKS => system_loop(),
        _ => system_other(number),
    };
    words.strip_suffix(&error.to_string()).map_or_else(|| words.clone(), |before| format!("{before}{}", &own[locale]))
}

/// `ELOOP`, whose kind the standard library does not name yet.
const TOO_MANY_LINKS: i32 = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_are_in_words_of_the_program_and_in_its_language() {
        let absent = std::fs::read("/nowhere/at/all").unwrap_err();
        let link = io::Error::from_raw_os_error(TOO_MANY_LINKS);
        let strange = io::Error::from_raw_os_error(9_999);
        let binary = io::Error::new(io::ErrorKind::InvalidData, NO_TEXT);
        for (error, english, turkish) in [
            (absent.to_string(), "there is no such file or folder", "böyle bir dosya ya da klasör yok"),
            (
                format!("a.md: {absent}"),
                "a.md: there is no such file or folder",
                "a.md: böyle bir dosya ya da klasör yok",
            ),
            (link.to_string(), "the links lead in a circle", "bağlantılar birbirine dönüyor"),
            (
                strange.to_string(),
                "the operating system reports the error 9999",
                "işletim sistemi 9999 numaralı hatayı bildiriyor",
            ),
            (
                binary.to_string(),
                "the file is no text in UTF-8: save it in this encoding",
                "dosya UTF-8 kodlamasında bir metin değil: bu kodlamayla kaydedin",
            ),
            ("words (of others)".to_owned(), "words (of others)", "words (of others)"),
        ] {
            for text in [Text::verbatim(&error), file_not_readable(&error)] {
                assert!(text[Locale::En].ends_with(english), "{}", &text[Locale::En]);
                assert!(text[Locale::Tr].ends_with(turkish), "{}", &text[Locale::Tr]);
            }
        }
    }
}
