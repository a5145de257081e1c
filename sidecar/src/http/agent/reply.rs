//! The bodies of answers, and the header fields that all of them carry.

use actix_web::http::{StatusCode, header::PRAGMA};
use clock::{Time, timestamp};
use contract::{
    agent_auth::CLAIM_GRANT,
    agent_replies::{
        ClaimCompletedReply, ClaimStartedReply, ClaimStatus, IssuedReply, PendingReply, Polling, RegisteredReply,
        TOKEN_TYPE, TokenReply,
    },
    routes,
    scopes::Scope,
};
use registration::domain::{ClaimStarted, Completed, Issued, Registered, Token};
use serde::Serialize;

use crate::http::{
    response,
    response::{Response, cors, error_response::NO_CACHE},
};

/// Describes a registration that was made.
pub(super) fn registered(registered: Registered) -> RegisteredReply {
    RegisteredReply {
        registration_id: registered.id.as_str().to_owned(),
        registration_type: registered.kind,
        issued: registered.issued.map(issued),
        pending: registered.pending.map(|pending| PendingReply {
            claim_url: format!("{}{}", pending.site_url, routes::CLAIM),
            claim_token: pending.claim_token.0.reveal().to_owned(),
            claim_token_expires: moment(pending.expires),
            post_claim_scopes: pending.scopes,
            claim: Polling {
                expires_in: pending.expires.since(pending.now).as_secs(),
                interval: pending.interval,
                token_endpoint: format!("{}{}", pending.site_url, routes::TOKEN),
                grant_type: CLAIM_GRANT,
            },
            match_phrase: pending.match_phrase.map(|phrase| phrase.to_string()),
        }),
    }
}

fn issued(issued: Issued) -> IssuedReply {
    IssuedReply {
        credential_type: issued.credential_type,
        credential: issued.credential.reveal().to_owned(),
        credential_expires: moment(issued.expires),
        scopes: issued.scopes,
    }
}

/// Says that a person is being asked.
pub(super) fn started(started: &ClaimStarted, now: Time) -> ClaimStartedReply {
    ClaimStartedReply {
        registration_id: started.id.as_str().to_owned(),
        claim_attempt_id: started.attempt.reveal().to_owned(),
        status: ClaimStatus::Initiated,
        expires_at: moment(started.expires),
        expires_in: started.expires.since(now).as_secs(),
        interval: started.interval,
        match_phrase: started.match_phrase.map(|phrase| phrase.to_string()),
    }
}

/// Says that a person has agreed.
pub(super) fn completed(completed: Completed) -> ClaimCompletedReply {
    ClaimCompletedReply {
        registration_id: completed.id.as_str().to_owned(),
        registration_type: completed.kind,
        status: ClaimStatus::Claimed,
        credential_type: completed.credential_type,
        credential: completed.credential.map(|secret| secret.reveal().to_owned()),
        credential_expires: moment(completed.expires),
        scopes: completed.scopes,
    }
}

/// Describes what the token endpoint issues.
pub(super) fn granted(token: Token, now: Time) -> TokenReply {
    TokenReply {
        access_token: token.issued.credential.reveal().to_owned(),
        token_type: TOKEN_TYPE,
        expires_in: token.issued.expires.since(now).as_secs(),
        scope: Scope::list(&token.issued.scopes),
        registration_id: token.id.as_str().to_owned(),
        registration_type: token.kind,
        issued: issued(token.issued),
    }
}

/// How many registrations ended.
#[derive(Serialize)]
pub(super) struct RevokedBody {
    pub(super) revoked: usize,
}

/// Answers with `body`.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    with_fields(response::json(status, serde_json::to_vec(body).unwrap_or_default()))
}

/// Answers without a body.
pub(super) fn nothing(status: StatusCode) -> Response {
    with_fields(response::empty(status))
}

fn with_fields(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(PRAGMA, NO_CACHE);
    cors::readable(headers);
    response
}

fn moment(time: Time) -> String {
    timestamp(time.millis())
}
