//! What is answered. Times are exact; how they are written is decided where they are sent.

use clock::Time;
use contract::{
    Locale,
    agent_auth::{CredentialType, RegistrationType},
    scopes::Scope,
};

use super::{
    MatchPhrase, Secret,
    credential::Active,
    secret::{ClaimToken, RegistrationId},
};

/// A registration that was made.
#[derive(Debug)]
pub struct Registered {
    /// The registration.
    pub id: RegistrationId,
    /// How it began.
    pub kind: RegistrationType,
    /// What the agent may use at once.
    pub issued: Option<Issued>,
    /// How a person can claim it.
    pub pending: Option<Pending>,
}

/// A credential in clear. It is in clear only here.
#[derive(Debug)]
pub struct Issued {
    /// The credential, in clear.
    pub credential: Secret,
    /// The type of the credential.
    pub credential_type: CredentialType,
    /// When it ends.
    pub expires: Time,
    /// What it permits.
    pub scopes: Vec<Scope>,
}

impl Issued {
    /// Tells `credential`, of which the store keeps `active`.
    pub(crate) fn new(credential: Secret, active: &Active) -> Self {
        let Active { kind, expires, ref scopes, .. } = *active;
        Self { credential, credential_type: kind, expires, scopes: scopes.clone() }
    }
}

/// What is needed to claim a registration.
#[derive(Debug)]
pub struct Pending {
    /// The origin of the site at which it is claimed.
    pub site_url: String,
    /// When it was asked for.
    pub now: Time,
    /// The token that claims it.
    pub claim_token: ClaimToken,
    /// When it ends.
    pub expires: Time,
    /// What the credential may be used for once a person has agreed.
    pub scopes: Vec<Scope>,
    /// Seconds between two polls.
    pub interval: u64,
    /// The words in the message, if a person is being asked.
    pub match_phrase: Option<MatchPhrase>,
    /// When the person's time ends, if one is being asked.
    pub attempt_expires: Option<Time>,
}

/// A person is being asked.
#[derive(Debug)]
pub struct ClaimStarted {
    /// The registration.
    pub id: RegistrationId,
    /// Names the attempt; not kept in clear.
    pub attempt: Secret,
    /// When it ends.
    pub expires: Time,
    /// Seconds between two polls.
    pub interval: u64,
    /// The words in the message.
    pub match_phrase: Option<MatchPhrase>,
}

/// A person has agreed.
#[derive(Debug)]
pub struct Completed {
    /// The registration.
    pub id: RegistrationId,
    /// How it began.
    pub kind: RegistrationType,
    /// The type of the credential.
    pub credential_type: CredentialType,
    /// When it ends.
    pub expires: Time,
    /// What it permits.
    pub scopes: Vec<Scope>,
    /// A new credential, or `None` if the one that the agent holds was widened.
    pub credential: Option<Secret>,
}

/// What the token endpoint issues.
#[derive(Debug)]
pub struct Token {
    /// The registration.
    pub id: RegistrationId,
    /// How it began.
    pub kind: RegistrationType,
    /// What was issued.
    pub issued: Issued,
}

/// What a person who was asked sees.
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimView {
    /// Who asks: the client that the provider names, otherwise the registration.
    pub agent: String,
    /// The provider that vouches for it.
    pub provider: Option<String>,
    /// The words that it can tell.
    pub match_phrase: Option<String>,
    /// The address that the email went to, its domain in ASCII.
    pub email: String,
    /// What it permits.
    pub scopes: Vec<Scope>,
    /// When it was requested.
    pub requested: Time,
    /// When it ends.
    pub expires: Time,
    /// The language of the person.
    pub locale: Locale,
}

/// The code, for the person alone.
#[derive(Debug)]
pub struct Challenge {
    /// The agent that gets it from the person.
    pub agent: String,
    /// The code.
    pub code: Secret,
    /// When it ends.
    pub expires: Time,
    /// The language of the person.
    pub locale: Locale,
}

/// What agents hold in a person's name.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessView {
    /// The mailbox.
    pub email: String,
    /// The language of the person.
    pub locale: Locale,
    /// When the link expires.
    pub expires: Time,
    /// What is held.
    pub grants: Vec<Grant>,
}

/// What one agent holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The registration.
    pub id: RegistrationId,
    /// The name of the agent.
    pub agent: String,
    /// The name of the provider.
    pub provider: Option<String>,
    /// The words that it could tell when it asked.
    pub match_phrase: Option<String>,
    /// What it permits.
    pub scopes: Vec<Scope>,
    /// Since when it is held.
    pub granted: Time,
    /// Until when it is held.
    pub expires: Time,
}
