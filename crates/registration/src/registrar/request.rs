//! The requests that can be made. An impossible request cannot be expressed.

use contract::{Locale, agent_auth::CredentialType, scopes::Scope};

use crate::domain::{
    Mailbox, Secret,
    secret::{ClaimToken, RegistrationId},
};

/// Asks for a registration.
pub struct RegistrationRequest {
    /// On whose word.
    pub identity: Identity,
    /// The credential that is wanted; by default the first on offer.
    pub credential: Option<CredentialType>,
    /// The language in which to write to the user, if somebody has said so.
    pub locale: Locale,
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
    /// The token of the registration.
    pub claim_token: ClaimToken,
    /// The mailbox of the person.
    pub email: Mailbox,
    /// The language of messages and forms.
    pub locale: Locale,
}

/// Hands in the code that the person was shown.
pub struct Completion {
    /// The token of the registration.
    pub claim_token: ClaimToken,
    /// The code, without spaces and dashes.
    pub otp: Secret,
}

/// Exchanges an assertion at the token endpoint (RFC 7523).
pub struct Exchange {
    /// What the provider signed.
    pub assertion: Secret,
    /// Narrows what is granted.
    pub scopes: Option<Vec<Scope>>,
    /// What the token is for; one of the site's resources.
    pub resource: Option<String>,
    /// The language of messages and forms.
    pub locale: Locale,
}

/// What a user revokes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Everything that agents hold.
    All,
    /// One registration.
    One(RegistrationId),
}
