//! The page and the status of each error.

use actix_web::http::{
    StatusCode,
    header::{CONTENT_LANGUAGE, PRAGMA},
};
use contract::{
    errors::{AgentErrorCode, AgentErrorResponse, BadForm, ErrorCode},
    forms::Form,
};
use registration::domain::RegistrationError;

use crate::http::{
    response,
    response::{
        Response, error_response,
        error_response::{ENGLISH, NO_CACHE},
    },
};

pub(super) fn status(bad: BadForm) -> StatusCode {
    error_response::status(bad.status())
}

/// The topic of a page, which determines the page of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormTopic {
    /// A claim link.
    Claim,
    /// An access link, or the request for one.
    Access,
}

pub(super) fn page_for(topic: FormTopic, refusal: &RegistrationError) -> (StatusCode, Form) {
    match refusal {
        RegistrationError::Limited { .. } => return (StatusCode::TOO_MANY_REQUESTS, Form::Limited),
        RegistrationError::Unavailable { .. } => return (StatusCode::SERVICE_UNAVAILABLE, Form::Unavailable),
        RegistrationError::Malformed(_) => return (StatusCode::BAD_REQUEST, Form::Refused),
        _ => {}
    }
    match (refusal.code(), topic) {
        (AgentErrorCode::InternalError, _) => (StatusCode::INTERNAL_SERVER_ERROR, Form::Error),
        (AgentErrorCode::ClaimCompleted | AgentErrorCode::PreviouslyClaimed, FormTopic::Claim) => {
            (StatusCode::CONFLICT, Form::ClaimCompleted)
        }
        (AgentErrorCode::ClaimSuperseded, FormTopic::Claim) => (StatusCode::GONE, Form::ClaimSuperseded),
        (AgentErrorCode::ClaimExpired | AgentErrorCode::OtpExpired, FormTopic::Claim) => {
            (StatusCode::GONE, Form::ClaimExpired)
        }
        (AgentErrorCode::AccessDenied, FormTopic::Claim) => (StatusCode::FORBIDDEN, Form::ClaimDenied),
        (_, FormTopic::Claim) => (StatusCode::NOT_FOUND, Form::ClaimUnknown),
        (AgentErrorCode::ClaimNotEnabled, FormTopic::Access) => (StatusCode::NOT_FOUND, Form::AccessOff),
        (AgentErrorCode::ClaimExpired, FormTopic::Access) => (StatusCode::GONE, Form::AccessUnknown),
        (_, FormTopic::Access) => (StatusCode::NOT_FOUND, Form::AccessUnknown),
    }
}

/// Returns the error as a document for a program.
pub(super) fn document(bad: BadForm) -> Response {
    document_of(status(bad), &bad.response())
}

/// Returns the response to a program's request that is rejected before the form.
pub(crate) fn unread(code: ErrorCode) -> Response {
    document_of(error_response::status(code.status()), &code.into())
}

pub(super) fn document_of(status: StatusCode, error: &AgentErrorResponse) -> Response {
    let mut response = json(status, serde_json::to_vec(error).unwrap_or_default());
    response.headers_mut().insert(CONTENT_LANGUAGE, ENGLISH);
    response
}

/// Returns a response for a program. Scripts of other origins cannot read it, because its content is for one person.
pub(super) fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = response::json(status, body);
    response.headers_mut().insert(PRAGMA, NO_CACHE);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_page_of_its_topic() {
        for code in AgentErrorCode::ALL {
            for (topic, prefix) in [(FormTopic::Claim, "claim"), (FormTopic::Access, "access")] {
                let (status, form) = page_for(topic, &RegistrationError::Code(code));
                assert!(status.is_client_error() || status.is_server_error(), "{code:?}");
                assert!(form.as_str().starts_with(prefix) || form == Form::Error, "{code:?} {form:?}");
            }
        }
        let store = page_for(FormTopic::Claim, &RegistrationError::STORE);
        assert_eq!(store, (StatusCode::SERVICE_UNAVAILABLE, Form::Unavailable));
        let limited = page_for(FormTopic::Access, &RegistrationError::Limited { retry_after: 1 });
        assert_eq!(limited, (StatusCode::TOO_MANY_REQUESTS, Form::Limited));
    }
}
