//! The requests that can be made. An impossible request cannot be expressed.

use contract::{Locale, agent_auth::CredentialType, scopes::Scope};

use crate::domain::{
    Mailbox, Secret,
    secret::{ClaimToken, RegistrationId},
};

/// Asks for a registration.
pub struct RegistrationRequest {
    /// On whose word.
    pub(crate) identity: Identity,
    /// The credential that is wanted; by default the first on offer.
    pub(crate) credential: Option<CredentialType>,
    /// The language in which to write to the user, if somebody has said so.
    pub(crate) locale: Locale,
}

/// On whose word an agent registers.
pub enum Identity {
    /// Nobody's.
    Anonymous,
    /// That of the user who reads this mailbox and has yet to agree.
    Email(Mailbox),
    /// An agent provider's: a signed assertion (ID-JAG).
    Provider(Secret),
}

/// Asks a person to claim a registration.
pub struct ClaimRequest {
    pub(crate) claim_token: ClaimToken,
    pub(crate) email: Mailbox,
    pub(crate) locale: Locale,
}

/// Hands in the code that the person was shown.
pub struct Completion {
    pub(crate) claim_token: ClaimToken,
    /// The code, without spaces and dashes.
    pub(crate) otp: Secret,
}

/// Exchanges an assertion at the token endpoint (RFC 7523).
pub struct Exchange {
    pub(crate) assertion: Secret,
    /// Narrows what is granted.
    pub(crate) scopes: Option<Vec<Scope>>,
    /// What the token is for; one of the site's resources.
    pub(crate) resource: Option<String>,
    pub(crate) locale: Locale,
}

/// What a user revokes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Everything that agents hold.
    All,
    /// One registration.
    One(RegistrationId),
}
