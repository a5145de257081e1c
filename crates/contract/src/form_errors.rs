//! Errors for a program that sends what the page behind a link would send, and sends it wrong.

use crate::{
    agent_errors::{AgentErrorCode, AgentErrorResponse},
    coded::coded,
    errors::{CODED, CODED_RESOLUTION, LATE, LATE_RESOLUTION},
};

/// Maximum length of a form in bytes: more than any form here needs.
pub const MAX_BODY_BYTES: usize = 8 * 1024;

coded! {
    /// Why a request is not a form of this service.
    pub enum BadForm with code -> AgentErrorCode {
        /// It is neither a form nor, where programs may send it, JSON.
        MediaType: AgentErrorCode::UnsupportedMediaType,
            AgentErrorCode::UnsupportedMediaType.message(),
            "Send a form or JSON, and say so in `Content-Type`.";
        /// It is compressed, or coded otherwise.
        Coded: AgentErrorCode::UnsupportedMediaType,
            CODED,
            CODED_RESOLUTION;
        /// Another site had the browser send it.
        Origin: AgentErrorCode::InvalidRequest,
            "The request was sent from a page of another site.",
            "Open the link of the message, and answer on the page behind it.";
        /// It is larger than any form here.
        TooLarge: AgentErrorCode::PayloadTooLarge,
            AgentErrorCode::PayloadTooLarge.message(),
            "Send at most 8 KiB.";
        /// It did not arrive in time.
        Late: AgentErrorCode::InvalidRequest,
            LATE,
            LATE_RESOLUTION;
        /// It ends early, or a field is missing or appears twice.
        Malformed: AgentErrorCode::InvalidRequest,
            AgentErrorCode::InvalidRequest.message(),
            "Send `claim_attempt_token`, once: what the link of the message has as `token`.";
    }
}

impl BadForm {
    /// The error reply with these words.
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
    fn body_that_is_too_large_is_answered_with_the_limit() {
        assert_eq!(BadForm::TooLarge.resolution(), format!("Send at most {} KiB.", MAX_BODY_BYTES / 1024));
    }
}
