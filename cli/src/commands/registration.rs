//! What registering and claiming have in common: the service's reply, the part of it that is kept, and how it is shown.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::{
    reading::{parse, with_url},
    session::Session,
};
use crate::{
    failure::Failure,
    key::Key,
    keyring::{Keyring, KeyringEntry},
    output::{
        sheet::{Cell, Fact, Sheet},
        text,
    },
    settings::Settings,
};

/// The fields of a reply that are kept. Which of them are present depends on how far the registration has got.
#[derive(Deserialize)]
pub(super) struct RegistrationReply {
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
    pub(super) match_phrase: Option<String>,
}

/// Reads a secret that can be sent in a header field. Security: any other, once kept, would stop every later command.
fn sendable<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let secret = Option::<String>::deserialize(value)?;
    match secret {
        Some(text) if !Key::is_sendable(&text) => Err(D::Error::custom("a secret in it cannot be sent back")),
        secret => Ok(secret),
    }
}

impl RegistrationReply {
    /// Returns the entry to keep of a registration: this reply, on top of `before`.
    pub(super) fn merge_into(self, before: KeyringEntry) -> KeyringEntry {
        KeyringEntry {
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

    /// Returns the entry to keep of a claim that continued with `token`, on top of what is kept by now; none if that is
    /// about something else.
    fn merge_claim(self, token: &str, stored: KeyringEntry) -> Option<KeyringEntry> {
        let is_same = self.registration_id == stored.registration_id;
        if !is_same && stored.claim_token.as_deref() != Some(token) {
            return None;
        }
        let mut entry = match (is_same, self.credential.is_some()) {
            (true, _) => self.merge_into(stored),
            // Nothing is inherited from the key of another registration when this one replaces it ...
            (false, true) => {
                let KeyringEntry { claim_token, claim_token_expires, .. } = stored;
                self.merge_into(KeyringEntry { claim_token, claim_token_expires, ..KeyringEntry::default() })
            }
            // ... and it is kept as long as there is no new key.
            (false, false) => return Some(stored),
        };
        // The claim token is kept until there is a credential: it can fetch one that was lost.
        if entry.credential.is_some() {
            (entry.claim_token, entry.claim_token_expires) = (None, None);
        }
        Some(entry)
    }
}

/// What a reply is about, and the path that it came from.
#[derive(Clone, Copy, Debug)]
pub(super) enum RegistrationStep<'a> {
    Registration(&'static str),
    /// A step that was taken with this claim token.
    Claim(&'static str, &'a str),
}

/// Keeps what a reply granted and shows it: its exact bytes to a program, everything but the secrets to a person.
pub(super) fn store(
    body: &[u8],
    step: RegistrationStep<'_>,
    session: &mut Session<'_, '_>,
) -> Result<KeyringEntry, Failure> {
    let settings = session.settings;
    let ring = Keyring::require(session.env)?;
    let path = match step {
        RegistrationStep::Registration(path) | RegistrationStep::Claim(path, _) => path,
    };
    let granted: Result<RegistrationReply, _> =
        parse(body).map_err(|failure| with_url(failure, &settings.base.join(path)));
    let words = granted.as_ref().ok().and_then(|granted| granted.match_phrase.clone());
    let kept = granted.and_then(|granted| match step {
        RegistrationStep::Registration(_) => {
            let entry = granted.merge_into(KeyringEntry::default());
            ring.save(&settings.base, entry.clone()).map(|()| entry)
        }
        // The wait may have taken an hour.
        RegistrationStep::Claim(_, token) => ring
            .advance(&settings.base, |stored| granted.merge_claim(token, stored))?
            .ok_or_else(|| conflict_failure(settings)),
    });
    if kept.is_err() {
        // The service will not say it again. Security: a terminal would obey control characters in it.
        let said = if session.env.screen.is_some() { text::sanitize(body) } else { body.to_vec() };
        let _ = session.out.data.write_all(&said).and_then(|()| session.out.data.flush());
    }
    let entry = kept?;
    session.show(body, path, |_| Ok(sheet(&entry, words, ring.place(), settings)))?;
    Ok(entry)
}

/// Builds the failure for when another run of the tool changed the entry in the meantime, which is not undone.
fn conflict_failure(settings: &Settings) -> Failure {
    Failure::Stopped {
        what: "The registration was changed here in the meantime, so the reply is not kept.".to_owned(),
        remedy: "The reply was printed: store a key in it yourself, and pass it with MECELLE_API_KEY.".to_owned(),
        next: settings.typed.on_same_host("mecelle whoami"),
    }
}

fn sheet(entry: &KeyringEntry, words: Option<String>, place: &str, settings: &Settings) -> Sheet {
    let kept = if entry.credential.is_some() { format!("kept in {place}") } else { "none yet".to_owned() };
    let facts = [
        ("registration_id", "Registration", Some(entry.registration_id.clone())),
        ("registration_type", "Kind", Some(entry.registration_type.clone())),
        ("credential_type", "Credential", entry.credential_type.clone()),
        ("kept", "Key", Some(kept)),
        ("credential_expires", "Expires", entry.credential_expires.clone()),
        ("scopes", "Scopes", (!entry.scopes.is_empty()).then(|| entry.scopes.join(" "))),
        ("claim_token_expires", "Claim until", entry.claim_token.as_ref().and(entry.claim_token_expires.clone())),
        ("match_phrase", MATCH_PHRASE, words),
    ];
    let facts = facts.into_iter().filter_map(|(field, label, value)| {
        let value = value.filter(|value| !value.is_empty())?;
        Some(Fact { field: field.to_owned(), label, shown: Cell::new(&value), value })
    });
    Sheet::card(format!("Registration at {}", settings.base), ["DETAIL", "VALUE"], facts)
}

/// Returns the kept registration, which a later step needs.
pub(super) fn load_entry(ring: &Keyring, settings: &Settings) -> Result<KeyringEntry, Failure> {
    ring.load(&settings.base)?.ok_or_else(|| Failure::Usage {
        what: format!("There is no registration with {} here.", settings.base),
        remedy: Some("Register first.".to_owned()),
        next: Some(settings.typed.on_same_host("mecelle register")),
    })
}

/// The heading of the two words by which a person recognises the message.
pub(super) const MATCH_PHRASE: &str = "Match phrase";

/// What is said about a kept key that another one has replaced here.
pub(super) const REPLACED: &str = "the new key replaces the earlier one, which stays valid until it expires";

/// Says what a person who was sent a message does next.
pub(super) fn code_advice(settings: &Settings) -> String {
    format!(
        "an e-mail was sent; its link shows a code for: {}",
        settings.typed.on_same_host("mecelle claim --code CODE")
    )
}
