//! Words with which the sidecar formats values in a locale.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::{scopes::Scope, text::Email};

/// The words of one locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Names of the months, from January on.
    pub months: Vec<String>,
    /// The format of a moment: `{day}`, `{month}`, `{year}`, `{hour}` and `{minute}` each once.
    pub moment: String,
    /// The offset of the firm's clocks from UTC, in minutes; [`Words::moment`] states it in words.
    pub offset_minutes: i32,
    /// The permission of each scope in words.
    pub scopes: BTreeMap<Scope, String>,
    /// Shown instead of a provider.
    pub no_provider: String,
    /// Shown instead of the two words of an agent.
    pub no_match_phrase: String,
    /// The sender of the messages.
    pub sender_name: String,
    /// The address for replies.
    pub sender_address: Email,
}

/// An error in [`Words`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsError {
    /// The months are not twelve.
    Months,
    /// A placeholder of the moment is missing or repeated.
    Moment(&'static str),
    /// The offset exceeds [`Words::MAX_OFFSET`].
    Offset,
    /// A scope has no words.
    Scope(&'static str),
    /// A name or phrase is empty or has more than one line.
    Phrase,
}

impl fmt::Display for WordsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Months => out.write_str("there are not twelve months"),
            Self::Moment(place) => write!(out, "a moment needs {place} once"),
            Self::Offset => out.write_str("no clock is that many minutes ahead of UTC"),
            Self::Scope(scope) => write!(out, "the scope `{scope}` has no words"),
            Self::Phrase => out.write_str("a phrase is empty or has more than one line"),
        }
    }
}

impl std::error::Error for WordsError {}

impl Words {
    /// The placeholders of [`Words::moment`].
    pub const PLACES: [&str; 5] = ["{day}", "{month}", "{year}", "{hour}", "{minute}"];
    /// Maximum offset from UTC, in minutes.
    pub const MAX_OFFSET: i32 = 14 * 60;

    /// Checks all values.
    ///
    /// # Errors
    /// The first missing or wrong value.
    pub fn check(&self) -> Result<(), WordsError> {
        if self.months.len() != 12 {
            return Err(WordsError::Months);
        }
        if let Some(place) = Self::PLACES.into_iter().find(|place| self.moment.matches(place).count() != 1) {
            return Err(WordsError::Moment(place));
        }
        if self.offset_minutes.abs() > Self::MAX_OFFSET {
            return Err(WordsError::Offset);
        }
        if let Some(scope) = Scope::ALL.into_iter().find(|scope| !self.scopes.contains_key(scope)) {
            return Err(WordsError::Scope(scope.as_str()));
        }
        let names = [&self.moment, &self.no_provider, &self.no_match_phrase, &self.sender_name];
        let phrases = self.months.iter().chain(self.scopes.values()).chain(names);
        if phrases.into_iter().any(|phrase| phrase.is_empty() || phrase.contains(char::is_control)) {
            return Err(WordsError::Phrase);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        Words {
            months: (1..=12).map(|month| format!("month {month}")).collect(),
            moment: "{day} {month} {year}, {hour}:{minute} (UTC)".to_owned(),
            offset_minutes: 0,
            scopes: Scope::ALL.into_iter().map(|scope| (scope, scope.as_str().to_owned())).collect(),
            no_provider: "no provider".to_owned(),
            no_match_phrase: "none".to_owned(),
            sender_name: "A firm".to_owned(),
            sender_address: Email::parse("info@firm.example").unwrap(),
        }
    }

    #[test]
    fn incomplete_words_are_rejected() {
        assert_eq!(words().check(), Ok(()));
        let broken = |change: fn(&mut Words)| {
            let mut words = words();
            change(&mut words);
            words.check().unwrap_err()
        };
        assert_eq!(broken(|words| drop(words.months.pop())), WordsError::Months);
        assert_eq!(broken(|words| words.moment.push_str("{day}")), WordsError::Moment("{day}"));
        assert_eq!(broken(|words| words.offset_minutes = 900), WordsError::Offset);
        assert_eq!(broken(|words| drop(words.scopes.remove(&Scope::McpRead))), WordsError::Scope("mcp.read"));
        assert_eq!(broken(|words| words.sender_name = "a\r\nBcc: b".to_owned()), WordsError::Phrase);
    }

    #[test]
    fn words_are_the_same_after_serialization() {
        let text = serde_json::to_string(&words()).unwrap();
        assert_eq!(serde_json::from_str::<Words>(&text).unwrap(), words());
    }
}
