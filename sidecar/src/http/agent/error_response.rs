//! Error responses of the registration flow.

use actix_web::http::{
    StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_LANGUAGE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};
use contract::{
    agent_replies::RegisteredReply,
    errors::{AgentErrorCode as Code, AgentErrorResponse, ErrorCode, ErrorDetail, EventErrorCode},
};
use providers::EventErrorKind;
use registration::{
    domain::{Registered, RegistrationError},
    identity::IdentityReply,
};
use serde::Serialize;

use super::reply;
use crate::http::response::{
    Response, error_response,
    error_response::{ENGLISH, IDENTITY},
};

/// Returns the status that carries `code`.
fn status(code: Code) -> StatusCode {
    error_response::status(code.status())
}

fn status_of(refusal: &RegistrationError) -> StatusCode {
    match refusal {
        RegistrationError::Late => error_response::status(ErrorDetail::Late.status()),
        refusal => status(refusal.code()),
    }
}

/// Responds to a rejected registration or claim.
pub(crate) fn refuse(refusal: RegistrationError) -> Response {
    let (code, error) = (refusal.code(), describe(&refusal));
    respond(status_of(&refusal), code, error, refusal)
}

/// Responds to a rejected registration or claim of the identity profile, which has other names for some codes.
pub(super) fn refuse_identity(reason: RegistrationError) -> Response {
    let (code, mut error) = (reason.code(), describe(&reason));
    code.as_str_of_identity().clone_into(&mut error.error);
    respond_as::<IdentityReply>(status_of(&reason), code.as_str_of_identity(), error, reason)
}

/// Responds to a request that is rejected before the endpoint.
pub(crate) fn refuse_unread(code: ErrorCode) -> Response {
    let mut response = reply::json(error_response::status(code.status()), &AgentErrorResponse::from(code));
    response.headers_mut().insert(CONTENT_LANGUAGE, ENGLISH);
    response
}

/// Responds to an error of the token endpoint. An error of the assertion is `invalid_grant` (RFC 7523, 3.1), with its
/// own code in `error_detail`; a sign-in that is too old and a required interaction keep their codes. The status is 400
/// (RFC 6749, 5.2), except for late or large bodies, media types, limits, faults of the service, and a client that
/// fails to authenticate: 401 with a challenge in the `scheme` that it tried.
pub(super) fn refuse_token(refusal: RegistrationError, scheme: Option<&str>) -> Response {
    let inner = refusal.code();
    let mut error = describe(&refusal);
    let code = match inner {
        Code::InvalidIssuer
        | Code::InvalidSignature
        | Code::InvalidAudience
        | Code::Expired
        | Code::ReplayDetected
        | Code::InvalidClientId
        | Code::MissingVerifiedEmail
        | Code::UnsupportedAssertionType
        // If assertions give only keys, which only the registration issues.
        | Code::UnsupportedCredentialType
        // For an assertion whose user cannot be contacted.
        | Code::ClaimNotEnabled => Code::InvalidGrant,
        // The assertion is malformed, not the request that carries it.
        Code::InvalidRequest if matches!(refusal, RegistrationError::Assertion(_)) => Code::InvalidGrant,
        Code::LoginRequired => Code::InsufficientUserAuthentication,
        other => other,
    };
    if code != inner {
        code.as_str().clone_into(&mut error.error);
        error.error_detail = (code == Code::InvalidGrant).then(|| inner.as_str().to_owned());
    }
    let status = match status(code) {
        _ if matches!(refusal, RegistrationError::Late) => StatusCode::REQUEST_TIMEOUT,
        StatusCode::TOO_MANY_REQUESTS => StatusCode::TOO_MANY_REQUESTS,
        StatusCode::UNAUTHORIZED if code == Code::InvalidClient => StatusCode::UNAUTHORIZED,
        status if status.is_server_error() => status,
        StatusCode::PAYLOAD_TOO_LARGE => StatusCode::PAYLOAD_TOO_LARGE,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        _ => StatusCode::BAD_REQUEST,
    };
    let mut response = respond(status, code, error, refusal);
    if status == StatusCode::UNAUTHORIZED
        && let Some(scheme) = scheme
        && let Ok(value) = HeaderValue::from_str(&format!("{scheme} realm=\"oauth2\""))
    {
        response.headers_mut().insert(WWW_AUTHENTICATE, value);
    }
    response
}

