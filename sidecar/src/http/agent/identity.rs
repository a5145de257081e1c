//! `POST /agent/identity` and its subpaths: the identity profile, if the build publishes it.

use actix_web::{dev::ServiceRequest, http::StatusCode};
use contract::errors::ErrorCode;
use registration::{domain::RegistrationError, identity::IdentityRequest};
use serde::Serialize;

use super::{
    error_response::{refuse_identity, refuse_unread},
    posted::Posted,
    reply,
};
use crate::http::{
    handler::{Handled, Incoming},
    request::media_type::MediaType,
    response::Response,
    state::AppState,
};

/// Answers 404 while the profile is off.
pub(crate) fn gate(state: &AppState, _: &ServiceRequest) -> Option<Response> {
    (!state.registrar.rules().offers.has_identity_profile()).then(|| refuse_unread(ErrorCode::NotFound))
}

/// Registers an agent.
pub(crate) fn register(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(answer(incoming, async |identity: IdentityRequest<'_>| identity.register().await))
}

/// Sends a claim request to a person.
pub(crate) fn claim(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(answer(incoming, async |identity: IdentityRequest<'_>| identity.claim().await))
}

/// Completes a claim with the code that the person read.
pub(crate) fn complete(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(answer(incoming, async |identity: IdentityRequest<'_>| identity.complete().await))
}

async fn answer<T: Serialize>(
    incoming: Incoming<'_>,
    ask: impl AsyncFnOnce(IdentityRequest<'_>) -> Result<T, RegistrationError>,
) -> Response {
    let posted = match Posted::read(incoming, &[MediaType::Json]).await {
        Ok(posted) => posted,
        Err(error) => return refuse_identity(error),
    };
    let Posted { locale, now, .. } = posted;
    let identity =
        IdentityRequest { registrar: posted.registrar(), bytes: &posted.bytes, locale, caller: &posted.caller, now };
    match ask(identity).await {
        Ok(body) => reply::json(StatusCode::OK, &body),
        Err(error) => refuse_identity(error),
    }
}
