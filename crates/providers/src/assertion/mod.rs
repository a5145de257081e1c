//! Identity assertions of agent providers (ID-JAG), verified.

mod accept;
mod telephone;

use std::fmt;

use clock::Time;
use contract::scopes::Scope;
use secrets::{Digest, Mailbox};

use self::telephone::telephone;
use crate::{JtiDigest, Verifier, signed::TokenKind, verifier::NotVerified};

/// An identity assertion with verified signature, audience, times and claims.
///
/// Not yet compared with the store: `jti` may be replayed, and the user's assertions revoked.
#[derive(Clone, PartialEq, Eq)]
pub struct Assertion {
    /// The provider's identifier.
    pub issuer: String,
    /// The provider's display name in the trust list.
    pub provider_name: String,
    /// The provider's tenant. Issuer, tenant and subject together identify the user.
    pub tenant: Option<String>,
    /// The provider's name for the user.
    pub subject: String,
    /// The agent.
    pub client_id: String,
    /// The digest of the client secret that the agent must still send, if the client has one.
    pub client_secret: Option<Digest>,
    pub jti: JtiDigest,
    /// Whether the trust list lets the assertion be repeated until it expires.
    pub is_reusable: bool,
    pub issued_at: Time,
    /// The `jti` must be kept until then, plus the clock skew.
    pub expires_at: Time,
    /// Whether the trust list requires a mailbox or a telephone number. Otherwise the user is known by issuer and
    /// subject only, and neither is read.
    pub has_contact: bool,
    /// The verified mailbox.
    pub email: Option<Mailbox>,
    /// The verified telephone number, in the form `+905321234567`.
    pub phone: Option<String>,
    /// The known scopes, or `None` if the assertion does not limit them.
    pub scopes: Option<Vec<Scope>>,
}

/// A user of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    pub issuer: String,
    /// Empty if the provider has no tenants.
    pub tenant: String,
    /// The provider's name for the user.
    pub name: String,
}

impl Assertion {
    pub fn user(&self) -> Subject {
        Subject {
            issuer: self.issuer.clone(),
            tenant: self.tenant.clone().unwrap_or_default(),
            name: self.subject.clone(),
        }
    }
}

impl Verifier {
    /// Verifies an identity assertion (ID-JAG).
    pub async fn assertion(&self, jwt: &str, now: Time) -> Result<Assertion, AssertionError> {
        let (provider, claims) = self.claims(jwt, TokenKind::IdJag, now).await?;
        // Security: only what a trusted provider has signed is logged; others could fill the log.
        let mut client_error = None;
        let assertion = Assertion::accept(&claims, provider, self, &mut client_error, now).await;
        assertion.inspect_err(|error| {
            let client = client_error.as_deref();
            tracing::warn!(issuer = provider.issuer, ?error, client, "an assertion of a trusted provider is rejected");
        })
    }
}

/// Strips the slash that libraries append to an address without a path.
pub fn resource_name(sent: &str) -> &str {
    sent.strip_suffix('/').unwrap_or(sent)
}

impl fmt::Debug for Assertion {
    /// Security: prints identifiers only, nothing by which a person can be reached.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { issuer, client_id, jti, .. } = self;
        let mut out = out.debug_struct("Assertion");
        out.field("issuer", issuer).field("client_id", client_id).field("jti", jti).finish_non_exhaustive()
    }
}

/// Why an assertion was rejected, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssertionError {
    /// Malformed; the reason is for the sender.
    InvalidRequest(&'static str),
    /// The issuer is not on the trust list.
    InvalidIssuer,
    /// No key of the issuer made the signature.
    InvalidSignature,
    /// The issuer's keys cannot be fetched at present.
    KeysUnavailable {
        /// Seconds.
        retry_after: u64,
    },
    /// For another service.
    InvalidAudience,
    Expired,
    /// The trust list does not name this client of the issuer.
    InvalidClientId,
    /// Neither a mailbox nor a telephone number is verified.
    MissingVerifiedEmail,
    /// The time of sign-in is unknown or too old.
    LoginRequired {
        /// Maximum age in seconds.
        max_age: u64,
    },
}

impl From<&'static str> for AssertionError {
    fn from(reason: &'static str) -> Self {
        Self::InvalidRequest(reason)
    }
}

impl From<NotVerified> for AssertionError {
    fn from(not_verified: NotVerified) -> Self {
        match not_verified {
            NotVerified::Malformed(reason) => Self::InvalidRequest(reason),
            NotVerified::Issuer => Self::InvalidIssuer,
            NotVerified::Algorithm | NotVerified::Key | NotVerified::Signature => Self::InvalidSignature,
            NotVerified::KeysUnavailable { retry_after } => Self::KeysUnavailable { retry_after },
        }
    }
}

#[cfg(test)]
mod tests;
