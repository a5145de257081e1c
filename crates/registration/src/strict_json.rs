//! A JSON object without duplicate names at any depth: parsers differ on which duplicate counts.

use providers::strict_json;
use serde_json::{Map, Value};

use crate::domain::RegistrationError;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct StrictObject(Map<String, Value>);

const CONTROL: RegistrationError = RegistrationError::Malformed("A text contains a control character.");

impl StrictObject {
    pub fn parse(bytes: &[u8]) -> Result<Self, RegistrationError> {
        match strict_json::parse(bytes) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            _ => Err(RegistrationError::Malformed("The body is not a JSON object in which every name stands once.")),
        }
    }

    /// Returns the string `name`; `null` counts as absent. Security: control characters are rejected in every string.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, RegistrationError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.contains(char::is_control) => Err(CONTROL),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(RegistrationError::NoText(name)),
        }
    }

    /// Returns the strings only, as a form has them.
    pub fn into_texts(self) -> Result<Vec<(String, String)>, RegistrationError> {
        let mut texts = Vec::new();
        for (name, member) in self.0 {
            match member {
                Value::String(text) if text.contains(char::is_control) => return Err(CONTROL),
                Value::String(text) => texts.push((name, text)),
                _ => {}
            }
        }
        Ok(texts)
    }

    /// Returns the string under either of two synonyms; both may be present if equal.
    pub fn either(&self, names: [&'static str; 2]) -> Result<Option<&str>, RegistrationError> {
        match (self.text(names[0])?, self.text(names[1])?) {
            (Some(one), Some(other)) if one != other => Err(RegistrationError::Malformed(
                "Two members that mean the same thing say different things; send one.",
            )),
            (one, other) => Ok(one.or(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_returned_and_other_values_are_errors() {
        let object =
            StrictObject::parse(br#"{"a":"x","b":1,"c":null,"d":{"e":[true,{"f":"g"}]},"email":"m"}"#).unwrap();
        assert_eq!(object.text("a").unwrap(), Some("x"));
        assert!(object.text("b").is_err() && object.text("d").is_err());
        assert_eq!((object.text("c").unwrap(), object.text("z").unwrap()), (None, None));
        assert_eq!(object.either(["login_hint", "email"]).unwrap(), Some("m"));
        assert!(object.either(["a", "email"]).is_err(), "two that contradict each other");
    }

    #[test]
    fn duplicate_member_is_rejected_at_every_depth() {
        for body in [r#"{"a":1,"a":2}"#, r#"{"b":{"a":1,"a":2}}"#, r#"{"b":[{"a":1,"a":2}]}"#, r#"{"a":1,"\u0061":2}"#]
        {
            assert!(StrictObject::parse(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn body_that_is_no_object_or_too_deep_is_rejected() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        for body in ["", "[]", "\"a\"", "{", "{\"a\":\"\\ud800\"}", "{}x", &deep] {
            assert!(StrictObject::parse(body.as_bytes()).is_err(), "{body:.20}");
        }
        assert!(StrictObject::parse(b"{\"a\":\"x\\u0000\"}").unwrap().text("a").is_err());
    }

    proptest! {
        #[test]
        fn parsing_arbitrary_bytes_never_panics(bytes: Vec<u8>) {
            let _ = StrictObject::parse(&bytes);
        }
    }
}
