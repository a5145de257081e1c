//! Errors of registration: one variant for each case that a caller treats differently.

use contract::errors::AgentErrorCode;
use providers::{AssertionError, ClientAuthError, EventError, EventErrorKind};

use super::reply::Registered;

/// An error of registration. Its HTTP status is decided in the sidecar.
#[derive(Debug)]
pub enum RegistrationError {
    /// An error that its code describes completely.
    Code(AgentErrorCode),
    /// The same, if no registration is offered at all.
    NothingOffered(AgentErrorCode),
    /// A wrong request; the text is for its sender.
    Malformed(&'static str),
    /// The member of this name is not a string.
    NoText(&'static str),
    /// The body's media type is not one of these, a text for the sender.
    MediaType(String),
    /// The body has a content coding.
    Coded,
    /// A wrong assertion; the text, a clause about it, is for the sender.
    Assertion(&'static str),
    /// An assertion for another service; the text lists the accepted audiences.
    Audience(String),
    /// The request did not arrive in time.
    Late,
    /// A limit is exceeded.
    Limited {
        /// Seconds until the window ends.
        retry_after: u64,
    },
    /// A claim of a registration that is claimed.
    AlreadyClaimed,
    /// A claim for another person than the one of the registration.
    OtherAddress,
    /// `type` is unknown; the text lists what is offered.
    UnknownType(String),
    /// All attempts of the registration are used up.
    NoCodesLeft {
        /// Seconds until the registration ends.
        retry_after: u64,
    },
    /// The store or a provider does not answer; seconds until a retry.
    Unavailable { retry_after: u64 },
    /// Wrong code.
    WrongCode {
        /// Tries left.
        attempts_remaining: u8,
    },
    /// The text does not look like a code; no try is used up.
    NoCode {
        /// Tries left.
        attempts_remaining: u8,
    },
    /// A poll came too early.
    SlowDown {
        /// Seconds between polls from now on.
        interval: u64,
    },
    /// The user must sign in at the provider again.
    LoginRequired {
        /// Maximum age of the sign-in, in seconds.
        max_age: u64,
    },
    /// The user must agree; the registration is pending.
    InteractionRequired(Box<Registered>),
    /// The user must agree, but no e-mail can be sent; nothing was stored.
    NobodyToAsk,
    /// A rejected provider's report.
    Event(EventErrorKind),
}

/// `Retry-After` in seconds if the store did not answer.
const STORE_RETRY: u64 = 5;

impl RegistrationError {
    /// The store does not answer.
    pub const STORE: Self = Self::Unavailable { retry_after: STORE_RETRY };

    pub const fn code(&self) -> AgentErrorCode {
        match self {
            Self::Code(code) | Self::NothingOffered(code) => *code,
            Self::Malformed(_) | Self::UnknownType(_) | Self::NoText(_) | Self::Assertion(_) | Self::Late => {
                AgentErrorCode::InvalidRequest
            }
            Self::AlreadyClaimed | Self::OtherAddress => AgentErrorCode::ClaimedOrInFlight,
            Self::Audience(_) => AgentErrorCode::InvalidAudience,
            Self::MediaType(_) | Self::Coded => AgentErrorCode::UnsupportedMediaType,
            Self::Limited { .. } | Self::NoCodesLeft { .. } => AgentErrorCode::RateLimited,
            Self::Unavailable { .. } => AgentErrorCode::TemporarilyUnavailable,
            Self::WrongCode { .. } | Self::NoCode { .. } => AgentErrorCode::OtpInvalid,
            Self::SlowDown { .. } => AgentErrorCode::SlowDown,
            Self::LoginRequired { .. } => AgentErrorCode::LoginRequired,
            Self::InteractionRequired(_) => AgentErrorCode::InteractionRequired,
            Self::NobodyToAsk => AgentErrorCode::ClaimNotEnabled,
            Self::Event(error) => match error {
                EventErrorKind::InvalidRequest(_) => AgentErrorCode::InvalidRequest,
                EventErrorKind::InvalidIssuer => AgentErrorCode::InvalidIssuer,
                EventErrorKind::InvalidKey | EventErrorKind::AuthenticationFailed => AgentErrorCode::InvalidSignature,
                EventErrorKind::InvalidAudience => AgentErrorCode::InvalidAudience,
            },
        }
    }
}

impl From<AgentErrorCode> for RegistrationError {
    fn from(code: AgentErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<ClientAuthError> for RegistrationError {
    fn from(error: ClientAuthError) -> Self {
        match error {
            ClientAuthError::Scheme => Self::Code(AgentErrorCode::InvalidClient),
            ClientAuthError::Twice => Self::Malformed("The client authenticates itself in two ways at once."),
        }
    }
}

impl From<AssertionError> for RegistrationError {
    fn from(error: AssertionError) -> Self {
        Self::Code(match error {
            AssertionError::InvalidRequest(reason) => return Self::Assertion(reason),
            AssertionError::KeysUnavailable { retry_after } => return Self::Unavailable { retry_after },
            AssertionError::LoginRequired { max_age } => return Self::LoginRequired { max_age },
            AssertionError::InvalidIssuer => AgentErrorCode::InvalidIssuer,
            AssertionError::InvalidSignature => AgentErrorCode::InvalidSignature,
            AssertionError::InvalidAudience => AgentErrorCode::InvalidAudience,
            AssertionError::Expired => AgentErrorCode::Expired,
            AssertionError::InvalidClientId => AgentErrorCode::InvalidClientId,
            AssertionError::MissingVerifiedEmail => AgentErrorCode::MissingVerifiedEmail,
        })
    }
}

impl From<EventError> for RegistrationError {
    fn from(error: EventError) -> Self {
        match error {
            EventError::Refused(refusal) => Self::Event(refusal),
            EventError::KeysUnavailable { retry_after } => Self::Unavailable { retry_after },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_client_authentication_has_the_code_of_its_cause() {
        for (error, code) in [
            (ClientAuthError::Scheme, AgentErrorCode::InvalidClient),
            (ClientAuthError::Twice, AgentErrorCode::InvalidRequest),
        ] {
            assert_eq!(RegistrationError::from(error).code(), code, "{error:?}");
        }
    }
}
