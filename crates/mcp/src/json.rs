//! Reads JSON objects member by member, and writes JSON strings.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{error::Category, value::RawValue};

/// Why an object cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The text is not JSON.
    Broken,
    /// The text does not begin with `{`; it may not be JSON.
    NotAnObject,
    /// A requested member occurs twice, so two parsers could read different values.
    Twice,
}

/// Returns the unparsed values of the members `names` of the object `text`; other members are skipped.
pub(super) fn members<'a, const N: usize>(text: &'a str, names: [&str; N]) -> Result<[Option<&'a RawValue>; N], Wrong> {
    if !text.starts_with('{') {
        return Err(Wrong::NotAnObject);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = MembersSeed(names).deserialize(&mut reader).and_then(|values| reader.end().map(|()| values));
    read.map_err(|error| if error.classify() == Category::Data { Wrong::Twice } else { Wrong::Broken })
}

/// Returns the unparsed values of all members of the object `text`.
pub(super) fn object(text: &str) -> Result<BTreeMap<String, &RawValue>, Wrong> {
    struct Object;
    impl<'de> Visitor<'de> for Object {
        type Value = BTreeMap<String, &'de RawValue>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = BTreeMap::new();
            while let Some((name, value)) = map.next_entry()? {
                if members.insert(name, value).is_some() {
                    return Err(A::Error::custom("twice"));
                }
            }
            Ok(members)
        }
    }
    if !text.starts_with('{') {
        return Err(Wrong::NotAnObject);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = reader.deserialize_map(Object).and_then(|members| reader.end().map(|()| members));
    read.map_err(|error| if error.classify() == Category::Data { Wrong::Twice } else { Wrong::Broken })
}

struct MembersSeed<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for MembersSeed<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for MembersSeed<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; N];
        while let Some(place) = map.next_key_seed(MemberPlace(&self.0))? {
            match place {
                Some(place) => {
                    if values[place].replace(map.next_value()?).is_some() {
                        return Err(A::Error::custom("twice"));
                    }
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(values)
    }
}

/// Reads the name of a member as its index in a list, without storing the name.
struct MemberPlace<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for MemberPlace<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for MemberPlace<'_> {
    type Value = Option<usize>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }
}

/// Returns the text of a JSON string; `None` for other values.
pub(super) fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    let inner = value.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(value.get()).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// Whether a value is an object.
pub(super) fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

/// Returns the value unless it is `null`.
pub(super) fn non_null(value: Option<&RawValue>) -> Option<&RawValue> {
    value.filter(|value| value.get() != "null")
}

/// Writes `text` as a JSON string.
pub(super) fn quote(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape(text.as_bytes(), out);
    out.push(b'"');
}

pub(super) fn to_json_string(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    quote(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Whether a byte must be escaped in a JSON string.
static SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        special[byte] = true;
        byte += 1;
    }
    special[b'"' as usize] = true;
    special[b'\\' as usize] = true;
    special
};

/// Bytes checked at once.
const BLOCK: usize = 32;

/// Whether any byte of a block must be escaped in a JSON string. Without branches, so that the compiler vectorises it.
fn has_special(block: &[u8; BLOCK]) -> bool {
    let special = |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    block.iter().fold(0, |has, byte| has | special(*byte)) != 0
}

/// Writes UTF-8 `text` as the content of a JSON string, without the quotes.
pub(super) fn escape(text: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 32 + 8);
    let mut from = 0;
    for (start, block) in (0..).step_by(BLOCK).zip(text.chunks(BLOCK)) {
        if block.try_into().is_ok_and(|block| !has_special(block)) {
            continue;
        }
        for (at, byte) in (start..).zip(block) {
            if SPECIAL[usize::from(*byte)] {
                out.extend_from_slice(&text[from..at]);
                escape_one(*byte, out);
                from = at + 1;
            }
        }
    }
    out.extend_from_slice(&text[from..]);
}

fn escape_one(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        other => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[DIGITS[usize::from(other >> 4)], DIGITS[usize::from(other & 15)]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn requested_member_must_be_unique() {
        assert_eq!(members(r#"{"a":1,"a":2}"#, ["a"]).unwrap_err(), Wrong::Twice);
        assert_eq!(members(r#"{"a":1,"\u0061":2}"#, ["a"]).unwrap_err(), Wrong::Twice);
        assert_eq!(members(r#"{"a":1,"b":2,"b":3}"#, ["a"]).unwrap()[0].unwrap().get(), "1");
    }

    #[test]
    fn object_has_each_member_once() {
        let read = object(r#"{"a":1,"\u0062":[2]}"#).unwrap();
        assert_eq!(
            read.iter().map(|(name, value)| (name.as_str(), value.get())).collect::<Vec<_>>(),
            [("a", "1"), ("b", "[2]")]
        );
        assert_eq!(object(r#"{"a":1,"\u0061":2}"#).unwrap_err(), Wrong::Twice);
        assert_eq!([object("[]").unwrap_err(), object("{} 1").unwrap_err()], [Wrong::NotAnObject, Wrong::Broken]);
    }

    #[test]
    fn non_object_and_invalid_json_have_different_errors() {
        assert_eq!(members("[1]", ["a"]).unwrap_err(), Wrong::NotAnObject);
        assert_eq!(members("{", ["a"]).unwrap_err(), Wrong::Broken);
        assert_eq!(members("{} {}", ["a"]).unwrap_err(), Wrong::Broken);
        assert_eq!(members("{\"a\" 1}", ["a"]).unwrap_err(), Wrong::Broken);
    }

    proptest! {
        #[test]
        fn quoted_text_is_read_back(text: String) {
            let mut out = Vec::new();
            quote(&text, &mut out);
            let read: String = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(read, text);
        }

        #[test]
        fn parsing_an_arbitrary_text_never_panics(text: String) {
            let _ = members(&text, ["a", "b"]);
        }
    }
}
