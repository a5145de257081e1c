//! What is told to a program that sends what the page of a link would send, and sends it wrong.

use crate::{
    agent_errors::{AgentErrorCode, AgentErrorResponse},
    errors::{LATE, LATE_RESOLUTION},
};

/// Most octets of a form: more than any here needs.
pub const MOST_OCTETS: usize = 8 * 1024;

/// What was sent is no form of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadForm {
    /// It is neither a form nor, where programs may send it, JSON.
    MediaType,
    /// Another site had the browser send it.
    Origin,
    /// It is larger than any form here.
    TooLarge,
    /// It did not arrive in time.
    Late,
    /// It breaks off, a field is missing or stands twice.
    Malformed,
}

impl BadForm {
    /// Every reason.
    pub const ALL: [Self; 5] = [Self::MediaType, Self::Origin, Self::TooLarge, Self::Late, Self::Malformed];

    /// The code on the wire.
    #[must_use]
    pub const fn code(self) -> AgentErrorCode {
        match self {
            Self::MediaType => AgentErrorCode::UnsupportedMediaType,
            Self::TooLarge => AgentErrorCode::PayloadTooLarge,
            Self::Origin | Self::Late | Self::Malformed => AgentErrorCode::InvalidRequest,
        }
    }

    /// What happened, for a person.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Origin => "The request was sent from a page of another site.",
            Self::Late => LATE,
            Self::MediaType | Self::TooLarge | Self::Malformed => self.code().message(),
        }
    }

    /// What to do next, for a person.
    #[must_use]
    pub const fn resolution(self) -> &'static str {
        match self {
            Self::MediaType => "Send a form or JSON, and say so in `Content-Type`.",
            Self::Origin => "Open the link of the message, and answer on the page behind it.",
            Self::TooLarge => "Send at most 8 KiB.",
            Self::Late => LATE_RESOLUTION,
            Self::Malformed => "Send `claim_attempt_token`, once: what the link of the message has as `token`.",
        }
    }

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
    fn whoever_sends_too_much_is_told_the_bound() {
        assert_eq!(BadForm::TooLarge.resolution(), format!("Send at most {} KiB.", MOST_OCTETS / 1024));
    }
}
