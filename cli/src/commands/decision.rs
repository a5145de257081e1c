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
    client::{self, HttpReply, PostRequest},
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
pub(super) fn poll_claim(token: &str, session: &mut Session<'_, '_>) -> Result<Vec<u8>, Failure> {
    let form = client::form(&[(GRANT_TYPE, CLAIM_GRANT), (CLAIM_TOKEN, token)]);
    let post =
        PostRequest { path: routes::TOKEN, media_type: media::FORM, fields: &[], body: form.as_bytes(), keyed: false };
    let mut interval = INTERVAL;
    let mut remaining_faults = MAX_FAULTS;
    for number in 0..MAX_POLLS {
        // Polling twice does no harm here: it only asks whether the claim is complete.
        // A warning is given once.
        let notes: &mut dyn Write = if number == 0 { &mut *session.out.notes } else { &mut io::sink() };
        match client::post(&post, session.settings, session.env, notes) {
            Ok(reply) => match pending_code(&reply) {
                Some(PendingCode::Authorization) => remaining_faults = MAX_FAULTS,
                Some(PendingCode::SlowDown) => interval += SLOWER,
                None if remaining_faults > 0 && client::is_transient(&reply) => {
                    remaining_faults -= 1;
                    let wait = client::retry_after(&reply, session.env).unwrap_or_default().as_secs();
                    interval = (interval + SLOWER).max(wait.min(MAX_INTERVAL));
                }
                None => return session.accepted(&reply, &post),
            },
            // RFC 8628, 3.5, requires this of a client that gets no answer.
            Err(Failure::Network { trouble, .. }) if remaining_faults > 0 && trouble.is_unreachable() => {
                remaining_faults -= 1;
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
        next: session.settings.typed.on_same_host("mecelle claim --code CODE"),
    })
}

enum PendingCode {
    Authorization,
    SlowDown,
}

fn pending_code(reply: &HttpReply) -> Option<PendingCode> {
    #[derive(Deserialize)]
    struct ErrorBody {
        error: String,
    }
    let body: ErrorBody = serde_json::from_slice(&reply.body).ok()?;
    [
        (AgentErrorCode::AuthorizationPending, PendingCode::Authorization),
        (AgentErrorCode::SlowDown, PendingCode::SlowDown),
    ]
    .into_iter()
    .find_map(|(code, pending)| (body.error == code.as_str()).then_some(pending))
}
