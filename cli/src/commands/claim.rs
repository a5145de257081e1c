//! `mecelle claim`: starts a claim by e-mail, completes it with a code, or waits until it is complete.

use contract::{
    agent_requests::{CLAIM_TOKEN, EMAIL, LOCALE, OTP},
    media, routes,
};
use serde::Deserialize;
use serde_json::json;

use super::{
    decision,
    registration::{self, RegistrationStep},
    session::{Session, parse},
};
use crate::{
    args,
    client::PostRequest,
    failure::Failure,
    keyring::Keyring,
    output::{
        self,
        sheet::{Cell, Fact, Sheet},
    },
};

pub(crate) fn run(claim: &args::ClaimArguments, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    if claim.language.locale.is_some() && claim.email.is_none() {
        let what = "--locale sets the language of the e-mail, which only --email sends.";
        return Err(Failure::usage(what, "Leave --locale out."));
    }
    let ring = Keyring::require(session.env)?;
    let entry = registration::load_entry(&ring, session.settings)?;
    let token = entry.claim_token.clone().ok_or_else(|| Failure::Usage {
        what: format!("The registration {} has no open claim.", entry.registration_id),
        remedy: Some("See its scopes.".to_owned()),
        next: Some(session.settings.typed.on_same_host("mecelle whoami")),
    })?;
    ring.prepare()?;
    let (body, path) = match (&claim.email, &claim.code) {
        (Some(email), _) => {
            let mut question = json!({ CLAIM_TOKEN: token, EMAIL: email });
            if let Some(locale) = claim.language.locale {
                question[LOCALE] = locale.as_str().into();
            }
            return start(&question, session);
        }
        (None, Some(code)) => (complete(&token, code, session)?, routes::CLAIM_COMPLETE),
        (None, None) => (decision::poll_claim(&token, session)?, routes::TOKEN),
    };
    let reached = registration::store(&body, RegistrationStep::Claim(path, &token), session)?;
    if entry.credential.is_some() && entry.registration_id != reached.registration_id {
        session.advise(registration::REPLACED);
    }
    Ok(())
}

fn post_json(path: &str, body: &serde_json::Value, session: &mut Session<'_, '_>) -> Result<Vec<u8>, Failure> {
    let body = body.to_string();
    let post = PostRequest { path, media_type: media::JSON, fields: &[], body: body.as_bytes(), keyed: false };
    let reply = session.post(&post)?;
    session.success_body(&reply, &post)
}

fn start(question: &serde_json::Value, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let body = post_json(routes::CLAIM, question, session)?;
    output::show(&body, |body| parse(body).map(sheet), &session.settings.view, session.env, session.out)?;
    session.advise_below(&registration::code_advice(session.settings));
    Ok(())
}

fn complete(token: &str, code: &str, session: &mut Session<'_, '_>) -> Result<Vec<u8>, Failure> {
    let question = json!({ CLAIM_TOKEN: token, OTP: code });
    post_json(routes::CLAIM_COMPLETE, &question, session)
}

/// The service's reply to the start of a claim.
#[derive(Deserialize)]
struct ClaimReply {
    registration_id: String,
    status: Option<String>,
    expires_at: Option<String>,
    match_phrase: Option<String>,
}

fn sheet(started: ClaimReply) -> Sheet {
    let facts = [
        ("registration_id", "Registration", Some(started.registration_id)),
        ("status", "Status", started.status),
        ("expires_at", "Link until", started.expires_at),
        ("match_phrase", registration::MATCH_PHRASE, started.match_phrase),
    ];
    let facts = facts.into_iter().filter_map(|(field, label, value)| {
        value.map(|value| Fact { field: field.to_owned(), label, shown: Cell::new(&value), value })
    });
    Sheet::card("Claim".to_owned(), ["DETAIL", "VALUE"], facts)
}
