//! Strict JSON: no duplicate names, no control characters.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// Parses an object. Duplicate names are rejected because parsers differ on which counts (RFC 7519, 4), control
/// characters because no used value has them.
pub(super) fn object(text: &[u8]) -> Result<Map<String, Value>, &'static str> {
    match serde_json::from_slice(text) {
        Ok(Strict(Value::Object(members))) => Ok(members),
        Ok(Strict(_)) => Err("a part of it is not a JSON object"),
        Err(_) => Err("a part of it is not JSON, or has a name twice or a control character in a text"),
    }
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.visit_string(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        if value.chars().any(char::is_control) {
            return Err(E::custom("a control character"));
        }
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if name.chars().any(char::is_control) {
                return Err(A::Error::custom("a control character"));
            }
            let Strict(value) = members.next_value()?;
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a name twice"));
            }
        }
        Ok(Value::Object(object))
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
