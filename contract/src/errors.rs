//! Every error of the content API: its code, what happened and what to do next.
//!
//! The status stands beside the words, because the description publishes both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// Specification, "ErrorResponse". What stands in the next line is published with the schema.
/// The body of every error reply of the content API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorResponse {
    /// Stable code for programs.
    pub error: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub resolution: String,
}

/// Seconds that a body may take from the moment at which it is asked for.
pub const BODY_SECONDS: u64 = 10;
/// What is told to whoever sends too slowly, with the code of a request that cannot be understood and the status 408.
pub const LATE: &str = "The request did not arrive in ten seconds.";
/// What they can do.
pub const LATE_RESOLUTION: &str = "Send the whole request at once.";

/// A stable error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The request line or a header field cannot be understood.
    InvalidRequest,
    /// `locale` is empty, repeated, unknown or differently cased.
    InvalidLocale,
    /// A credential was sent and is not valid.
    InvalidApiKey,
    /// The credential lacks the scope.
    InsufficientScope,
    /// Nothing is published at this path.
    NotFound,
    /// The resource does not know this method.
    MethodNotAllowed,
    /// No acceptable media type.
    NotAcceptable,
    /// The body is too large.
    PayloadTooLarge,
    /// The request target is too long.
    UriTooLong,
    /// The body's media type is not understood.
    UnsupportedMediaType,
    /// Too many requests.
    RateLimited,
    /// A defect of the service.
    InternalError,
    /// A part of the service cannot answer now.
    Unavailable,
}

impl ErrorCode {
    /// Every code, in the order of the statuses.
    pub const ALL: [Self; 13] = [
        Self::InvalidRequest,
        Self::InvalidLocale,
        Self::InvalidApiKey,
        Self::InsufficientScope,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::PayloadTooLarge,
        Self::UriTooLong,
        Self::UnsupportedMediaType,
        Self::RateLimited,
        Self::InternalError,
        Self::Unavailable,
    ];

    /// The code on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidLocale => "invalid_locale",
            Self::InvalidApiKey => "invalid_api_key",
            Self::InsufficientScope => "insufficient_scope",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::NotAcceptable => "not_acceptable",
            Self::PayloadTooLarge => "payload_too_large",
            Self::UriTooLong => "uri_too_long",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::RateLimited => "rate_limited",
            Self::InternalError => "internal_error",
            Self::Unavailable => "unavailable",
        }
    }

    /// The HTTP status that carries it.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::InvalidRequest | Self::InvalidLocale => 400,
            Self::InvalidApiKey => 401,
            Self::InsufficientScope => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::PayloadTooLarge => 413,
            Self::UriTooLong => 414,
            Self::UnsupportedMediaType => 415,
            Self::RateLimited => 429,
            Self::InternalError => 500,
            Self::Unavailable => 503,
        }
    }

    /// What happened, for a person.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::InvalidRequest => "The request could not be understood.",
            Self::InvalidLocale => "The value of the query parameter `locale` is not supported.",
            Self::InvalidApiKey => "The credential that was sent is not valid.",
            Self::InsufficientScope => "The credential does not carry the scope that this resource needs.",
            Self::NotFound => "Nothing is published at this address.",
            Self::MethodNotAllowed => "This resource does not support the request method.",
            Self::NotAcceptable => "None of the media types in `Accept` is available here.",
            Self::PayloadTooLarge => "The request body is larger than this resource accepts.",
            Self::UriTooLong => "The request address is too long.",
            Self::UnsupportedMediaType => "The media type of the request body is not supported.",
            Self::RateLimited => "Too many requests were sent in a short time.",
            Self::InternalError => "The service could not complete the request.",
            Self::Unavailable => "A part of the service that this request needs is not available at the moment.",
        }
    }

    /// What to do next, for a person.
    #[must_use]
    pub const fn resolution(self) -> &'static str {
        match self {
            Self::InvalidRequest => "Check the request line and the header fields, then send the request again.",
            Self::InvalidLocale => "Send `locale=en` or `locale=tr` once, in lower case, or leave the parameter out.",
            Self::InvalidApiKey => {
                "Leave the credential out (public content needs none), send the published sandbox key, or register \
                 again as described in /auth.md."
            }
            Self::InsufficientScope => "Register or claim a credential with the scope named in `WWW-Authenticate`.",
            Self::NotFound => "Check the path against /openapi.json or /llms.txt; paths have no trailing slash.",
            Self::MethodNotAllowed => "Use one of the methods listed in the `Allow` header field.",
            Self::NotAcceptable => "Send `Accept: application/json`, or leave it out.",
            Self::PayloadTooLarge => "Send a smaller body; read-only resources take none.",
            Self::UriTooLong => "Shorten the path or the query.",
            Self::UnsupportedMediaType => "Send the body as `Content-Type: application/json`.",
            Self::RateLimited | Self::Unavailable => "Wait for the number of seconds in `Retry-After`, then try again.",
            Self::InternalError => {
                "Try again later; if it persists, report it to the firm with the value of `X-Request-Id`."
            }
        }
    }

    /// The error reply with this code's own words.
    #[must_use]
    pub fn response(self) -> ErrorResponse {
        ErrorResponse {
            error: self.as_str().to_owned(),
            message: self.message().to_owned(),
            resolution: self.resolution().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BODY_SECONDS, ErrorCode, LATE};

    #[test]
    fn whoever_sends_too_slowly_is_told_the_time_that_there_was() {
        assert!(LATE.ends_with(" in ten seconds.") && BODY_SECONDS == 10);
    }

    #[test]
    fn the_codes_stand_in_the_order_of_their_statuses() {
        assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.status()));
        assert!(ErrorCode::ALL.iter().all(|code| (400..600).contains(&code.status())));
    }
}
