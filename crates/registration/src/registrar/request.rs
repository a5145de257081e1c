//! The requests that can be made, and who makes them. An impossible request cannot be expressed.

use contract::{Locale, agent_auth::CredentialType, scopes::Scope};

use crate::domain::{
    Mailbox, Secret,
    providers::PresentedClient,
    secret::{ClaimToken, RegistrationId},
};

/// Asks for a registration.
pub struct RegistrationRequest {
    /// On whose word.
    pub identity: Identity,
    /// The credential that is wanted; by default the first on offer.
    pub credential: Option<CredentialType>,
    /// The language in which to write to the user, if it is known.
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
    /// What the client says about itself.
    pub client: PresentedClient,
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

/// A client. Never stored in clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// This machine itself, if the site is on it and its clients are not limited.
    Unlimited,
    /// The service itself, which writes to people of its own accord. It has no budget of its own, but that of all
    /// clients applies.
    Service,
    /// A client that limits count as one, by number: another machine (its IPv4 address, or the /64 network of its IPv6
    /// address). The two highest numbers stand for all who have no address, and for all who come from this machine and
    /// may be anybody.
    Client(u64),
}
