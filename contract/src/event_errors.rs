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

    /// What happened, for a person.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::InvalidRequest => "The token cannot be used.",
            Self::InvalidKey => "The token is signed with a key or an algorithm that is none of its issuer's here.",
            Self::InvalidIssuer => "The issuer of the token is not trusted here.",
            Self::InvalidAudience => "The token was made for another audience.",
            Self::AuthenticationFailed => "The signature of the token is not by the key that it names.",
        }
    }

    /// What to do next, for a person.
    #[must_use]
    pub const fn resolution(self) -> &'static str {
        match self {
            Self::InvalidRequest => "Send a token of the kind that the media type says, made in the last seven days.",
            Self::InvalidKey => "Publish the key under the name that the token has for it, then send the report again.",
            Self::InvalidIssuer => "Ask the firm to trust the provider; until then there is nothing here to end.",
            Self::InvalidAudience => {
                "Use the value of `resource` in the protected resource metadata as the only audience."
            }
            Self::AuthenticationFailed => "Sign the report with the key that it names, then send it again.",
        }
    }
}
