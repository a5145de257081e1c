//! The claims of a token, with typed access.

use clock::Time;
use contract::id_jag::{EVENTS, MAX_TEXT_BYTES, TokenMember as Claim};
use serde_json::{Map, Number, Value};

use super::json;

/// 9999-12-31T23:59:59Z. Anything later is a mistake, such as milliseconds.
const LAST_SECOND: i64 = 253_402_300_799;

/// The claims of a token. Security: not `Debug`, because they identify a person.
pub(crate) struct Claims(Map<String, Value>);

impl Claims {
    pub(super) fn parse(text: &[u8]) -> Result<Self, &'static str> {
        json::object(text).map(Self)
    }

    pub(crate) fn has(&self, claim: Claim) -> bool {
        self.0.contains_key(claim.name)
    }

    /// Returns a non-empty text.
    pub(crate) fn text(&self, claim: Claim) -> Result<Option<&str>, &'static str> {
        match self.0.get(claim.name) {
            None => Ok(None),
            Some(value) => named(value).map(Some).ok_or(claim.malformed),
        }
    }

    pub(crate) fn required_text(&self, claim: Claim) -> Result<&str, &'static str> {
        self.text(claim)?.ok_or(claim.missing)
    }

    /// Returns a `NumericDate`, which may have a fraction (RFC 7519, 2).
    pub(crate) fn time(&self, claim: Claim) -> Result<Option<Time>, &'static str> {
        match self.0.get(claim.name) {
            None => Ok(None),
            Some(Value::Number(number)) => moment(number).map(Some).ok_or(claim.malformed),
            Some(_) => Err(claim.malformed),
        }
    }

    /// Returns a required `NumericDate`.
    pub(crate) fn required_time(&self, claim: Claim) -> Result<Time, &'static str> {
        self.time(claim)?.ok_or(claim.missing)
    }

    /// Whether the claim is the Boolean `true`. Security: the text `"true"` does not count.
    pub(crate) fn is_true(&self, claim: Claim) -> bool {
        self.0.get(claim.name) == Some(&Value::Bool(true))
    }

    /// Returns a text or a list of texts as a list.
    pub(crate) fn texts(&self, claim: Claim) -> Result<Option<Vec<&str>>, &'static str> {
        match self.0.get(claim.name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(vec![text])),
            Some(Value::Array(items)) => {
                let texts: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
                texts.map(Some).ok_or(claim.malformed)
            }
            Some(_) => Err(claim.malformed),
        }
    }

    /// Returns the events, at least one. Apple writes its event as a text with a JSON object, which has the kind as
    /// `type`.
    pub(crate) fn events(&self) -> Result<Map<String, Value>, &'static str> {
        let events = match self.0.get(EVENTS.name) {
            Some(Value::String(text)) => {
                let event = json::object(text.as_bytes()).map_err(|_| EVENTS.malformed)?;
                let kind = event.get("type").and_then(named).ok_or(EVENTS.malformed)?.to_owned();
                Map::from_iter([(kind, Value::Object(event))])
            }
            _ => self.members(EVENTS)?.ok_or(EVENTS.missing)?.clone(),
        };
        if events.is_empty() { Err(EVENTS.malformed) } else { Ok(events) }
    }

    /// Returns the members of an object.
    pub(crate) fn members(&self, claim: Claim) -> Result<Option<&Map<String, Value>>, &'static str> {
        match self.0.get(claim.name) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members)),
            Some(_) => Err(claim.malformed),
        }
    }
}

/// Returns a non-empty text that is short enough for an index of the store.
pub(crate) fn named(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty() && text.len() <= MAX_TEXT_BYTES)
}

fn moment(number: &Number) -> Option<Time> {
    if let Some(seconds) = number.as_i64() {
        return (0..=LAST_SECOND).contains(&seconds).then(|| Time::from_millis(seconds * 1000));
    }
    let seconds = number.as_f64().filter(|seconds| (0.0..=253_402_300_799.0).contains(seconds))?;
    Some(Time::from_millis((seconds * 1000.0) as i64))
}

#[cfg(test)]
mod tests {
    use contract::id_jag::{EMAIL_VERIFIED, EXP, SUB};

    use super::*;

    fn claims(text: &str) -> Claims {
        Claims::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn moment_is_a_number_of_seconds_within_the_calendar() {
        for (value, expected) in [("0", 0), ("1767225600", 1_767_225_600_000), ("1767225600.25", 1_767_225_600_250)] {
            let read = claims(&format!("{{\"exp\":{value}}}")).time(EXP).unwrap().unwrap();
            assert_eq!(read, Time::from_millis(expected), "{value}");
        }
        for value in [
            "-1",
            "-0.5",
            "\"1767225600\"",
            "null",
            "true",
            "[]",
            "1767225600000",
            "253402300800",
            "1e300",
            "18446744073709551615",
            "9223372036854775807",
        ] {
            assert_eq!(claims(&format!("{{\"exp\":{value}}}")).time(EXP), Err(EXP.malformed), "{value}");
        }
        assert_eq!(claims("{}").time(EXP), Ok(None));
    }

    #[test]
    fn text_is_neither_empty_nor_endless_nor_of_another_type() {
        assert_eq!(claims(r#"{"sub":"user-1"}"#).text(SUB), Ok(Some("user-1")));
        let long = format!(r#"{{"sub":"{}"}}"#, "x".repeat(MAX_TEXT_BYTES + 1));
        for text in [r#"{"sub":""}"#, r#"{"sub":7}"#, r#"{"sub":["user-1"]}"#, r#"{"sub":null}"#, &long] {
            assert_eq!(claims(text).text(SUB), Err(SUB.malformed), "{text}");
        }
    }

    #[test]
    fn email_verified_is_true_only_as_a_boolean() {
        assert!(claims(r#"{"email_verified":true}"#).is_true(EMAIL_VERIFIED));
        for value in ["\"true\"", "1", "null", "false", "[true]"] {
            assert!(!claims(&format!("{{\"email_verified\":{value}}}")).is_true(EMAIL_VERIFIED), "{value}");
        }
    }
}
