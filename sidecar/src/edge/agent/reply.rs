//! The bodies of answers, and the header fields that all of them carry.

use actix_web::http::{
    StatusCode,
    header::{ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_TYPE, HeaderValue, PRAGMA},
};
use contract::{
    agent_auth::{CLAIM_GRANT, CredentialType},
    headers::CORS_EXPOSED,
    media, routes,
    scopes::Scope,
};
use serde::Serialize;

use crate::{
    Time,
    calendar::timestamp,
    edge::answer::{
        payload::{self, Reply},
        refusal::harden,
    },
    registration::{ClaimStarted, Completed, Registered, Token},
};

/// What was made of a registration.
#[derive(Serialize)]
pub(super) struct RegisteredBody {
    registration_id: String,
    registration_type: &'static str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    issued: Option<IssuedBody>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pending: Option<PendingBody>,
}

#[derive(Serialize)]
struct IssuedBody {
    credential_type: CredentialType,
    credential: String,
    credential_expires: String,
    scopes: Vec<Scope>,
}

#[derive(Serialize)]
struct PendingBody {
    claim_url: String,
    claim_token: String,
    claim_token_expires: String,
    post_claim_scopes: Vec<Scope>,
    claim: ClaimBody,
}

#[derive(Serialize)]
struct ClaimBody {
    expires_in: u64,
    interval: u64,
    token_endpoint: String,
    grant_type: &'static str,
}

impl RegisteredBody {
    /// Of `registered`.
    pub(super) fn of(registered: Registered) -> Self {
        Self {
            registration_id: registered.id.as_str().to_owned(),
            registration_type: registered.kind.as_str(),
            issued: registered.issued.map(|issued| IssuedBody {
                credential_type: issued.credential_type,
                credential: issued.credential.reveal().to_owned(),
                credential_expires: moment(issued.expires),
                scopes: issued.scopes,
            }),
            pending: registered.pending.map(|pending| PendingBody {
                claim_url: format!("{}{}", pending.site_url, routes::CLAIM),
                claim_token: pending.claim_token.0.reveal().to_owned(),
                claim_token_expires: moment(pending.expires),
                post_claim_scopes: pending.scopes,
                claim: ClaimBody {
                    expires_in: pending.expires.since(pending.now).as_secs(),
                    interval: pending.interval,
                    token_endpoint: format!("{}{}", pending.site_url, routes::TOKEN),
                    grant_type: CLAIM_GRANT,
                },
            }),
        }
    }
}

/// A person is being asked.
#[derive(Serialize)]
pub(super) struct StartedBody {
    registration_id: String,
    claim_attempt_id: String,
    status: &'static str,
    expires_at: String,
    expires_in: u64,
    interval: u64,
}

impl StartedBody {
    /// Of `started`.
    pub(super) fn of(started: &ClaimStarted, now: Time) -> Self {
        Self {
            registration_id: started.id.as_str().to_owned(),
            claim_attempt_id: started.attempt.reveal().to_owned(),
            status: "initiated",
            expires_at: moment(started.expires),
            expires_in: started.expires.since(now).as_secs(),
            interval: started.interval,
        }
    }
}

/// A person has agreed.
#[derive(Serialize)]
pub(super) struct CompletedBody {
    registration_id: String,
    registration_type: &'static str,
    status: &'static str,
    credential_type: CredentialType,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<String>,
    credential_expires: String,
    scopes: Vec<Scope>,
}

impl CompletedBody {
    /// Of `completed`.
    pub(super) fn of(completed: Completed) -> Self {
        Self {
            registration_id: completed.id.as_str().to_owned(),
            registration_type: completed.kind.as_str(),
            status: "claimed",
            credential_type: completed.credential_type,
            credential: completed.credential.map(|secret| secret.reveal().to_owned()),
            credential_expires: moment(completed.expires),
            scopes: completed.scopes,
        }
    }
}

/// What the token endpoint hands out (RFC 6749, 5.1), under both its names.
#[derive(Serialize)]
pub(super) struct TokenBody {
    access_token: String,
    token_type: &'static str,
    expires_in: u64,
    scope: String,
    registration_id: String,
    registration_type: &'static str,
    #[serde(flatten)]
    issued: IssuedBody,
}

impl TokenBody {
    /// Of `token`.
    pub(super) fn of(token: Token, now: Time) -> Self {
        let issued = token.issued;
        Self {
            access_token: issued.credential.reveal().to_owned(),
            token_type: "Bearer",
            expires_in: issued.expires.since(now).as_secs(),
            scope: Scope::list(&issued.scopes),
            registration_id: token.id.as_str().to_owned(),
            registration_type: token.kind.as_str(),
            issued: IssuedBody {
                credential_type: issued.credential_type,
                credential: issued.credential.reveal().to_owned(),
                credential_expires: moment(issued.expires),
                scopes: issued.scopes,
            },
        }
    }
}

/// How many registrations ended.
#[derive(Serialize)]
pub(super) struct RevokedBody {
    pub(super) revoked: usize,
}

/// An answer with `body`.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Reply {
    let mut response = empty(status, serde_json::to_vec(body).unwrap_or_default());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media::JSON));
    response
}

/// An answer without a body.
pub(super) fn nothing(status: StatusCode) -> Reply {
    empty(status, Vec::new())
}

fn empty(status: StatusCode, body: Vec<u8>) -> Reply {
    let mut response = payload::reply(status, body);
    let headers = response.headers_mut();
    harden(headers);
    headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(CORS_EXPOSED));
    response
}

fn moment(time: Time) -> String {
    timestamp(time.millis())
}
