//! Plain values where Markdown is written by the program.

use std::{borrow::Cow, fmt::Write as _};

/// `text` as the words of a link: brackets would end them early, and a backslash would take their end away.
#[must_use]
pub fn link_words(text: &str) -> Cow<'_, str> {
    let is_mark = |letter: char| matches!(letter, '\\' | '[' | ']');
    if !text.contains(is_mark) {
        return Cow::Borrowed(text);
    }
    let mut words = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_mark(letter) {
            words.push('\\');
        }
        words.push(letter);
    }
    Cow::Owned(words)
}

/// `mailto:` with an address (RFC 6068, 2): what would start header fields there, such as `?bcc=`, is percent-encoded.
#[must_use]
pub fn mailto(address: &str) -> String {
    let mut link = "mailto:".to_owned();
    for octet in address.bytes() {
        if octet.is_ascii_alphanumeric() || b"@-._~+!$'*".contains(&octet) {
            link.push(char::from(octet));
        } else {
            let _ = write!(link, "%{octet:02X}");
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_link_end_where_they_should() {
        assert_eq!(link_words("Tahkim"), "Tahkim");
        for title in ["Karar [2025]", "a ] b", "[", "ends with \\", "](https://elsewhere.example)"] {
            let html = crate::markdown::plain(&format!("[{}](https://here.example)", link_words(title)));
            assert_eq!(html.text.trim_end(), title);
        }
    }

    #[test]
    fn an_address_brings_no_header_fields_along() {
        assert_eq!(mailto("info@firm.example"), "mailto:info@firm.example");
        assert_eq!(mailto("a?bcc=b&x%y@firm.example"), "mailto:a%3Fbcc%3Db%26x%25y@firm.example");
    }
}
