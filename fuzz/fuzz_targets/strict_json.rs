//! Request bodies: exactly the JSON objects without duplicate names are accepted, with the same texts as `serde_json`
//! reads.

#![no_main]

use std::{collections::BTreeSet, fmt};

use libfuzzer_sys::fuzz_target;
use registration::strict_json::StrictObject;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

fuzz_target!(|body: &[u8]| {
    let expected = match serde_json::from_slice(body) {
        Ok(Json::Object(members))
            if members.iter().all(|(_, value)| value.has_unique_names()) && are_unique(&members) =>
        {
            members
        }
        _ => {
            assert!(StrictObject::parse(body).is_err(), "accepted, but not an object with unique names");
            return;
        }
    };
    let object = StrictObject::parse(body).expect("an object with unique names");
    let mut texts: Vec<_> = expected.into_iter().filter_map(|(name, value)| Some((name, value.into_text()?))).collect();
    texts.sort();
    let has_control = texts.iter().any(|(_, text)| text.contains(char::is_control));
    match object.into_texts() {
        Ok(read) => assert!(!has_control && read == texts, "{read:?} was read, not {texts:?}"),
        Err(_) => assert!(has_control, "{texts:?} were rejected"),
    }
});

/// JSON as written, with duplicate names.
enum Json {
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
    Other,
}

impl Json {
    fn has_unique_names(&self) -> bool {
        match self {
            Self::List(items) => items.iter().all(Self::has_unique_names),
            Self::Object(members) => are_unique(members) && members.iter().all(|(_, value)| value.has_unique_names()),
            Self::Text(_) | Self::Other => true,
        }
    }

    fn into_text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

fn are_unique(members: &[(String, Json)]) -> bool {
    members.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len() == members.len()
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}
