//! The last part of a page's path.

use super::{Invalid, text_type};

/// A path segment: lower-case ASCII letters, digits and single hyphens, at most 80 characters.
///
/// Turkish letters are written in ASCII form (`ş` as `s`), so that a path reads the same in an e-mail, a log and an
/// address bar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// Parses `text` without correcting it.
    ///
    /// # Errors
    /// If `text` is empty, longer than 80 characters, or holds anything but `a-z`, `0-9` and single inner hyphens.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let words_are_clean = text.split('-').all(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        });
        if words_are_clean && text.len() <= 80 { Ok(Self(text.to_owned())) } else { Err(Invalid::Slug) }
    }
}

text_type!(Slug, None);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_is_lower_case_words_joined_by_single_hyphens() {
        for good in ["is-hukuku", "a", "2024", "kvkk-2024-yenilikler"] {
            assert!(Slug::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "-", "a--b", "a-", "-a", "İş", "Tax", "a b", "a/b", "a.b", &"a".repeat(81)] {
            assert!(Slug::parse(bad).is_err(), "{bad}");
        }
    }
}
