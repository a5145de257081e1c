//! The messages of the program: a function for each, generated from the tables in `messages/`.
//!
//! A table holds both languages of a message, one below the other. A message that lacks one, or whose languages name
//! different values, does not compile.

use std::{borrow::Cow, fmt::Display, io, ops::Index};

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

    /// Creates a text that is the same in both languages: a name, or the words of another program.
    pub fn verbatim(words: impl Display) -> Self {
        Self::build(|_| words.to_string())
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
        let words = self.to_string();
        let turkish = if locale == Locale::Tr { translate_system_error(&words) } else { None };
        turkish.map_or(Cow::Owned(words), Cow::Borrowed)
    }
}

/// Returns the Turkish text of an error of the operating system, such as `File exists (os error 17)`.
fn translate_system_error(words: &str) -> Option<&'static str> {
    let (_, number) = words.strip_suffix(')')?.rsplit_once(" (os error ")?;
    Some(match io::Error::from_raw_os_error(number.parse().ok()?).kind() {
        io::ErrorKind::NotFound => "böyle bir dosya ya da klasör yok",
        io::ErrorKind::PermissionDenied => "buna izin yok",
        io::ErrorKind::AlreadyExists => "bu adda bir dosya ya da klasör zaten var",
        io::ErrorKind::AddrInUse => "adres başka bir programda kullanımda",
        io::ErrorKind::AddrNotAvailable => "bu bilgisayarın böyle bir adresi yok",
        io::ErrorKind::StorageFull => "diskte yer kalmadı",
        io::ErrorKind::ReadOnlyFilesystem => "disk yazmaya kapalı",
        io::ErrorKind::NotADirectory => "bu bir klasör değil",
        io::ErrorKind::IsADirectory => "bu bir klasör",
        io::ErrorKind::ConnectionRefused => "orada yanıt veren bir program yok",
        io::ErrorKind::TimedOut => "zamanında yanıt gelmedi",
        _ => return None,
    })
}