/// Responds to a rejected security event token (RFC 8935, 2.4).
pub(super) fn refuse_event(refusal: &RegistrationError) -> Response {
    #[derive(Serialize)]
    struct Body<'a> {
        err: &'static str,
        description: &'a str,
    }
    let (status, described) = (status_of(refusal), describe(refusal));
    let err = match refusal {
        RegistrationError::Event(error) => event_code(*error).as_str(),
        // An unreadable token is an invalid request too; other errors have their HTTP status.
        _ if status == StatusCode::BAD_REQUEST => EventErrorCode::InvalidRequest.as_str(),
        _ => return respond_with(status, &described, refusal),
    };
    let mut response = reply::json(StatusCode::BAD_REQUEST, &Body { err, description: &described.message });
    response.headers_mut().insert(CONTENT_LANGUAGE, ENGLISH);
    response
}

const fn event_code(refusal: EventErrorKind) -> EventErrorCode {
    match refusal {
        EventErrorKind::InvalidRequest(_) => EventErrorCode::InvalidRequest,
        EventErrorKind::InvalidIssuer => EventErrorCode::InvalidIssuer,
        EventErrorKind::InvalidKey => EventErrorCode::InvalidKey,
        EventErrorKind::AuthenticationFailed => EventErrorCode::AuthenticationFailed,
        EventErrorKind::InvalidAudience => EventErrorCode::InvalidAudience,
    }
}

fn describe(refusal: &RegistrationError) -> AgentErrorResponse {
    let error = refusal.code().response();
    match refusal {
        RegistrationError::Malformed(reason) => error.with_message(*reason),
        RegistrationError::NoText(name) => error.with_message(format!("`{name}` must be a text.")),
        RegistrationError::Assertion(reason) => error.with_message(format!("The assertion cannot be used: {reason}.")),
        RegistrationError::Audience(ours) => error.with_message(format!(
            "The assertion was made for another audience: `aud` must be one of {ours}, and nothing else."
        )),
        // The sender is a provider, and the token is not an assertion.
        RegistrationError::Event(event) => {
            let code = event_code(*event);
            let error = AgentErrorResponse { resolution: code.resolution().to_owned(), ..error };
            match event {
                EventErrorKind::InvalidRequest(reason) => {
                    error.with_message(format!("The token cannot be used: {reason}."))
                }
                _ => error.with_message(code.message()),
            }
        }
        RegistrationError::Limited { retry_after } | RegistrationError::Unavailable { retry_after } => {
            AgentErrorResponse { retry_after: Some(*retry_after), ..error }
        }
        RegistrationError::UnknownType(offered) => error.with_message(offered.as_str()),
        RegistrationError::AlreadyClaimed => error.with_detail(ErrorDetail::AlreadyClaimed),
        RegistrationError::OtherAddress => error.with_detail(ErrorDetail::OtherAddress),
        RegistrationError::NoCodesLeft { .. } => error.with_detail(ErrorDetail::NoCodesLeft),
        RegistrationError::NobodyToAsk => error.with_detail(ErrorDetail::NoMailForClaim),
        RegistrationError::NothingOffered(_) => error.with_detail(ErrorDetail::NothingOffered),
        // No further code is accepted, so reading it again does not help.
        RegistrationError::WrongCode { attempts_remaining: 0 } => AgentErrorResponse {
            attempts_remaining: Some(0),
            resolution: Code::OtpExpired.resolution().to_owned(),
            ..error
        },
        RegistrationError::WrongCode { attempts_remaining } => {
            AgentErrorResponse { attempts_remaining: Some(*attempts_remaining), ..error }
        }
        RegistrationError::NoCode { attempts_remaining } => AgentErrorResponse {
            attempts_remaining: Some(*attempts_remaining),
            ..error.with_message("A code consists of six digits and nothing else.")
        },
        RegistrationError::MediaType(accepted) => AgentErrorResponse {
            resolution: format!("Send the body as {accepted}, and say so in `Content-Type`."),
            ..error
        },
        RegistrationError::SlowDown { interval } => AgentErrorResponse { interval: Some(*interval), ..error },
        RegistrationError::LoginRequired { max_age } => AgentErrorResponse { max_age: Some(*max_age), ..error },
        RegistrationError::Coded => error.with_detail(ErrorDetail::Coded),
        RegistrationError::Late => error.with_detail(ErrorDetail::Late),
        RegistrationError::Code(_) | RegistrationError::InteractionRequired(_) => error,
    }
}

/// An error with the ways to involve the user.
#[derive(Serialize)]
struct Interaction<T> {
    #[serde(flatten)]
    error: AgentErrorResponse,
    #[serde(flatten)]
    registered: T,
}

fn respond(status: StatusCode, code: Code, error: AgentErrorResponse, refusal: RegistrationError) -> Response {
    respond_as::<RegisteredReply>(status, code.as_str(), error, refusal)
}

