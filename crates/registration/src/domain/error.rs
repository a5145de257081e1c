//! Why something is refused: one variant for each case that a caller treats differently.

use contract::agent_errors::AgentErrorCode;

use super::{
    assertion::AssertionError,
    event::{EventError, EventErrorKind},
    reply::Registered,
};

/// A refusal. Its HTTP status is decided at the edge.
#[derive(Debug)]
pub enum RegistrationError {
    /// A case that its code describes completely.
    Code(AgentErrorCode),
    /// The same, where no registration is offered at all.
    NothingOffered(AgentErrorCode),
    /// The request is wrong; the text tells its sender how.
    Malformed(&'static str),
    /// The member of this name must be a string, and is not.
    NoText(&'static str),
    /// The body's media type is not one of these, as the sender is told.
    MediaType(String),
    /// The body is in a content coding.
    Coded,
    /// A provider's assertion is wrong; the text, a clause about it, tells its sender how.
    Assertion(&'static str),
    /// A provider's assertion is for another service; the text lists the audiences that it may have.
    Audience(String),
    /// The request did not arrive in time.
    Late,
    /// Something was asked for too often; seconds until it may be asked for again.
    Limited {
        /// Seconds to wait.
        retry_after: u64,
    },
    /// The registration has used up its codes; seconds until it is over.
    NoCodesLeft {
        /// Seconds to wait.
        retry_after: u64,
    },
    /// The store or a provider cannot answer; seconds until it may.
    Unavailable {
        /// Seconds to wait.
        retry_after: u64,
    },
    /// The code is wrong; this many tries are left.
    WrongCode {
        /// Guesses that are left.
        attempts_remaining: u8,
    },
    /// What was sent does not look like a code; this many tries are left, as before.
    NoCode {
        /// Guesses that are left.
        attempts_remaining: u8,
    },
    /// A poll came too early; seconds between two polls from now on.
    SlowDown {
        /// Seconds between two polls.
        interval: u64,
    },
    /// The user must sign in at the provider again; the oldest sign-in that is accepted, in seconds.
    LoginRequired {
        /// Seconds since the login, at most.
        max_age: u64,
    },
    /// The user was asked to agree; the registration waits.
    InteractionRequired(Box<Registered>),
    /// The user would have to agree, but no mail can be sent; nothing was registered.
    NobodyToAsk,
    /// A provider's report is refused.
    Event(EventErrorKind),
}

/// Seconds after which a store that did not answer is asked again.
const STORE_RETRY: u64 = 5;

impl RegistrationError {
    /// The store cannot answer.
    pub const STORE: Self = Self::Unavailable { retry_after: STORE_RETRY };

    /// Returns the code on the wire.
    pub const fn code(&self) -> AgentErrorCode {
        match self {
            Self::Code(code) | Self::NothingOffered(code) => *code,
            Self::Malformed(_) | Self::NoText(_) | Self::Assertion(_) | Self::Late => AgentErrorCode::InvalidRequest,
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
