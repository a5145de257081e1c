//! `POST /agent/auth/claim` and `POST /agent/auth/claim/complete`.

use actix_web::http::StatusCode;
use contract::{
    agent_replies::ClaimCompletedReply,
    agent_requests::{CLAIM_TOKEN, EMAIL, LOCALE, LOGIN_HINT, OTP, USER_CODE},
};
use registration::{
    domain::RegistrationError,
    registrar::{ClaimRequest, Completion},
    replies,
    strict_json::StrictObject,
};
use secrets::{ClaimToken, Mailbox, Secret};

use super::{error_response::refuse, posted::Posted, reply};
use crate::http::{
    handler::{Handled, Incoming},
    request::media_type::MediaType,
    response::Response,
};

/// Sends a claim request to a person.
pub(crate) fn claim(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move { start(incoming).await.unwrap_or_else(refuse) })
}

/// Completes a claim with the code that the person read.
pub(crate) fn complete(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move { end(incoming).await.unwrap_or_else(refuse) })
}

async fn start(incoming: Incoming<'_>) -> Result<Response, RegistrationError> {
    let posted = Posted::read(incoming, &[MediaType::Json]).await?;
    let object = StrictObject::parse(&posted.bytes)?;
    let email = object.either([EMAIL, LOGIN_HINT])?.and_then(Mailbox::parse);
    let request = ClaimRequest {
        claim_token: claim_token(&object)?,
        email: email.ok_or(RegistrationError::Malformed("`email` must be an e-mail address."))?,
        locale: object.text(LOCALE)?.and_then(|text| text.parse().ok()).unwrap_or(posted.locale),
    };
    let started = posted.registrar().claim(request, &posted.caller, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &replies::claim_started_reply(&started, posted.now)))
}

async fn end(incoming: Incoming<'_>) -> Result<Response, RegistrationError> {
    let posted = Posted::read(incoming, &[MediaType::Json]).await?;
    let object = StrictObject::parse(&posted.bytes)?;
    let otp = object.either([OTP, USER_CODE])?.ok_or(RegistrationError::Malformed("`otp` is missing."))?;
    let otp: String = otp.chars().filter(|letter| !matches!(letter, ' ' | '-')).collect();
    let request = Completion { claim_token: claim_token(&object)?, otp: Secret::new(otp) };
    let completed = posted.registrar().complete(request, &posted.caller, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &ClaimCompletedReply::from(completed)))
}

fn claim_token(object: &StrictObject) -> Result<ClaimToken, RegistrationError> {
    let text = object.text(CLAIM_TOKEN)?.filter(|text| !text.is_empty());
    text.map(ClaimToken::new).ok_or(RegistrationError::Malformed("`claim_token` is missing."))
}
