//! "No more messages": the page behind the link in every message.
//!
//! A mail program may unsubscribe with one click (RFC 8058): it posts to the link, whose query holds the secret; the
//! body is ignored. The form of the page requires a typed word, so that scanners and previews, which may submit forms,
//! change nothing.

use actix_web::http::Method;
use contract::{errors::AgentErrorCode, forms::Form};
use forms::FormPage;
use registration::{domain::RegistrationError, store::StoreError};
use secrets::StopToken;

use super::{
    error_response::FormTopic,
    visit::{FormVisit, Submission},
};
use crate::http::{
    handler::{Handled, Incoming},
    response::Response,
};

/// GET shows the current state; POST changes it.
pub(crate) fn answer(mut incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let is_sent = *incoming.request.method() == Method::POST;
        // With a secret in the address, the body is ignored.
        let mut visit = FormVisit::from_query(&incoming);
        let is_click = visit.token().is_some();
        if is_sent && !is_click {
            visit = match FormVisit::from_body(&mut incoming, Submission::Secret).await {
                Ok(visit) => visit,
                Err(response) => return response,
            };
        }
        let Some(token) = visit.token().map(StopToken::new) else { return unknown(&visit) };
        let again = visit.find("messages") == Some("again");
        let is_meant = is_sent && (is_click || again || visit.has_word(Form::Stop));
        let answered =
            if is_meant { change_opt_out(&visit, &token, again).await } else { current_form(&visit, &token).await };
        match answered {
            Ok(Some(form)) => visit.page(None, &FormPage::Messages { form, token: token.0.reveal() }),
            Ok(None) => unknown(&visit),
            Err(error) => visit.refusal(FormTopic::Access, &error.into()),
        }
    })
}

async fn current_form(visit: &FormVisit<'_>, token: &StopToken) -> Result<Option<Form>, StoreError> {
    let gets = visit.registrar().gets_emails(token).await?;
    Ok(gets.map(|gets| if gets { Form::Stop } else { Form::Stopped }))
}

async fn change_opt_out(visit: &FormVisit<'_>, token: &StopToken, again: bool) -> Result<Option<Form>, StoreError> {
    let is_known = visit.registrar().set_email_opt_out(token, again, visit.now).await?;
    Ok(is_known.then_some(if again { Form::Resumed } else { Form::Stopped }))
}

fn unknown(visit: &FormVisit<'_>) -> Response {
    visit.refusal(FormTopic::Access, &RegistrationError::Code(AgentErrorCode::InvalidClaimToken))
}
