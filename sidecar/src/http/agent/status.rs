//! `GET /agent/registration`: an agent asks about the registration of its own credential.

use actix_web::http::StatusCode;

use super::reply;
use crate::{
    auth::Principal,
    http::{
        handler::{Handled, Incoming},
        response::error_response,
    },
};

/// Answers with state, expiry and scopes; 401 without an issued credential.
pub(crate) fn status(Incoming { state, admitted, .. }: Incoming<'_>) -> Handled<'_> {
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
