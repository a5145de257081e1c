//! `POST /agent/auth/claim` and `POST /agent/auth/claim/complete`.

use std::sync::Arc;

use actix_http::Request;
use actix_web::http::StatusCode;
use contract::agent_requests::{CLAIM_TOKEN, EMAIL, LOCALE, LOGIN_HINT, OTP, USER_CODE};

use super::{posted::Posted, refusal::refuse, reply};
use crate::{
    edge::{
        answer::payload::Reply,
        request::{media_type::MediaType, object::Object},
        shared::{Later, Shared},
    },
    registrar::{ClaimRequest, Completion},
    registration::{ClaimToken, Mailbox, Refusal, Secret},
};

/// Asks a person to claim a registration.
pub(crate) fn claim(shared: Arc<Shared>, request: Request) -> Later {
    Box::pin(async move { start(shared, request).await.unwrap_or_else(refuse) })
}

/// Accepts the code that the person was shown.
pub(crate) fn complete(shared: Arc<Shared>, request: Request) -> Later {
    Box::pin(async move { end(shared, request).await.unwrap_or_else(refuse) })
}

async fn start(shared: Arc<Shared>, request: Request) -> Result<Reply, Refusal> {
    let posted = Posted::read(shared, request, &[MediaType::Json]).await?;
    let object = Object::parse(&posted.octets)?;
    let email = object.either([EMAIL, LOGIN_HINT])?.and_then(Mailbox::parse);
    let request = ClaimRequest {
        claim_token: claim_token(&object)?,
        email: email.ok_or(Refusal::Malformed("`email` must be an e-mail address."))?,
        locale: object.text(LOCALE)?.and_then(|text| text.parse().ok()).unwrap_or(posted.locale),
    };
    let started = posted.registrar().claim(request, &posted.caller, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &reply::started(&started, posted.now)))
}

async fn end(shared: Arc<Shared>, request: Request) -> Result<Reply, Refusal> {
    let posted = Posted::read(shared, request, &[MediaType::Json]).await?;
    let object = Object::parse(&posted.octets)?;
    let otp = object.either([OTP, USER_CODE])?.ok_or(Refusal::Malformed("`otp` is missing."))?;
    let otp: String = otp.chars().filter(|letter| !matches!(letter, ' ' | '-')).collect();
    let request = Completion { claim_token: claim_token(&object)?, otp: Secret::new(otp) };
    let completed = posted.registrar().complete(request, &posted.caller, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &reply::completed(completed)))
}

fn claim_token(object: &Object) -> Result<ClaimToken, Refusal> {
    let text = object.text(CLAIM_TOKEN)?.filter(|text| !text.is_empty());
    text.map(ClaimToken::new).ok_or(Refusal::Malformed("`claim_token` is missing."))
}