/// Responds with `code` and, if the user can be involved, with a `T` that describes how.
fn respond_as<T: From<Registered> + Serialize>(
    status: StatusCode,
    code: &str,
    error: AgentErrorResponse,
    refusal: RegistrationError,
) -> Response {
    let max_age = error.max_age.map(|seconds| format!(", max_age=\"{seconds}\"")).unwrap_or_default();
    let mut response = match refusal {
        RegistrationError::InteractionRequired(registered) => {
            reply::json(status, &Interaction { error, registered: T::from(*registered) })
        }
        refusal => respond_with(status, &error, &refusal),
    };
    if status == StatusCode::UNAUTHORIZED {
        let challenge = format!("AgentAuth error=\"{code}\"{max_age}");
        if let Ok(value) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(WWW_AUTHENTICATE, value);
        }
    }
    response
}

fn respond_with(status: StatusCode, error: &AgentErrorResponse, refusal: &RegistrationError) -> Response {
    let mut response = reply::json(status, error);
    response.headers_mut().insert(CONTENT_LANGUAGE, ENGLISH);
    if matches!(refusal, RegistrationError::Coded) {
        response.headers_mut().insert(ACCEPT_ENCODING, IDENTITY);
    }
    if let RegistrationError::Limited { retry_after }
    | RegistrationError::NoCodesLeft { retry_after }
    | RegistrationError::Unavailable { retry_after } = refusal
    {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(*retry_after));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_counted() {
        for code in Code::ALL {
            assert!(metrics::STATUSES.contains(&status(code).as_u16()), "{code:?}");
        }
    }

    #[test]
    fn every_code_has_its_status() {
        let of = |number| match number {
            401 => {
                &["login_required", "interaction_required", "invalid_claim_token", "otp_invalid", "invalid_client"][..]
            }
            403 => &["access_denied"],
            409 => &["claimed_or_in_flight", "previously_claimed", "claim_completed"],
            410 => &["claim_expired", "claim_superseded", "otp_expired"],
            413 => &["payload_too_large"],
            415 => &["unsupported_media_type"],
            429 => &["rate_limited"],
            500 => &["internal_error"],
            503 => &["temporarily_unavailable"],
            _ => &[
                "invalid_request",
                "unsupported_credential_type",
                "unsupported_assertion_type",
                "anonymous_not_enabled",
                "verified_email_not_enabled",
                "claim_not_enabled",
                "invalid_issuer",
                "invalid_signature",
                "invalid_audience",
                "expired",
                "replay_detected",
                "invalid_login_hint",
                "invalid_client_id",
                "missing_verified_email",
                "otp_not_generated",
                "authorization_pending",
                "slow_down",
                "expired_token",
                "invalid_grant",
                "unsupported_grant_type",
                "unsupported_response_type",
                "invalid_scope",
                "invalid_target",
                "insufficient_user_authentication",
            ],
        };
        let numbers = [400, 401, 403, 409, 410, 413, 415, 429, 500, 503];
        for code in Code::ALL {
            let number = status(code).as_u16();
            assert!(of(number).contains(&code.as_str()), "{number} {code:?}");
        }
        assert_eq!(numbers.iter().map(|number| of(*number).len()).sum::<usize>(), Code::ALL.len());
    }

    #[test]
    fn resolution_after_the_last_wrong_code_is_another() {
        let resolution = |attempts_remaining| describe(&RegistrationError::WrongCode { attempts_remaining }).resolution;
        assert_eq!(resolution(1), Code::OtpInvalid.resolution());
        assert_eq!(resolution(0), Code::OtpExpired.resolution());
    }

    #[test]
    fn token_endpoint_uses_only_statuses_of_oauth() {
        let status = |code| refuse_token(RegistrationError::Code(code), None).status().as_u16();
        assert_eq!(status(Code::AuthorizationPending), 400);
        assert_eq!(status(Code::InvalidSignature), 400);
        assert_eq!(status(Code::AccessDenied), 400);
        assert_eq!(status(Code::InvalidClient), 401);
        assert_eq!(refuse_token(RegistrationError::STORE, None).status().as_u16(), 503);
        assert_eq!(refuse_token(RegistrationError::LoginRequired { max_age: 3600 }, None).status().as_u16(), 400);
        assert_eq!(refuse_token(RegistrationError::Assertion("it is none"), None).status().as_u16(), 400);
    }

    #[test]
    fn refused_event_is_described_as_an_event() {
        for refusal in [
            EventErrorKind::InvalidRequest("it is none"),
            EventErrorKind::InvalidIssuer,
            EventErrorKind::InvalidKey,
            EventErrorKind::AuthenticationFailed,
            EventErrorKind::InvalidAudience,
        ] {
            let error = describe(&RegistrationError::Event(refusal));
            assert!(!format!("{error:?}").contains("ssertion"), "{error:?}");
            assert_eq!(error.message, error.error_description);
        }
        let of = |refusal| describe(&RegistrationError::Event(refusal)).message;
        assert_ne!(of(EventErrorKind::InvalidKey), of(EventErrorKind::AuthenticationFailed));
    }
}
