//! The replies of the specification's profile.

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

use crate::domain::{ClaimStarted, Completed, Issued, Pending, Registered, Token};

impl From<Registered> for RegisteredReply {
    fn from(registered: Registered) -> Self {
        let (issued, pending) = (registered.issued.map(IssuedReply::from), registered.pending.map(PendingReply::from));
        Self::new(registered.id.to_string(), registered.kind, issued, pending)
    }
}

impl From<Pending> for PendingReply {
    fn from(pending: Pending) -> Self {
        Self {
            claim_url: format!("{}{}", pending.site_url, routes::CLAIM),
            claim_token: pending.claim_token.0.reveal().to_owned(),
            claim_token_expires: format_time(pending.expires),
            post_claim_scopes: pending.scopes,
            claim: Polling {
                expires_in: pending.expires.since(pending.now).as_secs(),
                interval: pending.interval,
                token_endpoint: format!("{}{}", pending.site_url, routes::TOKEN),
                grant_type: CLAIM_GRANT,
            },
            match_phrase: pending.match_phrase.map(|phrase| phrase.to_string()),
        }
    }
}

impl From<Issued> for IssuedReply {
    fn from(issued: Issued) -> Self {
        Self {
            credential_type: issued.credential_type,
            credential: issued.credential.reveal().to_owned(),
            credential_expires: format_time(issued.expires),
            scopes: issued.scopes,
        }
    }
}

impl From<Completed> for ClaimCompletedReply {
    fn from(completed: Completed) -> Self {
        Self {
            registration_id: completed.id.to_string(),
            registration_type: completed.kind,
            status: ClaimStatus::Claimed,
            credential_type: completed.credential_type,
            credential: completed.credential.map(|secret| secret.reveal().to_owned()),
            credential_expires: format_time(completed.expires),
            scopes: completed.scopes,
        }
    }
}

/// Builds the reply to a claim request.
pub fn claim_started_reply(started: &ClaimStarted, now: Time) -> ClaimStartedReply {
    ClaimStartedReply {
        registration_id: started.id.to_string(),
        claim_attempt_id: started.attempt.reveal().to_owned(),
        status: ClaimStatus::Initiated,
        expires_at: format_time(started.expires),
        expires_in: started.expires.since(now).as_secs(),
        interval: started.interval,
        match_phrase: started.match_phrase.map(|phrase| phrase.to_string()),
    }
}

/// Builds the reply of the token endpoint.
pub fn token_reply(token: Token, now: Time) -> TokenReply {
    TokenReply {
        access_token: token.issued.credential.reveal().to_owned(),
        token_type: TOKEN_TYPE,
        expires_in: token.issued.expires.since(now).as_secs(),
        scope: Scope::list(&token.issued.scopes),
        registration_id: token.id.to_string(),
        registration_type: token.kind,
        issued: token.issued.into(),
    }
}

fn format_time(time: Time) -> String {
    timestamp(time.millis())
}
