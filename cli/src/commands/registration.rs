//! Shared by `register` and `claim`: parses, stores and shows the service's reply.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::session::{Session, parse, with_url};
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

/// The fields to store. Which are present depends on the state of the registration.
#[derive(Deserialize)]
pub(super) struct RegistrationReply {
    pub(super) registration_id: String,
    registration_type: Option<String>,
    credential_type: Option<String>,
    #[serde(default, deserialize_with = "deserialize_sendable")]
    credential: Option<String>,
    credential_expires: Option<String>,
    scopes: Option<Vec<String>>,
    #[serde(default, deserialize_with = "deserialize_sendable")]
    claim_token: Option<String>,
    claim_token_expires: Option<String>,
    pub(super) match_phrase: Option<String>,
}

/// Reads a secret that fits into a header field. Security: any other, once stored, would break every later command.
fn deserialize_sendable<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let secret = Option::<String>::deserialize(value)?;
    match secret {
        Some(text) if !Key::is_sendable(&text) => Err(D::Error::custom("a secret in it cannot be sent back")),
        secret => Ok(secret),
    }
}

impl RegistrationReply {
    /// Returns `before` with the reply's fields.
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

    /// Returns the stored entry with the result of the claim of `token`; `None` if the entry now belongs to another
    /// registration and claim.
    fn merge_claim(self, token: &str, stored: KeyringEntry) -> Option<KeyringEntry> {
        let is_same = self.registration_id == stored.registration_id;
        if !is_same && stored.claim_token.as_deref() != Some(token) {
            return None;
        }
        let mut entry = match (is_same, self.credential.is_some()) {
            (true, _) => self.merge_into(stored),
            // The key of another registration is replaced: inherit nothing but its claim.
            (false, true) => {
                let KeyringEntry { claim_token, claim_token_expires, .. } = stored;
                self.merge_into(KeyringEntry { claim_token, claim_token_expires, ..KeyringEntry::default() })
            }
            // Without a new key, the key of the other registration stays.
            (false, false) => return Some(stored),
        };
        // Until there is a credential, the claim token stays: it can fetch a lost one.
        if entry.credential.is_some() {
            (entry.claim_token, entry.claim_token_expires) = (None, None);
        }
        Some(entry)
    }
}

/// The step of a reply, with the path of its request.
#[derive(Clone, Copy, Debug)]
pub(super) enum RegistrationStep<'a> {
    Registration(&'static str),
    /// With the claim token of the request.
    Claim(&'static str, &'a str),
}

/// Stores the entry of a reply and shows it: the exact bytes in a pipe, everything but the secrets on a terminal.
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
        // Another run may have changed the entry during a long wait.
        RegistrationStep::Claim(_, token) => ring
            .advance(&settings.base, |stored| granted.merge_claim(token, stored))?
            .ok_or_else(|| conflict_failure(settings)),
    });
    if kept.is_err() {
        // The service does not repeat this reply: print it. Security: without control characters on a terminal.
        let text = if session.env.screen.is_some() { text::sanitize(body) } else { body.to_vec() };
        let _ = session.out.data.write_all(&text).and_then(|()| session.out.data.flush());
    }
    let entry = kept?;
    session.show(body, path, |_| Ok(sheet(&entry, words, ring.place(), settings)))?;
    Ok(entry)
}

/// Builds the failure for an entry that another run of the tool changed meanwhile. The change stays.
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

/// Returns the kept registration, or the failure if there is none.
pub(super) fn load_entry(ring: &Keyring, settings: &Settings) -> Result<KeyringEntry, Failure> {
    ring.load(&settings.base)?.ok_or_else(|| Failure::Usage {
        what: format!("There is no registration with {} here.", settings.base),
        remedy: Some("Register first.".to_owned()),
        next: Some(settings.typed.on_same_host("mecelle register")),
    })
}

/// Label of the two words in the e-mail and in the reply.
pub(super) const MATCH_PHRASE: &str = "Match phrase";

/// Advice after a new key replaced a kept one.
pub(super) const REPLACED: &str = "the new key replaces the earlier one, which stays valid until it expires";

/// Returns the advice after an e-mail was sent.
pub(super) fn code_advice(settings: &Settings) -> String {
    format!(
        "an e-mail was sent; its link shows a code for: {}",
        settings.typed.on_same_host("mecelle claim --code CODE")
    )
}
