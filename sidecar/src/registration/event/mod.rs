//! What an agent provider reports about a user: logout tokens and security event tokens, once they were verified.

mod accept;

use std::fmt;

use super::{
    Mailbox,
    providers::{JtiDigest, Kind, NotVerified, Verifier},
};
use crate::Time;

/// A verified report of a provider. A report that comes twice has the same [`JtiDigest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProviderEvent {
    /// The provider's identifier, as it stands in the trust list.
    pub(crate) issuer: String,
    /// What tells reports apart.
    pub(crate) jti: JtiDigest,
    /// When it was made: what was asserted before is over, what is asserted later is not touched.
    pub(crate) issued_at: Time,
    /// What it asks for.
    pub(crate) demand: Demand,
}

/// What a report asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Everything that rests on the provider's word for this user ends.
    Revoke(EventSubject),
    /// Nothing: a check of the connection, or a kind of event that is not known.
    Acknowledge,
}

/// Whom a report is about.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum EventSubject {
    /// The user whom the same provider asserts by these names.
    Subject {
        /// The provider's tenant; where none is named, the user in each of them.
        tenant: Option<String>,
        /// The provider's name for the user.
        subject: String,
    },
    /// Whoever has this mailbox, among the registrations that came from the same provider.
    Email(Mailbox),
}

impl Verifier {
    /// Verifies a logout token (`OpenID` Connect Back-Channel Logout 1.0).
    pub(crate) async fn logout(&self, jwt: &str, now: Time) -> Result<ProviderEvent, EventError> {
        let (provider, claims) = self.claims(jwt, Kind::Logout, now).await?;
        Ok(ProviderEvent::accept(&claims, Kind::Logout, provider, self.audiences(), now)?)
    }

    /// Verifies a security event token (RFC 8417).
    pub(crate) async fn event(&self, jwt: &str, now: Time) -> Result<ProviderEvent, EventError> {
        let (provider, claims) = self.claims(jwt, Kind::SecurityEvent, now).await?;
        Ok(ProviderEvent::accept(&claims, Kind::SecurityEvent, provider, self.audiences(), now)?)
    }
}

impl fmt::Debug for EventSubject {
    /// Security: nothing by which a person can be recognised.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Subject { .. } => "Subject { .. }",
            Self::Email(_) => "Email(..)",
        })
    }
}

/// Why nothing can be done with a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventError {
    /// It is refused for good.
    Refused(EventRefusal),
    /// The issuer's keys could not be had. The report should be sent again after some seconds.
    KeysUnavailable {
        /// Seconds.
        retry_after: u64,
    },
}

/// Why a report was refused; the cases are those of RFC 8935, 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventRefusal {
    /// It is not of the form that is asked for, or its time has passed; the reason is for the sender.
    InvalidRequest(&'static str),
    /// The issuer is not on the trust list.
    InvalidIssuer,
    /// The key that it names is none of the issuer's.
    InvalidKey,
    /// The signature is not by the key that it names.
    AuthenticationFailed,
    /// It was made for another service.
    InvalidAudience,
}

impl From<&'static str> for EventRefusal {
    fn from(reason: &'static str) -> Self {
        Self::InvalidRequest(reason)
    }
}

impl From<EventRefusal> for EventError {
    fn from(refusal: EventRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<NotVerified> for EventError {
    fn from(not_verified: NotVerified) -> Self {
        Self::Refused(match not_verified {
            NotVerified::KeysUnavailable { retry_after } => return Self::KeysUnavailable { retry_after },
            NotVerified::Malformed(reason) => EventRefusal::InvalidRequest(reason),
            NotVerified::Issuer => EventRefusal::InvalidIssuer,
            NotVerified::Algorithm | NotVerified::Key => EventRefusal::InvalidKey,
            NotVerified::Signature => EventRefusal::AuthenticationFailed,
        })
    }
}

#[cfg(test)]
mod tests;
