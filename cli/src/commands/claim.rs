//! `mecelle claim`: sends the mailbox or the code, or waits for a code that is handed in elsewhere.

use contract::{
    agent_requests::{CLAIM_TOKEN, EMAIL, LOCALE, OTP},
    media, routes,
};
use serde::Deserialize;
use serde_json::json;

use super::{
    decision,
    reading::parsed,
    registration::{self, Step},
};
use crate::{
    args,
    client::{self, Post},
    failure::Failure,
    keyring::Keyring,
    output::{
        self,
        sheet::{Cell, Fact, Sheet},
    },
    settings::Settings,
    surroundings::{Out, Surroundings},
};

pub(crate) fn run(
    claim: &args::Claim,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    if claim.language.locale.is_some() && claim.email.is_none() {
        let what = "--locale is the language of the message, and only --email sends one.";
        return Err(Failure::usage(what, "Leave --locale out."));
    }
    let ring = Keyring::needed(env)?;
    let entry = registration::kept(&ring, settings)?;
    let token = entry.claim_token.clone().ok_or_else(|| Failure::Usage {
        what: format!("The registration {} has nothing left to claim.", entry.registration_id),
        remedy: Some("See what it may do.".to_owned()),
        next: Some(settings.typed.there("mecelle whoami")),
    })?;
    ring.prepare()?;
    let (body, path) = match (&claim.email, &claim.code) {
        (Some(email), _) => {
            let mut question = json!({ CLAIM_TOKEN: token, EMAIL: email });
            if let Some(locale) = claim.language.locale {
                question[LOCALE] = locale.as_str().into();
            }
            return start(&question, settings, env, out);
        }
        (None, Some(code)) => (complete(&token, code, settings, env, out)?, routes::CLAIM_COMPLETE),
        (None, None) => (decision::awaited(&token, settings, env, out)?, routes::TOKEN),
    };
    let reached = registration::keep(&body, Step::Claim(path, &token), settings, env, out)?;
    if entry.credential.is_some() && entry.registration_id != reached.registration_id {
        registration::advise(registration::REPLACED, out);
    }
    Ok(())
}

fn post_json(
    path: &str,
    body: &serde_json::Value,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<Vec<u8>, Failure> {
    let body = body.to_string();
    let post = Post { path, media_type: media::JSON, fields: &[], body: body.as_bytes(), keyed: false };
    client::accepted(&client::post(&post, settings, env, out.notes)?, &post, settings, env)
}

fn start(
    question: &serde_json::Value,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let body = post_json(routes::CLAIM, question, settings, env, out)?;
    output::show(&body, |body| parsed(body).map(sheet), &settings.view, env, out)?;
    registration::advise_below(&registration::asked(settings), env, out);
    Ok(())
}

fn complete(
    token: &str,
    code: &str,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<Vec<u8>, Failure> {
    let question = json!({ CLAIM_TOKEN: token, OTP: code });
    post_json(routes::CLAIM_COMPLETE, &question, settings, env, out)
}

/// What the service says about the message that it sent.
#[derive(Deserialize)]
struct Started {
    registration_id: String,
    status: Option<String>,
    expires_at: Option<String>,
}

fn sheet(started: Started) -> Sheet {
    let facts = [
        ("registration_id", "Registration", Some(started.registration_id)),
        ("status", "Status", started.status),
        ("expires_at", "Link until", started.expires_at),
    ];
    let facts = facts.into_iter().filter_map(|(field, label, value)| {
        value.map(|value| Fact { field: field.to_owned(), label, shown: Cell::new(&value), value })
    });
    Sheet::card("Claim".to_owned(), ["DETAIL", "VALUE"], facts)
}
