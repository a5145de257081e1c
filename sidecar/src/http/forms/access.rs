//! The access pages: request the link, list grants, revoke them.

use actix_web::http::{Method, StatusCode};
use contract::{
    errors::{AgentErrorCode, BadForm},
    forms::Form,
};
use forms::{AccessItem, FormPage};
use registration::{
    domain::{AccessView, Grant, RegistrationError},
    registrar::Which,
};
use secrets::{AccessToken, Mailbox, RegistrationId};

use super::{
    error_response::FormTopic,
    visit::{FormVisit, Submission},
};
use crate::http::{
    handler::{Handled, Incoming},
    response::Response,
};

/// The most characters of an invalid address that the form repeats.
const MAX_SHOWN: usize = 254;

/// GET shows the form for an address; POST sends the link to it, if the address has any grants.
pub(crate) fn answer(mut incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        if *incoming.request.method() != Method::POST {
            let visit = FormVisit::from_query(&incoming);
            if !visit.registrar().has_mail() {
                return visit.refusal(FormTopic::Access, &AgentErrorCode::ClaimNotEnabled.into());
            }
            return visit.page(None, &FormPage::Plain(Form::Access));
        }
        let visit = match FormVisit::from_body(&mut incoming, Submission::Open).await {
            Ok(visit) => visit,
            Err(response) => return response,
        };
        if !visit.registrar().has_mail() {
            return visit.refusal(FormTopic::Access, &AgentErrorCode::ClaimNotEnabled.into());
        }
        let text = visit.find("email").unwrap_or_default();
        let Some(mailbox) = Mailbox::parse(text) else {
            let excerpt: String = text.chars().take(MAX_SHOWN).collect();
            return visit.page_with(StatusCode::BAD_REQUEST, None, &FormPage::AccessInvalid { email: &excerpt });
        };
        let locale = visit.locale(None);
        // Security: the response is the same for unknown addresses.
        match visit.registrar().request_access(&mailbox, locale, &incoming.admitted.caller(), visit.now).await {
            // Show the address as typed: a mailbox stores an internationalised domain in its ASCII form.
            Ok(()) => visit.page(None, &FormPage::AccessMailed { email: text }),
            Err(refusal) => visit.refusal(FormTopic::Access, &refusal),
        }
    })
}

/// Shows the grants. Changes nothing.
pub(crate) fn list(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let visit = FormVisit::from_query(&incoming);
        let Some(token) = visit.token() else { return unknown(&visit) };
        match visit.registrar().access(&AccessToken::new(token), visit.now).await {
            Ok(view) => grant_list(&visit, &view, token),
            Err(refusal) => visit.refusal(FormTopic::Access, &refusal),
        }
    })
}

/// Revokes one grant or all.
pub(crate) fn revoke(mut incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let visit = match FormVisit::from_body(&mut incoming, Submission::Secret).await {
            Ok(visit) => visit,
            Err(response) => return response,
        };
        let (Some(token), Some(which)) = (visit.token(), visit.find("which")) else {
            return visit.refuse(BadForm::Malformed);
        };
        let which = if which == "all" { Which::All } else { Which::One(RegistrationId::new(which)) };
        let link = AccessToken::new(token);
        let registrar = visit.registrar();
        let view = match registrar.access(&link, visit.now).await {
            Ok(view) => view,
            Err(refusal) => return visit.refusal(FormTopic::Access, &refusal),
        };
        match registrar.revoke_access(&link, which, visit.now).await {
            // Nothing was revoked: the grant has ended or belongs to another person. Show the current grants.
            Ok(0) => grant_list(&visit, &view, token),
            Ok(count) => visit.page(Some(view.locale), &FormPage::AccessRevoked { email: &view.email, count, token }),
            Err(refusal) => visit.refusal(FormTopic::Access, &refusal),
        }
    })
}

fn grant_list(visit: &FormVisit<'_>, view: &AccessView, token: &str) -> Response {
    let items: Vec<_> = view.grants.iter().map(access_item).collect();
    let page = FormPage::AccessList { email: &view.email, expires: view.expires, token, items: &items };
    visit.page(Some(view.locale), &page)
}

fn access_item(grant: &Grant) -> AccessItem<'_> {
    AccessItem {
        registration: grant.id.as_str(),
        agent: &grant.agent,
        provider: grant.provider.as_deref(),
        match_phrase: grant.match_phrase.as_deref(),
        since: grant.granted,
        expires: grant.expires,
        scopes: &grant.scopes,
    }
}

fn unknown(visit: &FormVisit<'_>) -> Response {
    visit.refusal(FormTopic::Access, &RegistrationError::Code(AgentErrorCode::InvalidClaimToken))
}
