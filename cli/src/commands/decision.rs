//! Polls until a claim is completed elsewhere.

use std::{
    io::{self, Write},
    time::Duration,
};

use contract::{
    agent_auth::CLAIM_GRANT,
    agent_requests::{CLAIM_TOKEN, GRANT_TYPE},
    errors::AgentErrorCode,
    media, routes,
};
use serde::Deserialize;

use super::session::Session;
use crate::{
    client::{self, HttpReply, PostRequest},
    failure::Failure,
};

/// Seconds between two polls (RFC 8628, 3.2: the default interval).
const INTERVAL: u64 = 5;
/// Seconds that each `slow_down` adds to the interval (RFC 8628, 3.5).
const SLOWER: u64 = 5;
/// Maximum number of polls per run: at least an hour.
const MAX_POLLS: u32 = 720;
/// Maximum number of failed polls in a row.
const MAX_FAULTS: u8 = 5;
/// Maximum pause for a `Retry-After`, in seconds.
const MAX_INTERVAL: u64 = 60;

/// Polls the token endpoint (RFC 8628) until it returns a key or a final error. Returns the body with the key.
pub(super) fn poll_claim(token: &str, session: &mut Session<'_, '_>) -> Result<Vec<u8>, Failure> {
    let form = client::form(&[(GRANT_TYPE, CLAIM_GRANT), (CLAIM_TOKEN, token)]);
    let post =
        PostRequest { path: routes::TOKEN, media_type: media::FORM, fields: &[], body: form.as_bytes(), keyed: false };
    let mut interval = INTERVAL;
    let mut remaining_faults = MAX_FAULTS;
    for number in 0..MAX_POLLS {
        // A poll changes nothing, so it can be repeated. Warnings are written for the first poll only.
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
                None => return session.success_body(&reply, &post),
            },
            // RFC 8628, 3.5: slow down when there is no reply.
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
