//! The authorization endpoint. There is no sign-in: its page explains how agents get access, and every authorization
//! request gets an error.
//!
//! Security: no client has registered a redirect URI, so none is followed (RFC 6749, 4.1.2.1).

use actix_web::http::{StatusCode, header::ACCEPT};
use contract::{
    agent_auth::{CLIENT_ID, RESPONSE_TYPE},
    errors::AgentErrorCode,
    forms::Form,
};
use forms::FormPage;

use super::{error_response, visit::FormVisit};
use crate::http::{
    handler::{Handled, Incoming},
    negotiate,
    negotiate::Medium,
    request::values,
};

/// Shows the page, or rejects an authorization request.
pub(crate) fn answer(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let visit = FormVisit::from_query(&incoming);
        let request = &*incoming.request;
        let names = request.uri().query().unwrap_or_default().split('&').filter_map(|pair| pair.split('=').next());
        if !names.into_iter().any(|name| [RESPONSE_TYPE, CLIENT_ID].contains(&name)) {
            return visit.page(None, &FormPage::Plain(Form::Authorize));
        }
        let accept = || values(request, &ACCEPT);
        if negotiate::medium(accept(), Medium::Html).is_none() && negotiate::accepts_json(accept()) {
            let error = AgentErrorCode::UnsupportedResponseType.response();
            return error_response::document_of(StatusCode::BAD_REQUEST, &error);
        }
        visit.page_with(StatusCode::BAD_REQUEST, None, &FormPage::Plain(Form::AuthorizeRefused))
    })
}
