//! The state of an entry at its last comparison of both languages.

use std::str::FromStr;

use contract::text::{Date, Invalid};

/// The value of the field `reviewed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// The state at the end of this day.
    Day(Date),
    /// The state at the commit whose name begins with these hexadecimal digits.
    Commit(String),
}

impl Review {
    /// Returns whether a text is the beginning of a commit's name. Digits alone are probably a day without its hyphens.
    pub(super) fn is_commit(text: &str) -> bool {
        (7..=40).contains(&text.len())
            && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && text.contains(|letter: char| letter.is_ascii_lowercase())
    }
}

impl FromStr for Review {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if Self::is_commit(text) { Ok(Self::Commit(text.to_owned())) } else { Date::parse(text).map(Self::Day) }
    }
}
