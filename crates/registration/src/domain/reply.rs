//! The results of use cases, before they are formatted for a protocol.

use clock::Time;
use contract::{
    Locale,
    agent_auth::{CredentialType, RegistrationType},
    scopes::Scope,
};
use secrets::{ClaimToken, RegistrationId, Secret};

use super::{MatchPhrase, credential::Active};

/// A new registration.
#[derive(Debug)]
pub struct Registered {
    pub id: RegistrationId,
    pub kind: RegistrationType,
    /// The credential, if one is issued at once.
    pub issued: Option<Issued>,
    /// How it can be claimed, if it can.
    pub pending: Option<Pending>,
}

/// An issued credential in clear.
#[derive(Debug)]
pub struct Issued {
    pub credential: Secret,
    pub credential_type: CredentialType,
    pub expires: Time,
    pub scopes: Vec<Scope>,
}

impl Issued {
    /// Returns `credential` with its stored data.
    pub(crate) fn new(credential: Secret, active: &Active) -> Self {
        let Active { kind, expires, ref scopes, .. } = *active;
        Self { credential, credential_type: kind, expires, scopes: scopes.clone() }
    }
}

#[derive(Debug)]
pub struct Pending {
    /// The origin of the site.
    pub site_url: String,
    /// The time of the request.
    pub now: Time,
    pub claim_token: ClaimToken,
    /// When the registration expires unclaimed.
    pub expires: Time,
    /// The scopes after the claim.
    pub scopes: Vec<Scope>,
    /// Seconds between two polls.
    pub interval: u64,
    /// Present if a person is asked.
    pub match_phrase: Option<MatchPhrase>,
    /// When the attempt ends, if a person is asked.
    pub attempt_expires: Option<Time>,
}

#[derive(Debug)]
pub struct ClaimStarted {
    pub id: RegistrationId,
    /// The ID of the attempt; not stored in clear.
    pub attempt: Secret,
    /// When the attempt ends.
    pub expires: Time,
    /// Seconds between two polls.
    pub interval: u64,
    pub match_phrase: Option<MatchPhrase>,
}

#[derive(Debug)]
pub struct Completed {
    pub id: RegistrationId,
    pub kind: RegistrationType,
    pub credential_type: CredentialType,
    /// When the credential expires.
    pub expires: Time,
    pub scopes: Vec<Scope>,
    /// A new credential, or `None` if the agent's credential was widened.
    pub credential: Option<Secret>,
}

#[derive(Debug)]
pub struct Token {
    pub id: RegistrationId,
    pub kind: RegistrationType,
    pub issued: Issued,
}

/// What the claim page shows.
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimView {
    /// The provider's client, otherwise the registration.
    pub agent: String,
    /// The provider's name.
    pub provider: Option<String>,
    /// The agent's match phrase.
    pub match_phrase: Option<String>,
    /// The address of the person, its domain in ASCII.
    pub email: String,
    pub scopes: Vec<Scope>,
    pub requested: Time,
    pub expires: Time,
    pub locale: Locale,
}

/// The code page.
#[derive(Debug)]
pub struct Challenge {
    pub agent: String,
    pub code: Secret,
    pub expires: Time,
    pub locale: Locale,
}

/// What the access page shows.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessView {
    pub email: String,
    pub locale: Locale,
    pub expires: Time,
    pub grants: Vec<Grant>,
}

/// One registration on the access page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    pub id: RegistrationId,
    pub agent: String,
    pub provider: Option<String>,
    /// The agent's match phrase.
    pub match_phrase: Option<String>,
    pub scopes: Vec<Scope>,
    pub granted: Time,
    pub expires: Time,
}
