//! The JSON of tokens: no duplicate names, no control characters.

use serde_json::{Map, Value};

use crate::strict_json;

/// Parses an object. Duplicate names are rejected because parsers differ on which counts (RFC 7519, 4), control
/// characters because no used value has them.
pub(super) fn object(text: &[u8]) -> Result<Map<String, Value>, &'static str> {
    match strict_json::parse(text) {
        Ok(value) if !has_control(&value) => match value {
            Value::Object(members) => Ok(members),
            _ => Err("a part of it is not a JSON object"),
        },
        _ => Err("a part of it is not JSON, or has a name twice or a control character in a text"),
    }
}

fn has_control(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(char::is_control),
        Value::Array(items) => items.iter().any(has_control),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains(char::is_control) || has_control(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn object_is_read_as_any_reader_reads_it() {
        let text = r#"{"a":1,"b":[true,null,-2.5,"ç"],"c":{"a":{}}}"#;
        assert_eq!(Value::Object(object(text.as_bytes()).unwrap()), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn duplicate_name_is_rejected_at_every_depth_and_spelling() {
        for text in [r#"{"a":1,"a":1}"#, r#"{"x":{"a":1,"a":2}}"#, r#"{"x":[{"a":1,"\u0061":2}]}"#] {
            assert!(object(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn control_characters_are_refused_in_names_and_texts() {
        for text in
            [r#"{"a":"\u0000"}"#, r#"{"a":["\r\n"]}"#, r#"{"a\u0007":1}"#, r#"{"a":"\u007f"}"#, r#"{"a":"\u0085"}"#]
        {
            assert!(object(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn params_that_are_no_object_are_rejected() {
        for text in ["", "1", "[]", "null", "\"a\"", "{", "{}{}", "{\"a\":1e999}", "\u{feff}{}", "{'a':1}"] {
            assert!(object(text.as_bytes()).is_err(), "{text}");
        }
        assert!(object(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn endless_nesting_is_rejected_without_stack_overflow() {
        assert!(object(format!("{{\"a\":{}", "[".repeat(100_000)).as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn parsing_arbitrary_bytes_never_panics(bytes: Vec<u8>) {
            let _ = object(&bytes);
        }
    }
}
