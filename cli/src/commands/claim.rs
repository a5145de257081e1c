//! `mecelle claim`: the mailbox, the code, or waiting for the person's decision.

use std::time::Duration;

use contract::{agent_auth::CLAIM_GRANT, agent_errors::AgentErrorCode, media, routes};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::json;

use super::registration::{self, Granted};
use crate::{
    args,
    client::{self, Post, Reply},
    failure::Failure,
    keyring::{Entry, Keyring},
    settings::Settings,
    surroundings::{Out, Surroundings},
};

/// Seconds between two questions when the service names none (RFC 8628, 3.2).
const INTERVAL: u64 = 5;
/// What each `slow_down` adds to them (RFC 8628, 3.5).
const SLOWER: u64 = 5;
/// The most questions of one run: at least an hour.
const MOST_QUESTIONS: u32 = 720;

pub(crate) fn run(
    claim: &args::Claim,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let ring = Keyring::needed(env)?;
    let entry = registration::kept(&ring, settings)?;
    let token = entry.claim_token.clone().ok_or_else(|| Failure::Usage {
        what: format!("The registration {} has nothing left to claim.", entry.registration_id),
        remedy: "See what it may do: mecelle whoami".to_owned(),
    })?;
    match (&claim.email, &claim.code) {
        (Some(email), _) => start(&token, email, settings, env, out),
        (None, Some(code)) => complete(&token, code, entry, &ring, settings, env, out),
        (None, None) => wait(&token, entry, &ring, settings, env, out),
    }
}

fn post_json(
    path: &str,
    body: &serde_json::Value,
    settings: &Settings,
    env: &Surroundings,
) -> Result<Vec<u8>, Failure> {
    let body = body.to_string();
    let post = Post { path, media_type: media::JSON, fields: &[], body: body.as_bytes(), keyed: false };
    client::accepted(&client::post(&post, settings, env)?, &post, settings)
}

fn start(token: &str, email: &str, settings: &Settings, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    let question = json!({ "claim_token": token, "email": email });
    let body = post_json(routes::CLAIM, &question, settings, env)?;
    // There is nothing in it for a person but what the advice says.
    if env.screen.is_none() {
        out.data.write_all(&body).map_err(Failure::Write)?;
    }
    registration::advise(registration::ASKED, out);
    Ok(())
}

fn complete(
    token: &str,
    code: &str,
    entry: Entry,
    ring: &Keyring,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let body = post_json(routes::CLAIM_COMPLETE, &json!({ "claim_token": token, "otp": code }), settings, env)?;
    finish(&body, entry, ring, settings, env, out)
}

/// Keeps what the claim gave. The claim token stays until a credential is there: it can fetch one that was lost.
fn finish(
    body: &[u8],
    before: Entry,
    ring: &Keyring,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut entry = Granted::of(body)?.onto(before);
    if entry.credential.is_some() {
        (entry.claim_token, entry.claim_token_expires) = (None, None);
    }
    ring.save(&settings.base, entry.clone())?;
    registration::show(body, &entry, ring, settings, env, out)
}

/// Asks the token endpoint as RFC 8628 has it, until there is a key or a refusal.
fn wait(
    token: &str,
    entry: Entry,
    ring: &Keyring,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let form = form(&[("grant_type", CLAIM_GRANT), ("claim_token", token)]);
    let post = Post { path: routes::TOKEN, media_type: media::FORM, fields: &[], body: form.as_bytes(), keyed: false };
    let mut interval = INTERVAL;
    for _ in 0..MOST_QUESTIONS {
        let reply = client::post(&post, settings, env)?;
        match pending(&reply) {
            Some(Pending::Authorization) => {}
            Some(Pending::SlowDown) => interval += SLOWER,
            None => {
                let body = client::accepted(&reply, &post, settings)?;
                return finish(&body, entry, ring, settings, env, out);
            }
        }
        env.clock.sleep(Duration::from_secs(interval));
    }
    Err(Failure::Usage {
        what: "Nobody has claimed the registration yet.".to_owned(),
        remedy: "Open the link in the message, then wait again.".to_owned(),
    })
}

enum Pending {
    Authorization,
    SlowDown,
}

fn pending(reply: &Reply) -> Option<Pending> {
    #[derive(Deserialize)]
    struct Said {
        error: String,
    }
    let said: Said = serde_json::from_slice(&reply.body).ok()?;
    [(AgentErrorCode::AuthorizationPending, Pending::Authorization), (AgentErrorCode::SlowDown, Pending::SlowDown)]
        .into_iter()
        .find_map(|(code, pending)| (said.error == code.as_str()).then_some(pending))
}

/// What may not stand in a form as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// `application/x-www-form-urlencoded` of values that may hold any character.
pub(super) fn form(fields: &[(&str, &str)]) -> String {
    let encoded = fields.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)));
    encoded.collect::<Vec<_>>().join("&")
}
