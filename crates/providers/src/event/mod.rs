//! Provider reports: logout tokens and security event tokens, verified.

mod accept;

use std::fmt;

use clock::Time;
use secrets::Mailbox;

use crate::{JtiDigest, Verifier, signed::TokenKind, verifier::NotVerified};

/// A verified report. A repeated report has the same [`JtiDigest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderEvent {
    /// The provider's identifier.
    pub issuer: String,
    pub jti: JtiDigest,
    /// Time of issue: earlier assertions end, later ones do not.
    pub issued_at: Time,
    pub demand: Demand,
}

/// The consequence of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// End all registrations of this user on the provider's assertions.
    Revoke(EventSubject),
    /// Nothing: a test of the connection, or an unknown kind.
    Acknowledge,
}

/// The subject of a report.
#[derive(Clone, PartialEq, Eq)]
pub enum EventSubject {
    /// A user of the provider.
    Subject {
        /// The tenant; `None` for the user in every tenant.
        tenant: Option<String>,
        /// The provider's name for the user.
        subject: String,
    },
    /// All users of the provider with this mailbox.
    Email(Mailbox),
}

impl Verifier {
    /// Verifies a logout token (`OpenID` Connect Back-Channel Logout 1.0).
    pub async fn logout(&self, jwt: &str, now: Time) -> Result<ProviderEvent, EventError> {
        let (provider, claims) = self.claims(jwt, TokenKind::Logout, now).await?;
        Ok(ProviderEvent::accept(&claims, TokenKind::Logout, provider, self.audiences(), now)?)
    }

    /// Verifies a security event token (RFC 8417).
    pub async fn event(&self, jwt: &str, now: Time) -> Result<ProviderEvent, EventError> {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventError {
    /// Rejected for good.
    Refused(EventErrorKind),
    /// The issuer's keys cannot be fetched at present.
    KeysUnavailable {
        /// Seconds.
        retry_after: u64,
    },
}

/// Why a report was rejected (RFC 8935, 2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventErrorKind {
    /// Malformed or expired; the reason is for the sender.
    InvalidRequest(&'static str),
    /// The issuer is not on the trust list.
    InvalidIssuer,
    /// The issuer has no such key.
    InvalidKey,
    /// The signature does not match.
    AuthenticationFailed,
    /// For another service.
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
