//! Arguments of tools. All faults are reported at once, so that a model can mend them all instead of asking again for
//! each.

use std::{borrow::Cow, ops::RangeInclusive};

use contract::{Locale, mcp::arguments::LOCALE};
use serde_json::value::RawValue;

use super::ToolError;
use crate::json::{self, Wrong};

/// The faults that were found so far.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    faults: Vec<String>,
}

/// The unparsed values of the arguments `names`.
pub(super) fn named<'a, const N: usize>(
    text: &'a str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], ToolError> {
    let values = json::members(text, names).map_err(|wrong| match wrong {
        Wrong::Twice => "An argument stands twice.".to_owned(),
        Wrong::NotAnObject => "The arguments must be an object.".to_owned(),
        Wrong::Broken => "The name of an argument is no text: it has half of a surrogate pair.".to_owned(),
    })?;
    Ok(values.map(json::given))
}

impl Arguments {
    /// `locale`, if it was given.
    pub(super) fn locale(&mut self, value: Option<&RawValue>) -> Option<Locale> {
        let value = value?;
        let locale = json::string(value).and_then(|code| code.parse().ok());
        if locale.is_none() {
            self.error(LOCALE, "`en` or `tr`", value);
        }
        locale
    }

    /// A whole number; `absent` where none was given.
    pub(super) fn number(
        &mut self,
        name: &str,
        value: Option<&RawValue>,
        allowed: RangeInclusive<u64>,
        absent: u64,
    ) -> u64 {
        let Some(value) = value else { return absent };
        let number = whole(value.get()).filter(|number| allowed.contains(number));
        if number.is_none() {
            let range = if *allowed.end() == u64::MAX {
                format!("a whole number from {}", allowed.start())
            } else {
                format!("a whole number from {} to {}", allowed.start(), allowed.end())
            };
            self.error(name, &range, value);
        }
        number.unwrap_or(absent)
    }

    /// A text that must be given and must not be blank.
    pub(super) fn text<'a>(&mut self, name: &str, value: Option<&'a RawValue>, most: usize) -> Cow<'a, str> {
        let text = value.and_then(json::string);
        let is_fine = |text: &Cow<'_, str>| !text.trim().is_empty() && text.chars().count() <= most;
        match (value, text.filter(is_fine)) {
            (_, Some(text)) => return text,
            (Some(value), None) => self.error(name, &format!("a text of 1 to {most} characters"), value),
            (None, None) => {
                self.faults.push(format!("`{name}` is missing; it must be a text of 1 to {most} characters"));
            }
        }
        Cow::Borrowed("")
    }

    /// Reports a error if both of two names for the same thing are used.
    pub(super) fn one_of(&mut self, one: (&str, Option<&RawValue>), other: (&str, Option<&RawValue>)) {
        if let ((one, Some(_)), (other, Some(_))) = (one, other) {
            self.faults.push(format!("`{one}` and `{other}` stand for the same; give one of them"));
        }
    }

    /// Fails if any argument was not understood.
    pub(super) fn finish(self) -> Result<(), ToolError> {
        if self.faults.is_empty() {
            return Ok(());
        }
        Err(format!("The arguments are not right: {}.", self.faults.join("; ")))
    }

    fn error(&mut self, name: &str, allowed: &str, value: &RawValue) {
        self.faults.push(format!("`{name}` must be {allowed}, not {}", shown(value.get())));
    }
}

/// The beginning of a value, for a message.
pub(super) fn shown(value: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = value.chars().take(MOST).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    shown
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
    fn every_fault_is_named_with_what_is_allowed() {
        let [locale, limit, query] = named(r#"{"locale":"de","limit":0}"#, ["locale", "limit", "query"]).unwrap();
        let mut arguments = Arguments::default();
        arguments.locale(locale);
        arguments.number("limit", limit, 1..=50, 10);
        arguments.text("query", query, 400);
        assert_eq!(
            arguments.finish().unwrap_err(),
            "The arguments are not right: `locale` must be `en` or `tr`, not \"de\"; `limit` must be a whole number from \
             1 to 50, not 0; `query` is missing; it must be a text of 1 to 400 characters."
        );
    }
}
