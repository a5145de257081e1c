//! Errors of the content API: code, status, message and resolution. The OpenAPI description publishes all four.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Locale, PerLocale, coded::coded, scopes::Scope};

// Specification, "ErrorResponse". The next line is published with the schema.
/// The body of every error reply of the content API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorResponse {
    /// Stable code for programs: one of those listed, or another in future.
    // Generators of clients make nothing usable of an open choice, and break on a value that a closed one lacks.
    #[schemars(extend("x-extensible-enum" = ErrorCode::ALL.map(ErrorCode::as_str)))]
    pub error: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub resolution: String,
}

/// Seconds within which a body must arrive, from the first read on.
pub const BODY_SECONDS: u64 = 10;
/// Seconds within which the first head of a connection must arrive.
pub const HEAD_SECONDS: u64 = 5;
/// Message for an incomplete head, with the code and status of [`LATE`].
pub const LATE_HEAD: &str = "The head of the request did not arrive in five seconds.";
/// Message for a request that arrives too slowly, with [`ErrorCode::InvalidRequest`] and status 408.
pub const LATE: &str = "The request did not arrive in ten seconds.";
/// Resolution of [`LATE`].
pub const LATE_RESOLUTION: &str = "Send the whole request at once.";
/// Message for a head that is too long, with [`ErrorCode::InvalidRequest`] and status 431.
pub const LARGE_HEAD: &str = "The header fields of the request are too long or too many.";
/// Resolution of [`LARGE_HEAD`].
pub const LARGE_HEAD_RESOLUTION: &str = "Send fewer and shorter header fields.";
/// Message for a body with a content coding, with [`ErrorCode::UnsupportedMediaType`].
pub const CODED: &str = "The content coding of the request body is not supported.";
/// Resolution of [`CODED`].
pub const CODED_RESOLUTION: &str = "Send the body as it is, without `Content-Encoding`.";
/// Introduces the addresses of a page without an acceptable variant, in the language of the page.
pub const AVAILABLE: PerLocale<&str> = PerLocale { en: "Available here:", tr: "Şu adreslerde bulunur:" };

/// Returns `WWW-Authenticate` for an invalid credential (RFC 6750, 3; RFC 9728, 5.1). `metadata` is the path of the
/// protected resource metadata; the scopes are those needed for reading.
#[must_use]
pub fn challenge(site_url: &str, metadata: &str) -> String {
    let (description, scope) = (ErrorCode::InvalidApiKey.message(), Scope::list(&Scope::BEFORE_CLAIM));
    format!(
        "Bearer resource_metadata=\"{site_url}{metadata}\", error=\"invalid_token\", \
         error_description=\"{description}\", scope=\"{scope}\""
    )
}

coded! {
    /// A stable error code.
    pub enum ErrorCode with as_str -> &'static str {
        /// The request line or a header field cannot be understood.
        InvalidRequest(400): "invalid_request",
            "The request could not be understood.",
            "Check the request line and the header fields, then send the request again.";
        /// `locale` is empty, repeated, unknown or differently cased.
        InvalidLocale(400): "invalid_locale",
            "The value of the query parameter `locale` is not supported.",
            "Send `locale=en` or `locale=tr` once, in lower case, or leave the parameter out.";
        /// The credential is not valid.
        InvalidApiKey(401): "invalid_api_key",
            "The credential that was sent is not valid.",
            "Leave the credential out (public content needs none), send the published sandbox key, or register \
             again as described in /auth.md.";
        /// The credential lacks the scope.
        InsufficientScope(403): "insufficient_scope",
            "The credential does not carry the scope that this resource needs.",
            "Register or claim a credential with the scope named in `WWW-Authenticate`.";
        /// Nothing is published at this path.
        NotFound(404): "not_found",
            "Nothing is published at this address.",
            "Check the path against /openapi.json or /llms.txt; paths have no trailing slash.";
        /// The resource does not support this method.
        MethodNotAllowed(405): "method_not_allowed",
            "This resource does not support the request method.",
            "Use one of the methods listed in the `Allow` header field.";
        /// No acceptable media type.
        NotAcceptable(406): "not_acceptable",
            "None of the media types in `Accept` is available here.",
            "Send `Accept: application/json`, or leave it out.";
        /// The body is too large.
        PayloadTooLarge(413): "payload_too_large",
            "The request body is larger than this resource accepts.",
            "Send a smaller body; read-only resources take none.";
        /// The request target is too long.
        UriTooLong(414): "uri_too_long",
            "The request address is too long.",
            "Shorten the path or the query.";
        /// The body's media type is not supported.
        UnsupportedMediaType(415): "unsupported_media_type",
            "The media type of the request body is not supported.",
            "Send the body as `Content-Type: application/json`.";
        /// Too many requests.
        RateLimited(429): "rate_limited",
            "Too many requests were sent in a short time.",
            "Wait for the number of seconds in `Retry-After`, then try again.";
        /// A defect of the service.
        InternalError(500): "internal_error",
            "The service could not complete the request.",
            "Try again later; if it persists, report it to the firm with the value of `X-Request-Id`.";
        /// A part of the service is not available.
        Unavailable(503): "unavailable",
            "A part of the service that this request needs is not available at the moment.",
            "Wait for the number of seconds in `Retry-After`, then try again.";
    }
}

impl ErrorCode {
    /// Returns the error reply.
    #[must_use]
    pub fn response(self) -> ErrorResponse {
        ErrorResponse {
            error: self.as_str().to_owned(),
            message: self.message().to_owned(),
            resolution: self.resolution().to_owned(),
        }
    }

    /// Returns the error reply in `locale` if the error may answer a page request, in English otherwise.
    #[must_use]
    pub fn response_in(self, locale: Locale) -> ErrorResponse {
        let (message, resolution) = match (self, locale) {
            (Self::MethodNotAllowed, Locale::Tr) => (
                "Bu sayfa isteğin yöntemini desteklemez.",
                "`Allow` başlık alanında belirtilen yöntemlerden birini kullanın.",
            ),
            _ => return self.response(),
        };
        ErrorResponse { message: message.to_owned(), resolution: resolution.to_owned(), ..self.response() }
    }
}

#[cfg(test)]
mod tests {
    use super::{BODY_SECONDS, ErrorCode, HEAD_SECONDS, LATE, LATE_HEAD};

    #[test]
    fn messages_about_slow_requests_name_the_limits() {
        assert!(LATE.ends_with(" in ten seconds.") && BODY_SECONDS == 10);
        assert!(LATE_HEAD.ends_with(" in five seconds.") && HEAD_SECONDS == 5);
    }

    #[test]
    fn codes_are_sorted_by_status() {
        assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.status()));
        assert!(ErrorCode::ALL.iter().all(|code| (400..600).contains(&code.status())));
    }
}
