//! Waits for a claim that is completed elsewhere, which may take a while: waiting alone does not complete it.

use std::{
    io::{self, Write},
    time::Duration,
};

use contract::{
    agent_auth::CLAIM_GRANT,
    agent_errors::AgentErrorCode,
    agent_requests::{CLAIM_TOKEN, GRANT_TYPE},
    media, routes,
};
use serde::Deserialize;

use super::session::Session;
use crate::{
    client::{self, Post, Reply},
    failure::Failure,
};

/// Seconds between two polls when the service names none (RFC 8628, 3.2).
const INTERVAL: u64 = 5;
/// Seconds that each `slow_down` adds to the interval (RFC 8628, 3.5).
const SLOWER: u64 = 5;
/// The most polls of one run: at least an hour.
const MAX_POLLS: u32 = 720;
/// How many times in a row the service may fail to answer.
const MAX_FAULTS: u8 = 5;
/// The longest pause that a `Retry-After` may impose.
const MAX_INTERVAL: u64 = 60;

/// Polls the token endpoint as RFC 8628 specifies, until there is a key, whose reply is returned as it came, or a
/// refusal.
pub(super) fn awaited(token: &str, session: &mut Session<'_, '_>) -> Result<Vec<u8>, Failure> {
    let form = client::form(&[(GRANT_TYPE, CLAIM_GRANT), (CLAIM_TOKEN, token)]);
    let post = Post { path: routes::TOKEN, media_type: media::FORM, fields: &[], body: form.as_bytes(), keyed: false };
    let mut interval = INTERVAL;
    let mut patience = MAX_FAULTS;
    for number in 0..MAX_POLLS {
        // Polling twice does no harm here: it only asks whether the claim is complete.
        // A warning is given once.
        let notes: &mut dyn Write = if number == 0 { &mut *session.out.notes } else { &mut io::sink() };
        match client::post(&post, session.settings, session.env, notes) {
            Ok(reply) => match pending(&reply) {
                Some(Pending::Authorization) => patience = MAX_FAULTS,
                Some(Pending::SlowDown) => interval += SLOWER,
                None if patience > 0 && client::is_passing(&reply) => {
                    patience -= 1;
                    let wish = client::wished(&reply, session.env).unwrap_or_default().as_secs();
                    interval = (interval + SLOWER).max(wish.min(MAX_INTERVAL));
                }
                None => return session.accepted(&reply, &post),
            },
            // RFC 8628, 3.5, requires this of a client that gets no answer.
            Err(Failure::Network { trouble, .. }) if patience > 0 && trouble.is_absence() => {
                patience -= 1;
                interval += SLOWER;
            }
            Err(failure) => return Err(failure),
        }
        if number == 0 {
            session.advise("waiting until the claim is complete; Ctrl-C only ends the waiting");
        }
        session.env.clock.sleep(Duration::from_secs(interval));
    }
    Err(Failure::Stopped {
        what: "The registration is not claimed yet.".to_owned(),
        remedy: "Open the link in the e-mail, and send the code that it shows.".to_owned(),
        next: session.settings.typed.there("mecelle claim --code CODE"),
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
