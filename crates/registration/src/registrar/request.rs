//! Requests and callers. An impossible request cannot be expressed.

use contract::{Locale, agent_auth::CredentialType, scopes::Scope};
use providers::PresentedClient;
use secrets::{ClaimToken, Mailbox, RegistrationId, Secret};

pub struct RegistrationRequest {
    pub identity: Identity,
    /// The requested credential type; by default the first on offer.
    pub credential: Option<CredentialType>,
    /// The language of e-mails to the user.
    pub locale: Locale,
}

/// The identity with which an agent registers.
pub enum Identity {
    /// None.
    Anonymous,
    /// The reader of this mailbox, who must agree.
    Email(Mailbox),
    /// A user of an agent provider, by a signed assertion (ID-JAG).
    Provider(Secret),
}

pub struct ClaimRequest {
    pub claim_token: ClaimToken,
    pub email: Mailbox,
    /// The language of e-mails and forms.
    pub locale: Locale,
}

/// A code, sent by the agent.
pub struct Completion {
    pub claim_token: ClaimToken,
    /// The code, without spaces and dashes.
    pub otp: Secret,
}

/// An exchange of an assertion at the token endpoint (RFC 7523).
pub struct Exchange {
    pub assertion: Secret,
    /// Narrows the scopes.
    pub scopes: Option<Vec<Scope>>,
    /// The credentials of the client.
    pub client: PresentedClient,
    /// The requested resource (RFC 8707).
    pub resource: Option<String>,
    /// The language of e-mails and forms.
    pub locale: Locale,
}

/// What a person revokes on the access page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Everything.
    All,
    One(RegistrationId),
}

/// The sender of a request, as limits see it. Never stored in clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A client on this machine, if the site is local and unlimited.
    Unlimited,
    /// The service itself. It has no budget of its own; shared budgets apply.
    Service,
    /// A client by number: its IPv4 address, or the /64 network of its IPv6 address. The two highest numbers stand for
    /// all clients without an address, and for all from this machine.
    Client(u64),
}
