//! `mecelle whoami`: shows the key, its registration, and whether the service accepts it.

use contract::routes;
use serde_json::{Value, json};

use super::{health, session::Session};
use crate::{
    failure::Failure,
    keyring::Keyring,
    output::sheet::{Cell, Fact, Sheet},
    settings::{CacheMode, SentKey, Settings},
};

pub(crate) fn run(session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let settings = session.settings;
    let valid = match (settings.cache_mode, settings.key()) {
        // Offline, the validity of a key is unknown.
        (CacheMode::Only, Some(_)) => None,
        (CacheMode::Only, None) => Some(false),
        (_, key) => {
            let answer = health::fetch_uncached(session)?;
            Some(key.is_some() && !answer.is_key_refused)
        }
    };
    let kept = match settings.sent {
        SentKey::Kept(_) => Keyring::of(session.env).map(|ring| ring.load(&settings.base)).transpose()?.flatten(),
        _ => None,
    };
    let (key, origin) = key_origin(settings);
    let accepted = match (valid, settings.key()) {
        (Some(true), _) => "yes",
        (Some(false), Some(_)) => "no, and not needed",
        (Some(false), None) => "not needed",
        (None, _) => "not checked",
    };
    let mut facts = vec![
        KeyFact::new("base_url", "Host", json!(settings.base.to_string())),
        KeyFact { shown: origin.to_owned(), ..KeyFact::new("key", "Key", json!(key)) },
        KeyFact { shown: accepted.to_owned(), ..KeyFact::new("valid", "Accepted", json!(valid)) },
    ];
    if let Some(entry) = kept {
        facts.push(KeyFact::new("registration_id", "Registration", json!(entry.registration_id)));
        facts.push(KeyFact::new("registration_type", "Kind", json!(entry.registration_type)));
        facts.push(KeyFact { shown: entry.scopes.join(" "), ..KeyFact::new("scopes", "Scopes", json!(entry.scopes)) });
        facts.push(KeyFact::new("credential_expires", "Expires", json!(entry.credential_expires)));
    }
    let body: serde_json::Map<_, _> = facts.iter().map(|fact| (fact.field.to_owned(), fact.value.clone())).collect();
    let body = format!("{}\n", Value::Object(body)).into_bytes();
    let sheet = Sheet::card("Current key".to_owned(), ["DETAIL", "VALUE"], facts.into_iter().map(KeyFact::fact));
    session.show(&body, routes::HEALTH, |_| Ok(sheet))
}

/// One fact, for programs and for people.
struct KeyFact {
    field: &'static str,
    label: &'static str,
    value: Value,
    shown: String,
}

impl KeyFact {
    fn new(field: &'static str, label: &'static str, value: Value) -> Self {
        let shown = value.as_str().unwrap_or_default().to_owned();
        Self { field, label, value, shown }
    }

    fn fact(self) -> Fact {
        let value = match &self.value {
            Value::Bool(value) => value.to_string(),
            Value::String(value) => value.clone(),
            _ => self.shown.clone(),
        };
        Fact { field: self.field.to_owned(), label: self.label, value, shown: Cell::new(&self.shown) }
    }
}

/// Returns the key's origin, as a JSON value and in words.
fn key_origin(settings: &Settings) -> (&'static str, &'static str) {
    match settings.sent {
        SentKey::Kept(_) => ("kept", "from a registration of this tool"),
        SentKey::Published(_) => ("sandbox", "the published sandbox key"),
        SentKey::Given(_) => ("given", "from --api-key or MECELLE_API_KEY"),
        SentKey::Nothing | SentKey::Unknown => ("none", "none"),
    }
}
