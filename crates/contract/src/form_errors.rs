//! Errors for programs that send a form of a page incorrectly.

use crate::{
    agent_errors::{AgentErrorCode, AgentErrorResponse},
    coded::coded,
    errors::{CODED, CODED_RESOLUTION, LATE, LATE_RESOLUTION},
};

/// Maximum length of a form, in bytes.
pub const MAX_BODY_BYTES: usize = 8 * 1024;

coded! {
    /// Why a request is not a form of this service.
    pub enum BadForm with code -> AgentErrorCode {
        /// The body is neither a form nor, where JSON is accepted, JSON.
        MediaType: AgentErrorCode::UnsupportedMediaType,
            AgentErrorCode::UnsupportedMediaType.message(),
            "Send a form or JSON, and say so in `Content-Type`.";
        /// The body has a content coding.
        Coded: AgentErrorCode::UnsupportedMediaType,
            CODED,
            CODED_RESOLUTION;
        /// A page of another site made the browser send the request.
        Origin: AgentErrorCode::InvalidRequest,
            "The request was sent from a page of another site.",
            "Open the link of the message, and answer on the page behind it.";
        /// The body is longer than [`MAX_BODY_BYTES`].
        TooLarge: AgentErrorCode::PayloadTooLarge,
            AgentErrorCode::PayloadTooLarge.message(),
            "Send at most 8 KiB.";
        /// The body did not arrive in time.
        Late: AgentErrorCode::InvalidRequest,
            LATE,
            LATE_RESOLUTION;
        /// The body ends early, or a field is missing or repeated.
        Malformed: AgentErrorCode::InvalidRequest,
            AgentErrorCode::InvalidRequest.message(),
            "Send `claim_attempt_token`, once: what the link of the message has as `token`.";
    }
}

impl BadForm {
    /// Returns the error reply.
    #[must_use]
    pub fn response(self) -> AgentErrorResponse {
        let (message, resolution) = (self.message().to_owned(), self.resolution().to_owned());
        AgentErrorResponse { error_description: message.clone(), message, resolution, ..self.code().response() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolution_of_too_large_names_the_limit() {
        assert_eq!(BadForm::TooLarge.resolution(), format!("Send at most {} KiB.", MAX_BODY_BYTES / 1024));
    }
}
