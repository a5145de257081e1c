//! `mecelle whoami`: which key goes out, whose it is, and whether the service takes it.

use contract::routes;
use serde_json::json;

use crate::{
    client,
    failure::Failure,
    keyring::Keyring,
    output::{
        self,
        sheet::{Cell, Fact, Sheet},
    },
    settings::{KeyOrigin, Settings, Storing},
    surroundings::{Out, Surroundings},
};

pub(crate) fn run(settings: &Settings, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut asked = settings.clone();
    // A stored answer would say nothing about the key as it stands.
    asked.storing = Storing::Off;
    client::fetch(routes::HEALTH, &asked, env, out.notes)?;
    let kept = match settings.key_origin {
        KeyOrigin::Kept => Keyring::of(env).map(|ring| ring.load(&settings.base)).transpose()?.flatten(),
        KeyOrigin::Given | KeyOrigin::Published => None,
    };
    let key = match (settings.key_origin, &settings.key) {
        (KeyOrigin::Kept, _) => "kept",
        (KeyOrigin::Published, _) => "sandbox",
        (KeyOrigin::Given, Some(_)) => "given",
        (KeyOrigin::Given, None) => "none",
    };
    let mut said = json!({ "base_url": settings.base.to_string(), "key": key, "valid": settings.key.is_some() });
    if let Some(entry) = &kept {
        said["registration_id"] = json!(entry.registration_id);
        said["registration_type"] = json!(entry.registration_type);
        said["scopes"] = json!(entry.scopes);
        said["credential_expires"] = json!(entry.credential_expires);
    }
    let fact =
        |field: &str, label, value: String| Fact { field: field.to_owned(), label, shown: Cell::new(&value), value };
    let mut facts = vec![
        fact("base_url", "Host", settings.base.to_string()),
        fact("key", "Key", told(key).to_owned()),
        fact("valid", "Accepted", if settings.key.is_some() { "yes" } else { "not needed" }.to_owned()),
    ];
    if let Some(entry) = kept {
        facts.push(fact("registration_id", "Registration", entry.registration_id));
        facts.push(fact("registration_type", "Kind", entry.registration_type));
        facts.push(fact("scopes", "Scopes", entry.scopes.join(" ")));
        facts.extend(entry.credential_expires.map(|moment| fact("credential_expires", "Expires", moment)));
    }
    let mut body = said.to_string().into_bytes();
    body.push(b'\n');
    let sheet = Sheet::card("Who asks".to_owned(), ["DETAIL", "VALUE"], facts);
    output::show(&body, |_| Ok(sheet), settings, env, out)
}

fn told(key: &str) -> &str {
    match key {
        "kept" => "from a registration of this tool",
        "sandbox" => "the published sandbox key",
        "given" => "given by --api-key or MECELLE_API_KEY",
        _ => "none",
    }
}
