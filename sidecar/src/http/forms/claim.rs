//! The claim pages: the request, "show code" and "this was not me".

use actix_web::http::StatusCode;
use clock::timestamp;
use contract::{
    errors::{AgentErrorCode, BadForm},
    forms::Form,
};
use forms::FormPage;
use registration::domain::{Challenge, ClaimView, RegistrationError};
use secrets::LinkToken;
use serde::Serialize;

use super::{
    error_response::{FormTopic, json},
    visit::{FormVisit, Submission},
};
use crate::http::{
    handler::{Handled, Incoming},
    response::Response,
};

/// Shows the claim request. Changes nothing.
pub(crate) fn view(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let visit = FormVisit::from_query(&incoming);
        let Some(token) = visit.token() else { return unknown(&visit) };
        match visit.registrar().view(&LinkToken::new(token), visit.now).await {
            Ok(view) => visit.page(Some(view.locale), &question(&view, token)),
            Err(refusal) => visit.refusal(FormTopic::Claim, &refusal),
        }
    })
}

/// Shows the code to the person who agrees. It stays the same during one attempt.
pub(crate) fn challenge(mut incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let visit = match FormVisit::from_body(&mut incoming, Submission::SecretOrJson).await {
            Ok(visit) => visit,
            Err(response) => return response,
        };
        let Some(token) = visit.token() else { return visit.refuse(BadForm::Malformed) };
        match visit.registrar().challenge(&LinkToken::new(token), visit.now).await {
            Ok(challenge) if visit.is_json => challenge_reply(&challenge),
            Ok(challenge) => visit.page(
                Some(challenge.locale),
                &FormPage::ClaimCode {
                    agent: &challenge.agent,
                    code: challenge.code.reveal(),
                    expires: challenge.expires,
                    token,
                },
            ),
            Err(refusal) => visit.refusal(FormTopic::Claim, &refusal),
        }
    })
}

/// Denies the claim in two steps: the form of the page leads to one that requires a typed word.
///
/// Security: mail scanners may submit both forms, but type no word. JSON is sent only by a program that was instructed
/// to deny.
pub(crate) fn deny(mut incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let visit = match FormVisit::from_body(&mut incoming, Submission::SecretOrJson).await {
            Ok(visit) => visit,
            Err(response) => return response,
        };
        let Some(token) = visit.token() else { return visit.refuse(BadForm::Malformed) };
        if !visit.is_json && !visit.has_word(Form::ClaimDeny) {
            return visit.page(None, &FormPage::ClaimDeny { token });
        }
        match visit.registrar().deny(&LinkToken::new(token), visit.now).await {
            Ok(()) if visit.is_json => json(StatusCode::OK, b"{\"status\":\"denied\"}".to_vec()),
            Ok(()) => visit.page(None, &FormPage::Plain(Form::ClaimDenied)),
            Err(refusal) => visit.refusal(FormTopic::Claim, &refusal),
        }
    })
}

fn question<'a>(view: &'a ClaimView, token: &'a str) -> FormPage<'a> {
    FormPage::Claim {
        agent: &view.agent,
        provider: view.provider.as_deref(),
        match_phrase: view.match_phrase.as_deref(),
        email: &view.email,
        requested: view.requested,
        expires: view.expires,
        scopes: &view.scopes,
        token,
    }
}

fn unknown(visit: &FormVisit<'_>) -> Response {
    visit.refusal(FormTopic::Claim, &RegistrationError::Code(AgentErrorCode::InvalidClaimToken))
}

/// The JSON response for a program that shows the code to its user.
#[derive(Serialize)]
struct ChallengeReply<'a> {
    r#type: &'static str,
    challenge: &'a str,
    expires_at: String,
}

fn challenge_reply(challenge: &Challenge) -> Response {
    let reply = ChallengeReply {
        r#type: "otp",
        challenge: challenge.code.reveal(),
        expires_at: timestamp(challenge.expires.millis()),
    };
    json(StatusCode::OK, serde_json::to_vec(&reply).unwrap_or_default())
}
