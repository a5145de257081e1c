//! The codes with which a provider's report is refused (RFC 8935, 2.4).

use crate::agent_errors::AgentErrorCode;

/// Why a security event token was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventErrorCode {
    /// It is no token of the kind that is asked for, or its time has passed.
    InvalidRequest,
    /// The key that it names is none of the issuer's.
    InvalidKey,
    /// The issuer is not trusted.
    InvalidIssuer,
    /// It was made for another service.
    InvalidAudience,
    /// The signature is not by the key that it names.
    AuthenticationFailed,
}

impl EventErrorCode {
    /// Every code.
    pub const ALL: [Self; 5] = [
        Self::InvalidRequest,
        Self::InvalidKey,
        Self::InvalidIssuer,
        Self::InvalidAudience,
        Self::AuthenticationFailed,
    ];

    /// The code on the wire, in the member `err`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => AgentErrorCode::InvalidRequest.as_str(),
            Self::InvalidKey => "invalid_key",
            Self::InvalidIssuer => AgentErrorCode::InvalidIssuer.as_str(),
            Self::InvalidAudience => AgentErrorCode::InvalidAudience.as_str(),
            Self::AuthenticationFailed => "authentication_failed",
        }
    }
}
