//! Arguments of tools. All errors are reported at once, so that a model can correct them in one step.

use std::{borrow::Cow, collections::BTreeMap, ops::RangeInclusive};

use citations::{Cited, Laws};
use contract::{
    Locale,
    mcp::{Remarks, arguments::LOCALE, limits::FILTER},
};
use serde_json::value::RawValue;

use super::ToolError;
use crate::json::{self, Wrong};

/// The unread arguments, and the errors so far.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    members: BTreeMap<String, &'a RawValue>,
    /// The names of blank arguments, which select nothing.
    blank: Vec<String>,
    faults: Vec<String>,
}

impl<'a> Arguments<'a> {
    /// Parses the arguments; `null` counts as missing.
    pub(super) fn parse(text: &'a str) -> Result<Self, ToolError> {
        let mut members = json::object(text).map_err(|wrong| match wrong {
            Wrong::Twice => "An argument stands twice.".to_owned(),
            Wrong::NotAnObject => "The arguments must be an object.".to_owned(),
            Wrong::Broken => "The name of an argument is no text: it has half of a surrogate pair.".to_owned(),
        })?;
        members.retain(|_, value| json::non_null(Some(value)).is_some());
        Ok(Self { members, blank: Vec::new(), faults: Vec::new() })
    }

    /// Whether an argument is given and unread.
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// Reads `locale`, if given: a language tag in any case, with or without further subtags (RFC 5646, 2.1).
    pub(super) fn locale(&mut self) -> Option<Locale> {
        let value = self.members.remove(LOCALE)?;
        let locale = json::string(value).and_then(|tag| language(&tag));
        if locale.is_none() {
            self.error(LOCALE, "`en` or `tr`", value);
        }
        locale
    }

    /// Reads a whole number, if given. Models also write it as a text.
    pub(super) fn number(&mut self, name: &str, allowed: RangeInclusive<u64>) -> Option<u64> {
        let value = self.members.remove(name)?;
        let text = json::string(value).unwrap_or(Cow::Borrowed(value.get()));
        let number = whole(text.trim()).filter(|number| allowed.contains(number));
        if number.is_none() {
            let range = if *allowed.end() == u64::MAX {
                format!("a whole number from {}", allowed.start())
            } else {
                format!("a whole number from {} to {}", allowed.start(), allowed.end())
            };
            self.error(name, &range, value);
        }
        number
    }

    /// Reads a required text that must not be blank.
    pub(super) fn text(&mut self, name: &str, most: usize) -> Cow<'a, str> {
        if !self.has(name) {
            self.faults.push(format!("`{name}` is missing; it must be a text of 1 to {most} characters"));
        }
        self.members.remove(name).and_then(|value| self.words(name, value, most)).unwrap_or_default()
    }

    /// Reads a text, if given and not blank. A blank one is ignored like an unknown argument, and named so.
    pub(super) fn optional_text(&mut self, name: &str, most: usize) -> Option<Cow<'a, str>> {
        let value = self.members.remove(name)?;
        if json::string(value).is_some_and(|text| text.trim().is_empty()) {
            self.blank.push(name.to_owned());
            return None;
        }
        self.words(name, value, most)
    }

    /// Reads a text of this form, if given and not blank.
    pub(super) fn cited(&mut self, name: &str, laws: &Laws) -> Option<Cited> {
        let value = self.members.get(name).copied()?;
        let text = self.optional_text(name, FILTER)?;
        let cited = citations::cited(&text, laws);
        if cited.is_none() {
            self.error(name, "a law or an article, such as `6102` or `6102/553`", value);
        }
        cited
    }

    /// Reads a text. Models also write a text of digits as a number.
    fn words(&mut self, name: &str, value: &'a RawValue, most: usize) -> Option<Cow<'a, str>> {
        let is_number = value.get().starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let text = json::string(value).or_else(|| is_number.then_some(Cow::Borrowed(value.get())));
        let text = text.filter(|text| !text.trim().is_empty() && text.chars().count() <= most);
        if text.is_none() {
            self.error(name, &format!("a text of 1 to {most} characters"), value);
        }
        text
    }

    /// Reports an error if two names of one argument are both given.
    pub(super) fn one_of(&mut self, one: &str, other: &str) {
        if self.has(one) && self.has(other) {
            self.faults.push(format!("`{one}` and `{other}` stand for the same; give one of them"));
        }
    }

    /// Fails if any argument is invalid. Returns the names of unread arguments, since clients add their own, and of blank
    /// ones.
    pub(super) fn finish(self) -> Result<Remarks, ToolError> {
        const MAX_NAMED: usize = 20;
        if self.faults.is_empty() {
            let ignored_arguments =
                self.blank.iter().chain(self.members.keys()).take(MAX_NAMED).map(|name| excerpt(name)).collect();
            return Ok(Remarks { ignored_arguments, hint: None });
        }
        Err(format!("The arguments are not right: {}.", self.faults.join("; ")))
    }

    fn error(&mut self, name: &str, allowed: &str, value: &RawValue) {
        self.faults.push(format!("`{name}` must be {allowed}, not {}", excerpt(value.get())));
    }
}

