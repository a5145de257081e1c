//! What registering and claiming have in common: the service's reply, what is kept of it, and how it is shown.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::{located, parsed};
use crate::{
    client,
    failure::Failure,
    keyring::{Entry, Keyring},
    output::{
        self,
        sheet::{Cell, Fact, Sheet},
        text,
    },
    settings::Settings,
    surroundings::{Out, Surroundings},
};

/// The fields of a reply that are kept. Which of them are there depends on how far the registration is.
#[derive(Deserialize)]
pub(super) struct Granted {
    pub(super) registration_id: String,
    registration_type: Option<String>,
    credential_type: Option<String>,
    #[serde(default, deserialize_with = "sendable")]
    credential: Option<String>,
    credential_expires: Option<String>,
    scopes: Option<Vec<String>>,
    #[serde(default, deserialize_with = "sendable")]
    claim_token: Option<String>,
    claim_token_expires: Option<String>,
}

/// A secret as it can stand in a header field. Security: kept otherwise, it would stop every later command.
fn sendable<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let secret = Option::<String>::deserialize(value)?;
    match secret {
        Some(text) if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(D::Error::custom("a secret in it cannot be sent back"))
        }
        secret => Ok(secret),
    }
}

impl Granted {
    /// What is to be kept: this reply on top of `before`.
    pub(super) fn onto(self, before: Entry) -> Entry {
        Entry {
            registration_id: self.registration_id,
            registration_type: self.registration_type.unwrap_or(before.registration_type),
            credential_type: self.credential_type.or(before.credential_type),
            credential: self.credential.or(before.credential),
            credential_expires: self.credential_expires.or(before.credential_expires),
            scopes: self.scopes.unwrap_or(before.scopes),
            claim_token: self.claim_token.or(before.claim_token),
            claim_token_expires: self.claim_token_expires.or(before.claim_token_expires),
        }
    }
}

/// What a reply is about, and the path that gave it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Registration(&'static str),
    Claim(&'static str),
}

/// Keeps what a reply gave on top of `before` and shows it: its exact bytes to a program, everything but the secrets
/// to a person.
pub(super) fn keep(
    body: &[u8],
    before: Entry,
    step: Step,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<Entry, Failure> {
    let ring = Keyring::needed(env)?;
    let path = match step {
        Step::Registration(path) | Step::Claim(path) => path,
    };
    let granted: Result<Granted, _> = parsed(body).map_err(|failure| located(failure, &settings.base.join(path)));
    let kept = granted.and_then(|granted| {
        let mut entry = granted.onto(before);
        // The claim token stays until a credential is there: it can fetch one that was lost.
        if matches!(step, Step::Claim(_)) && entry.credential.is_some() {
            (entry.claim_token, entry.claim_token_expires) = (None, None);
        }
        ring.save(&settings.base, entry.clone())?;
        Ok(entry)
    });
    if kept.is_err() {
        // The service will not say it again. Security: a terminal would obey what stands in it.
        let said = if env.screen.is_some() { text::disarmed(body) } else { body.to_vec() };
        let _ = out.data.write_all(&said).and_then(|()| out.data.flush());
    }
    let entry = kept?;
    output::show(body, |_| Ok(sheet(&entry, ring.place(), settings)), settings, env, out)?;
    Ok(entry)
}

fn sheet(entry: &Entry, place: &str, settings: &Settings) -> Sheet {
    let kept = if entry.credential.is_some() { format!("kept in {place}") } else { "none yet".to_owned() };
    let facts = [
        ("registration_id", "Registration", Some(entry.registration_id.clone())),
        ("registration_type", "Kind", Some(entry.registration_type.clone())),
        ("credential_type", "Credential", entry.credential_type.clone()),
        ("kept", "Key", Some(kept)),
        ("credential_expires", "Expires", entry.credential_expires.clone()),
        ("scopes", "Scopes", (!entry.scopes.is_empty()).then(|| entry.scopes.join(" "))),
        ("claim_token_expires", "Claim until", entry.claim_token.as_ref().and(entry.claim_token_expires.clone())),
    ];
    let facts = facts.into_iter().filter_map(|(field, label, value)| {
        let value = value.filter(|value| !value.is_empty())?;
        Some(Fact { field: field.to_owned(), label, shown: Cell::new(&value), value })
    });
    Sheet::card(format!("Registration at {}", settings.base), ["DETAIL", "VALUE"], facts)
}

/// The kept registration, which a later step needs.
pub(super) fn kept(ring: &Keyring, settings: &Settings) -> Result<Entry, Failure> {
    ring.load(&settings.base)?.ok_or_else(|| Failure::Usage {
        what: format!("There is no registration with {} here.", settings.base),
        remedy: Some("Register first.".to_owned()),
        next: Some("mecelle register".to_owned()),
    })
}

/// What a person does who was asked.
pub(super) const ASKED: &str = "a message was sent; its link shows a code for: mecelle claim --code CODE";

/// One line of advice below the data.
pub(super) fn advise_below(text: &str, env: &Surroundings, out: &mut Out<'_>) {
    if env.screen.is_some() && env.notes_on_screen {
        client::note(out.notes, "");
    }
    advise(text, out);
}

/// One line of advice.
pub(super) fn advise(text: &str, out: &mut Out<'_>) {
    client::note(out.notes, text);
}
