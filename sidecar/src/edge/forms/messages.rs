//! "No more messages": the page of the link in every message, and the button on it.
//!
//! A reader's mail program may press the button itself (RFC 8058): it posts to the link, with the secret in the address
//! and a body that is not looked at. Reading changes nothing, so scanners and previews do no harm.

use std::sync::Arc;

use actix_http::Request;
use actix_web::http::Method;
use contract::{agent_errors::AgentErrorCode, forms::Form};

use super::{
    refusal::Topic,
    visit::{Sent, Visit},
};
use crate::{
    edge::{
        answer::payload::Reply,
        shared::{Later, Shared},
    },
    forms::Page,
    registration::{Refusal, StopToken},
    store::StoreError,
};

/// GET shows the current state; POST changes it.
pub(crate) fn answer(shared: Arc<Shared>, request: Request) -> Later {
    Box::pin(async move {
        let is_sent = *request.method() == Method::POST;
        // If there are two secrets, the one in the address counts, and then nothing in the body does.
        let mut visit = Visit::reading(Arc::clone(&shared), &request);
        if is_sent && visit.token().is_none() {
            visit = match Visit::sending(shared, request, Sent::Secret).await {
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

async fn look(visit: &Visit, token: &StopToken) -> Result<Option<Form>, StoreError> {
    let gets = visit.registrar().gets_emails(token).await?;
    Ok(gets.map(|gets| if gets { Form::Stop } else { Form::Stopped }))
}

async fn change(visit: &Visit, token: &StopToken) -> Result<Option<Form>, StoreError> {
    let again = visit.find("messages") == Some("again");
    let is_known = visit.registrar().silence(token, again, visit.now).await?;
    Ok(is_known.then_some(if again { Form::Resumed } else { Form::Stopped }))
}

fn unknown(visit: &Visit) -> Reply {
    visit.refusal(Topic::Access, &Refusal::Code(AgentErrorCode::InvalidClaimToken))
}
