//! "No more messages": the page of the link in every message, and the button on it.
//!
//! A reader's mail program may press the button itself (RFC 8058): it posts to the link, with the secret in the address
//! and a body that is not looked at. Reading changes nothing, so scanners and previews do no harm.

use actix_web::{dev::ServiceRequest, http::Method};
use contract::{agent_errors::AgentErrorCode, forms::Form};
use forms::Page;
use registration::{
    domain::{RegistrationError, StopToken},
    store::StoreError,
};

use super::{
    error_response::Topic,
    visit::{Sent, Visit},
};
use crate::http::{response::Response, routes::Handled, state::AppState};

/// GET shows the current state; POST changes it.
pub(crate) fn answer<'a>(state: &'a AppState, request: &'a mut ServiceRequest) -> Handled<'a> {
    Box::pin(async move {
        let is_sent = *request.method() == Method::POST;
        // If there are two secrets, the one in the address counts, and then nothing in the body does.
        let mut visit = Visit::reading(state, request);
        if is_sent && visit.token().is_none() {
            visit = match Visit::sending(state, request, Sent::Secret).await {
                Ok(visit) => visit,
                Err(response) => return response,
            };
        }
        let Some(token) = visit.token().map(StopToken::new) else { return unknown(&visit) };
        let answered = if is_sent { change(&visit, &token).await } else { look(&visit, &token).await };
        match answered {
            Ok(Some(form)) => visit.page(None, &Page::Messages { form, token: token.0.reveal() }),
            Ok(None) => unknown(&visit),
            Err(error) => visit.refusal(Topic::Access, &error.into()),
        }
    })
}

async fn look(visit: &Visit<'_>, token: &StopToken) -> Result<Option<Form>, StoreError> {
    let gets = visit.registrar().gets_emails(token).await?;
    Ok(gets.map(|gets| if gets { Form::Stop } else { Form::Stopped }))
}

async fn change(visit: &Visit<'_>, token: &StopToken) -> Result<Option<Form>, StoreError> {
    let again = visit.find("messages") == Some("again");
    let is_known = visit.registrar().set_email_opt_out(token, again, visit.now).await?;
    Ok(is_known.then_some(if again { Form::Resumed } else { Form::Stopped }))
}

fn unknown(visit: &Visit<'_>) -> Response {
    visit.refusal(Topic::Access, &RegistrationError::Code(AgentErrorCode::InvalidClaimToken))
}
