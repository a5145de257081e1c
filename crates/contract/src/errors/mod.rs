//! Errors: their table, and the bodies of error replies.

mod table;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use table::{AgentErrorCode, BadForm, ErrorCode, ErrorDetail, EventErrorCode};

use crate::{Locale, PerLocale, scopes::Scope};

// Specification, "ErrorResponse". The next line is published with the schema.
/// The body of every error reply of the content API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorResponse {
    /// Stable code for programs: one of the listed codes; future versions may add others.
    // No `enum`: generated clients would reject a new code. No open choice either: generators make nothing usable of it.
    #[schemars(extend("x-extensible-enum" = ErrorCode::ALL.map(ErrorCode::as_str)))]
    pub error: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub resolution: String,
}

/// The body of every error reply of the registration flow: the members of the content API's error reply, those of
/// OAuth, and hints for the next request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentErrorResponse {
    /// Stable code for programs.
    pub error: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub resolution: String,
    /// The same as `message` (RFC 6749, 5.2).
    pub error_description: String,
    /// The more specific code of an `invalid_grant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_detail: Option<String>,
    /// Maximum age of the user's sign-in at the provider, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<u64>,
    /// Seconds after which the request may be sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Seconds between two polls from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<u64>,
    /// Number of further codes that may be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts_remaining: Option<u8>,
}

/// Seconds within which a body must arrive, from the first read on.
pub const BODY_SECONDS: u64 = 10;
/// Seconds within which the first head of a connection must arrive.
pub const HEAD_SECONDS: u64 = 5;
/// Maximum length, in bytes, of the body of a request to register, to claim or to obtain a credential.
pub const MAX_AGENT_BYTES: usize = 32 * 1024;
/// Maximum length of a form, in bytes.
pub const MAX_FORM_BYTES: usize = 8 * 1024;

/// Introduces the addresses of a page without an acceptable variant, in the language of the page.
pub const AVAILABLE: PerLocale<&str> = PerLocale { en: "Available here:", tr: "Şu adreslerde bulunur:" };

/// Returns `WWW-Authenticate` for an invalid credential (RFC 6750, 3; RFC 9728, 5.1). `metadata` is the path of the
/// protected resource metadata; the scopes are those needed for reading.
pub fn challenge(site_url: &str, metadata: &str) -> String {
    let (description, scope) = (ErrorCode::InvalidApiKey.message(), Scope::list(&Scope::BEFORE_CLAIM));
    format!(
        "Bearer resource_metadata=\"{site_url}{metadata}\", error=\"invalid_token\", \
         error_description=\"{description}\", scope=\"{scope}\""
    )
}

impl ErrorCode {
    /// Returns the error reply.
    pub fn response(self) -> ErrorResponse {
        ErrorResponse {
            error: self.as_str().to_owned(),
            message: self.message().to_owned(),
            resolution: self.resolution().to_owned(),
        }
    }

    /// Returns the error reply in `locale` if the error may answer a page request, in English otherwise.
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

impl AgentErrorCode {
    /// Returns the error reply.
    pub fn response(self) -> AgentErrorResponse {
        AgentErrorResponse {
            error: self.as_str().to_owned(),
            message: self.message().to_owned(),
            resolution: self.resolution().to_owned(),
            error_description: self.message().to_owned(),
            ..AgentErrorResponse::default()
        }
    }
}

/// Converts an error of the content API into the form of the registration flow.
impl From<ErrorCode> for AgentErrorResponse {
    fn from(code: ErrorCode) -> Self {
        let ErrorResponse { error, message, resolution } = code.response();
        Self { error, error_description: message.clone(), message, resolution, ..Self::default() }
    }
}

impl BadForm {
    /// Returns the error reply.
    pub fn response(self) -> AgentErrorResponse {
        let (message, resolution) = (self.message().to_owned(), self.resolution().to_owned());
        AgentErrorResponse { error_description: message.clone(), message, resolution, ..self.code().response() }
    }
}

impl ErrorDetail {
    /// Returns the error reply of the content API.
    pub fn response(self) -> ErrorResponse {
        ErrorResponse {
            error: self.as_str().to_owned(),
            message: self.message().to_owned(),
            resolution: self.resolution().to_owned(),
        }
    }
}

impl AgentErrorResponse {
    /// Returns the same error with another message.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { error_description: message.clone(), message, ..self }
    }

    /// Returns the same error with the message and the resolution of `detail`.
    #[must_use]
    pub fn with_detail(self, detail: ErrorDetail) -> Self {
        Self { resolution: detail.resolution().to_owned(), ..self.with_message(detail.message()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_about_slow_requests_name_the_limits() {
        assert!(ErrorDetail::Late.message().ends_with(" in ten seconds.") && BODY_SECONDS == 10);
        assert!(ErrorDetail::LateHead.message().ends_with(" in five seconds.") && HEAD_SECONDS == 5);
    }

    #[test]
    fn resolutions_about_long_bodies_name_the_limits() {
        let resolution = |bytes| format!("Send at most {} KiB.", bytes / 1024);
        assert_eq!(AgentErrorCode::PayloadTooLarge.resolution(), resolution(MAX_AGENT_BYTES));
        assert_eq!(BadForm::TooLarge.resolution(), resolution(MAX_FORM_BYTES));
    }

    #[test]
    fn codes_are_sorted_by_status() {
        assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.status()));
        assert!(ErrorCode::ALL.iter().all(|code| (400..600).contains(&code.status())));
    }

    #[test]
    fn codes_are_unique() {
        let mut codes: Vec<_> = AgentErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), AgentErrorCode::ALL.len());
    }

    #[test]
    fn descriptions_have_only_characters_that_oauth_allows() {
        for code in AgentErrorCode::ALL {
            let allowed = |byte: u8| matches!(byte, 0x20..=0x21 | 0x23..=0x5b | 0x5d..=0x7e);
            assert!(code.message().bytes().all(allowed), "{code:?}");
        }
    }
}
