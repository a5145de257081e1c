//! What a form brings: names and values, each once.

use std::{borrow::Cow, fmt};

use contract::Locale;
use percent_encoding::percent_decode;

/// The fields of a body or of a query. Security: never printed; they hold secrets of links.
#[derive(Default)]
pub(super) struct Fields(Vec<(String, String)>);

/// A body that is no form: a field stands twice, or is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// More fields than any form here has.
const MOST: usize = 16;

impl Fields {
    /// Reads `application/x-www-form-urlencoded` (URL standard, 5.1).
    pub(super) fn parse(octets: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Vec::new();
        for pair in octets.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let at = pair.iter().position(|byte| *byte == b'=');
            let (name, value) = at.map_or((pair, &[][..]), |at| (&pair[..at], &pair[at + 1..]));
            let (name, value) = (decode(name)?, decode(value)?);
            if fields.len() == MOST || fields.iter().any(|(known, _)| *known == name) {
                return Err(Malformed);
            }
            fields.push((name, value));
        }
        Ok(Self(fields))
    }

    /// Reads a JSON object of texts; members of other types are ignored.
    pub(super) fn parse_json(octets: &[u8]) -> Result<Self, Malformed> {
        serde_json::from_slice(octets).map_err(|_| Malformed)
    }

    /// The value of `name`, without white space around it; an empty value is as good as none.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim());
        value.filter(|value| !value.is_empty())
    }

    /// The locale that is asked for; one that is not known is not asked for.
    pub(super) fn locale(&self) -> Option<Locale> {
        self.find("locale")?.parse().ok()
    }
}

fn decode(octets: &[u8]) -> Result<String, Malformed> {
    let spaced: Cow<[u8]> = if octets.contains(&b'+') {
        octets.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect()
    } else {
        octets.into()
    };
    percent_decode(&spaced).decode_utf8().map(Cow::into_owned).map_err(|_| Malformed)
}

impl<'de> serde::Deserialize<'de> for Fields {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Visitor)
    }
}

struct Visitor;

impl<'de> serde::de::Visitor<'de> for Visitor {
    type Value = Fields;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
            if fields.len() == MOST || fields.iter().any(|(known, _)| *known == name) {
                return Err(serde::de::Error::custom("a member stands twice, or there are too many"));
            }
            fields.push((name, value.as_str().unwrap_or_default().to_owned()));
        }
        Ok(Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_form_is_decoded() {
        let fields = Fields::parse(b"email=ay%C5%9Fe%40firm.example&name=a+b%2Bc&locale=tr&empty=&alone").unwrap();
        assert_eq!(fields.find("email"), Some("ayşe@firm.example"));
        assert_eq!(fields.find("name"), Some("a b+c"));
        assert_eq!(fields.locale(), Some(Locale::Tr));
        assert_eq!((fields.find("empty"), fields.find("alone"), fields.find("other")), (None, None, None));
        assert_eq!(Fields::parse(b"locale=TR").unwrap().locale(), None);
    }

    #[test]
    fn a_field_that_stands_twice_or_is_no_text_is_refused() {
        for body in [&b"a=1&a=2"[..], b"a=%ff", b"%61=1&a=2"] {
            assert_eq!(Fields::parse(body).err(), Some(Malformed));
        }
        for body in [&b"{\"a\":\"1\",\"a\":\"2\"}"[..], b"[]", b"{", b"\"a\"", b""] {
            assert_eq!(Fields::parse_json(body).err(), Some(Malformed));
        }
        assert_eq!(Fields::parse_json(b"{\"a\":\" x \",\"b\":1}").unwrap().find("a"), Some("x"));
    }

    proptest! {
        #[test]
        fn any_octets_are_understood_or_refused(octets: Vec<u8>) {
            let _ = Fields::parse(&octets);
            let _ = Fields::parse_json(&octets);
        }
    }
}
