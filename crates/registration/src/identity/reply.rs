//! The replies of the identity profile. Times are RFC 3339 with milliseconds.
//!
//! Security: the replies contain secrets, so none is `Debug`. None contains the secret of a link, which only the
//! person's mailbox gets: no sign-in protects the code.

use clock::{Time, timestamp};
use contract::{agent_auth::IdentityType, agent_replies::ClaimStatus, routes, scopes::Scope};
use secrets::{RegistrationId, Secret};
use serde::Serialize;

use crate::domain::{ClaimStarted, MatchPhrase, Pending, Registered};

/// The reply to a registration; also attached to the error that asks for interaction.
#[derive(Serialize)]
pub struct IdentityReply {
    id: String,
    r#type: IdentityType,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<AssertionBlock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<ClaimBlock>,
    scopes: Scopes,
}

/// The reply to a claim request.
#[derive(Serialize)]
pub struct AttemptReply {
    id: String,
    r#type: IdentityType,
    attempt: AttemptBlock,
}

/// The reply to a right code.
#[derive(Serialize)]
pub struct CompletedReply {
    id: String,
    status: ClaimStatus,
    identity: AssertionBlock,
    scopes: Scopes,
}

/// The assertion, to be exchanged for an access token.
#[derive(Serialize)]
struct AssertionBlock {
    assertion: String,
    expires_at: String,
}

#[derive(Serialize)]
struct ClaimBlock {
    token: String,
    url: String,
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<AttemptBlock>,
}

#[derive(Serialize)]
struct AttemptBlock {
    /// A page that asks the person to open their e-mail.
    verification_uri: String,
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_phrase: Option<String>,
}

#[derive(Serialize)]
struct Scopes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_claim: Option<Vec<Scope>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    post_claim: Vec<Scope>,
}

impl From<Registered> for IdentityReply {
    fn from(registered: Registered) -> Self {
        let kind = IdentityType::from(registered.kind);
        let (assertion, held) = match registered.issued {
            Some(issued) => (Some(AssertionBlock::new(&issued.credential, issued.expires)), Some(issued.scopes)),
            None => (None, None),
        };
        let after = registered.pending.as_ref().map(|pending| pending.scopes.clone());
        let scopes = if kind == IdentityType::Anonymous {
            Scopes { pre_claim: held, post_claim: after.unwrap_or_default() }
        } else {
            Scopes { pre_claim: None, post_claim: held.or(after).unwrap_or_default() }
        };
        Self {
            id: registered.id.to_string(),
            r#type: kind,
            identity: assertion,
            claim: registered.pending.map(ClaimBlock::new),
            scopes,
        }
    }
}

impl AttemptReply {
    pub(super) fn new(started: &ClaimStarted, site_url: &str) -> Self {
        Self {
            id: started.id.to_string(),
            r#type: IdentityType::ServiceAuth,
            attempt: AttemptBlock::new(site_url, started.expires, started.match_phrase),
        }
    }
}

impl CompletedReply {
    pub(super) fn new(id: &RegistrationId, credential: &Secret, expires: Time, scopes: Vec<Scope>) -> Self {
        Self {
            id: id.to_string(),
            status: ClaimStatus::Claimed,
            identity: AssertionBlock::new(credential, expires),
            scopes: Scopes { pre_claim: None, post_claim: scopes },
        }
    }
}

impl AssertionBlock {
    fn new(credential: &Secret, expires: Time) -> Self {
        Self { assertion: credential.reveal().to_owned(), expires_at: timestamp(expires.millis()) }
    }
}

impl ClaimBlock {
    fn new(pending: Pending) -> Self {
        let site_url = pending.site_url;
        Self {
            token: pending.claim_token.0.reveal().to_owned(),
            url: format!("{site_url}{}", routes::IDENTITY_CLAIM),
            expires_at: timestamp(pending.expires.millis()),
            attempt: pending.attempt_expires.map(|expires| AttemptBlock::new(&site_url, expires, pending.match_phrase)),
        }
    }
}

impl AttemptBlock {
    fn new(site_url: &str, expires: Time, match_phrase: Option<MatchPhrase>) -> Self {
        Self {
            verification_uri: format!("{site_url}{}", routes::AUTHORIZE),
            expires_at: timestamp(expires.millis()),
            match_phrase: match_phrase.map(|phrase| phrase.to_string()),
        }
    }
}