/// Returns the beginning of a value, for a message.
pub(super) fn excerpt(value: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 60;
    let mut excerpt: String = value.chars().take(MAX_SHOWN_CHARS).collect();
    if excerpt.len() < value.len() {
        excerpt.push('…');
    }
    excerpt
}

fn language(tag: &str) -> Option<Locale> {
    tag.split(['-', '_']).next()?.to_ascii_lowercase().parse().ok()
}

/// Parses a number without a fraction; `10.0` is such a number in JSON Schema.
fn whole(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
    if is_whole && whole.bytes().all(|byte| byte.is_ascii_digit()) { whole.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_have_an_empty_fraction() {
        assert_eq!(["7", "7.0", "0"].map(whole), [Some(7), Some(7), Some(0)]);
        for text in ["7.5", "-1", "1e3", "\"7\"", "true", "99999999999999999999", "1."] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn every_error_names_the_allowed_values() {
        let mut arguments = Arguments::parse(r#"{"locale":"de","limit":0,"query":null}"#).unwrap();
        arguments.locale();
        arguments.number("limit", 1..=50);
        arguments.text("query", 400);
        assert_eq!(
            arguments.finish().unwrap_err(),
            "The arguments are not right: `locale` must be `en` or `tr`, not \"de\"; `limit` must be a whole number from \
             1 to 50, not 0; `query` is missing; it must be a text of 1 to 400 characters."
        );
    }

    #[test]
    fn locale_is_a_language_tag_in_any_case() {
        for (tag, expected) in [
            ("tr", Some(Locale::Tr)),
            ("TR", Some(Locale::Tr)),
            ("tr-TR", Some(Locale::Tr)),
            ("tr_TR", Some(Locale::Tr)),
            ("EN-us", Some(Locale::En)),
            ("en-Latn-GB", Some(Locale::En)),
            ("Turkish", None),
            ("trk", None),
            ("", None),
            ("-tr", None),
            ("de-TR", None),
        ] {
            let text = format!("{{\"locale\":\"{tag}\"}}");
            let mut arguments = Arguments::parse(&text).unwrap();
            assert_eq!((arguments.locale(), arguments.finish().is_ok()), (expected, expected.is_some()), "{tag}");
        }
    }

    #[test]
    fn numbers_and_texts_are_read_in_each_others_form() {
        let mut arguments =
            Arguments::parse(r#"{"limit":"5","offset":" 7.0 ","query":6098,"author":" ","further":1}"#).unwrap();
        assert_eq!((arguments.number("limit", 1..=50), arguments.number("offset", 0..=9)), (Some(5), Some(7)));
        assert_eq!((&*arguments.text("query", 9), arguments.optional_text("author", 9)), ("6098", None));
        assert_eq!(arguments.finish().unwrap().ignored_arguments, ["author", "further"]);
        for wrong in
            [r#"{"limit":"five"}"#, r#"{"limit":""}"#, r#"{"limit":"-1"}"#, r#"{"limit":[5]}"#, r#"{"limit":true}"#]
        {
            let mut arguments = Arguments::parse(wrong).unwrap();
            assert_eq!(arguments.number("limit", 1..=50), None);
            assert!(arguments.finish().is_err(), "{wrong}");
        }
        for wrong in [r#"{"query":true}"#, r#"{"query":["a"]}"#, r#"{"query":{}}"#, r#"{"query":1234567890}"#] {
            let mut arguments = Arguments::parse(wrong).unwrap();
            arguments.text("query", 9);
            assert!(arguments.finish().is_err(), "{wrong}");
        }
    }
}
