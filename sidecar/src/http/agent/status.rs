//! `GET /agent/registration`: an agent asks about the registration of its own credential.

use actix_web::{dev::ServiceRequest, http::StatusCode};

use super::reply;
use crate::{
    auth::Principal,
    http::{admission::Admitted, handler::Handled, response::error_response, state::AppState},
};

/// Answers with state, expiry and scopes; 401 without an issued credential.
pub(crate) fn status<'a>(state: &'a AppState, admitted: &'a Admitted<'a>, _: &'a mut ServiceRequest) -> Handled<'a> {
    Box::pin(async move {
        let Principal::Agent(held) = &admitted.principal else {
            return error_response::no_credential(&admitted.site.challenge);
        };
        match state.registrar.status(held, state.clock.now()).await {
            Ok(Some(status)) => reply::json(StatusCode::OK, &status),
            Ok(None) => error_response::invalid_credential(&admitted.site.challenge),
            Err(_) => error_response::undecided(),
        }
    })
}
