//! Reports of agent providers about a user: logout tokens and security event tokens, once verified.

mod accept;

use std::fmt;

use clock::Time;

use super::{
    Mailbox,
    providers::{JtiDigest, NotVerified, TokenKind, Verifier},
};

/// A verified report of a provider. A report that arrives twice has the same [`JtiDigest`] both times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProviderEvent {
    /// The provider's identifier, as written in the trust list.
    pub(crate) issuer: String,
    /// Distinguishes one report from another.
    pub(crate) jti: JtiDigest,
    /// When the report was made: it ends what was asserted before, and does not touch what is asserted later.
    pub(crate) issued_at: Time,
    /// What it asks for.
    pub(crate) demand: Demand,
}

/// What a report asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// To end everything that rests on the provider's word for this user.
    Revoke(EventSubject),
    /// Nothing: it checks the connection, or is of a kind that is not known.
    Acknowledge,
}

/// Whom a report is about.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum EventSubject {
    /// The user whom the same provider asserts under these names.
    Subject {
        /// The provider's tenant; if none is named, the user in every tenant.
        tenant: Option<String>,
        /// The provider's name for the user.
        subject: String,
    },
    /// All users with this mailbox, among the registrations that came from the same provider.
    Email(Mailbox),
}

impl Verifier {
    /// Verifies a logout token (`OpenID` Connect Back-Channel Logout 1.0).
    pub(crate) async fn logout(&self, jwt: &str, now: Time) -> Result<ProviderEvent, EventError> {
        let (provider, claims) = self.claims(jwt, TokenKind::Logout, now).await?;
        Ok(ProviderEvent::accept(&claims, TokenKind::Logout, provider, self.audiences(), now)?)
    }

    /// Verifies a security event token (RFC 8417).
    pub(crate) async fn event(&self, jwt: &str, now: Time) -> Result<ProviderEvent, EventError> {
        let (provider, claims) = self.claims(jwt, TokenKind::SecurityEvent, now).await?;
        Ok(ProviderEvent::accept(&claims, TokenKind::SecurityEvent, provider, self.audiences(), now)?)
    }
}

impl fmt::Debug for EventSubject {
    /// Security: prints nothing by which a person can be recognised.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Subject { .. } => "Subject { .. }",
            Self::Email(_) => "Email(..)",
        })
    }
}

/// Why a report cannot be acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventError {
    /// It is refused for good.
    Refused(EventErrorKind),
    /// The issuer's keys could not be obtained. The report should be sent again after some seconds.
    KeysUnavailable {
        /// Seconds.
        retry_after: u64,
    },
}

/// Why a report was refused; the cases are those of RFC 8935, 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventErrorKind {
    /// It does not have the required form, or its time has passed; the reason is for the sender.
    InvalidRequest(&'static str),
    /// The issuer is not on the trust list.
    InvalidIssuer,
    /// The key that it names is not one of the issuer's.
    InvalidKey,
    /// The signature was not made with the key that it names.
    AuthenticationFailed,
    /// It was made for another service.
    InvalidAudience,
}

impl From<&'static str> for EventErrorKind {
    fn from(reason: &'static str) -> Self {
        Self::InvalidRequest(reason)
    }
}

impl From<EventErrorKind> for EventError {
    fn from(refusal: EventErrorKind) -> Self {
        Self::Refused(refusal)
    }
}

impl From<NotVerified> for EventError {
    fn from(not_verified: NotVerified) -> Self {
        Self::Refused(match not_verified {
            NotVerified::KeysUnavailable { retry_after } => return Self::KeysUnavailable { retry_after },
            NotVerified::Malformed(reason) => EventErrorKind::InvalidRequest(reason),
            NotVerified::Issuer => EventErrorKind::InvalidIssuer,
            NotVerified::Algorithm | NotVerified::Key => EventErrorKind::InvalidKey,
            NotVerified::Signature => EventErrorKind::AuthenticationFailed,
        })
    }
}

#[cfg(test)]
mod tests;
