//! What an agent provider asserts about a user (ID-JAG): the claims, after everything about them was verified.

mod accept;
mod telephone;

use std::fmt;

use clock::Time;
use contract::scopes::Scope;

use self::telephone::telephone;
use super::{
    Digest, Mailbox, Subject,
    providers::{JtiDigest, NotVerified, TokenKind, Verifier},
};

/// An identity assertion whose signature, audience, times and claims below were all verified.
///
/// It has not yet been compared with what the store knows: whether its `jti` was seen before, and whether the provider
/// has revoked the user since.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Assertion {
    /// The provider's identifier, as in the trust list.
    pub(crate) issuer: String,
    /// The provider's name as shown to people, from the trust list.
    pub(crate) provider_name: String,
    /// The provider's tenant. Issuer, tenant and subject together identify the user.
    pub(crate) tenant: Option<String>,
    /// The provider's name for the user.
    pub(crate) subject: String,
    /// The agent.
    pub(crate) client_id: String,
    /// The digest of the secret with which the agent must still prove that it is this client, if it has one.
    pub(crate) client_secret: Option<Digest>,
    /// The digest that makes the assertion usable only once.
    pub(crate) jti: JtiDigest,
    /// Whether the assertion may nevertheless be repeated while it is good; the trust list says so.
    pub(crate) is_reusable: bool,
    /// When it was made.
    pub(crate) issued_at: Time,
    /// When it expires. Its `jti` must be remembered until then, and for the clock skew.
    pub(crate) expires_at: Time,
    /// A mailbox that, according to the provider, is the user's.
    pub(crate) email: Option<Mailbox>,
    /// A telephone number that, according to the provider, is the user's, in the form `+905321234567`.
    pub(crate) phone: Option<String>,
    /// The known ones of the scopes that were asked for, or `None` if the assertion does not limit them.
    pub(crate) scopes: Option<Vec<Scope>>,
}

impl Assertion {
    /// Returns the user it is about.
    pub(crate) fn user(&self) -> Subject {
        Subject {
            issuer: self.issuer.clone(),
            tenant: self.tenant.clone().unwrap_or_default(),
            name: self.subject.clone(),
        }
    }
}

impl Verifier {
    /// Verifies an identity assertion (ID-JAG).
    pub(crate) async fn assertion(&self, jwt: &str, now: Time) -> Result<Assertion, AssertionError> {
        let (provider, claims) = self.claims(jwt, TokenKind::IdJag, now).await?;
        Assertion::accept(&claims, provider, self.audiences(), now)
    }
}

/// Returns the name of a resource as it is published: libraries that parse an address add a slash where it has no path.
pub(crate) fn resource_name(sent: &str) -> &str {
    sent.strip_suffix('/').unwrap_or(sent)
}

impl fmt::Debug for Assertion {
    /// Security: shows identifiers only, nothing by which a person can be reached.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { issuer, client_id, jti, .. } = self;
        let mut out = out.debug_struct("Assertion");
        out.field("issuer", issuer).field("client_id", client_id).field("jti", jti).finish_non_exhaustive()
    }
}

/// Why an assertion was refused, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssertionError {
    /// It does not have the required form; the reason is for the sender.
    InvalidRequest(&'static str),
    /// The issuer is not on the trust list.
    InvalidIssuer,
    /// No key of the issuer made the signature.
    InvalidSignature,
    /// The issuer's keys could not be obtained. The assertion may be sent again after some seconds.
    KeysUnavailable {
        /// Seconds.
        retry_after: u64,
    },
    /// It was made for another service.
    InvalidAudience,
    /// Its time has passed.
    Expired,
    /// The issuer may not speak for this client.
    InvalidClientId,
    /// It carries neither a verified mailbox nor a verified telephone number.
    MissingVerifiedEmail,
    /// The user's sign-in is unknown or too long ago.
    LoginRequired {
        /// How old a sign-in may be, in seconds.
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
