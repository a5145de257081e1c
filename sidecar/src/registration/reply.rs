//! What is answered. Times are exact; how they are written is decided where they are sent.

pub(crate) use contract::agent_auth::RegistrationType;
use contract::{Locale, agent_auth::CredentialType, scopes::Scope};

use super::{
    Secret,
    secret::{ClaimToken, RegistrationId},
};
use crate::Time;

/// A registration that was made.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) id: RegistrationId,
    pub(crate) kind: RegistrationType,
    /// What the agent may use at once.
    pub(crate) issued: Option<Issued>,
    /// How a person can claim it.
    pub(crate) pending: Option<Pending>,
}

/// A credential in clear. It is in clear only here.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) credential: Secret,
    pub(crate) credential_type: CredentialType,
    pub(crate) expires: Time,
    pub(crate) scopes: Vec<Scope>,
}

/// What is needed to claim a registration.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The origin of the site at which it is claimed.
    pub(crate) site_url: String,
    /// When it was asked for.
    pub(crate) now: Time,
    pub(crate) claim_token: ClaimToken,
    pub(crate) expires: Time,
    /// What the credential may be used for once a person has agreed.
    pub(crate) scopes: Vec<Scope>,
    /// Seconds between two polls.
    pub(crate) interval: u64,
}

/// A person is being asked.
#[derive(Debug)]
pub(crate) struct ClaimStarted {
    pub(crate) id: RegistrationId,
    /// Names the attempt; not kept in clear.
    pub(crate) attempt: Secret,
    pub(crate) expires: Time,
    pub(crate) interval: u64,
}

/// A person has agreed.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) id: RegistrationId,
    pub(crate) kind: RegistrationType,
    pub(crate) credential_type: CredentialType,
    pub(crate) expires: Time,
    pub(crate) scopes: Vec<Scope>,
    /// A new credential, or `None` if the one that the agent holds was widened.
    pub(crate) credential: Option<Secret>,
}

/// What the token endpoint issues.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) id: RegistrationId,
    pub(crate) kind: RegistrationType,
    pub(crate) issued: Issued,
}

/// What a person who was asked sees.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ClaimView {
    /// Who asks: the client that the provider names, otherwise the registration.
    pub(crate) agent: String,
    /// The provider that vouches for it.
    pub(crate) provider: Option<String>,
    /// The address that the letter went to, its domain in ASCII.
    pub(crate) email: String,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) requested: Time,
    pub(crate) expires: Time,
    pub(crate) locale: Locale,
}

/// The code, for the person alone.
#[derive(Debug)]
pub(crate) struct Challenge {
    /// The agent that gets it from the person.
    pub(crate) agent: String,
    pub(crate) code: Secret,
    pub(crate) expires: Time,
    pub(crate) locale: Locale,
}

/// What agents hold in a person's name.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AccessView {
    pub(crate) email: String,
    pub(crate) locale: Locale,
    /// When the link expires.
    pub(crate) expires: Time,
    pub(crate) grants: Vec<Grant>,
}

/// What one agent holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) id: RegistrationId,
    pub(crate) agent: String,
    pub(crate) provider: Option<String>,
    pub(crate) scopes: Vec<Scope>,
    /// Since when it is held.
    pub(crate) granted: Time,
    /// Until when it is held.
    pub(crate) expires: Time,
}
