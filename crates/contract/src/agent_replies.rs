//! Replies of the registration flow to requests that succeed (specification, "Registration" and "Claim ceremony";
//! RFC 6749, 5.1). Moments are RFC 3339 with milliseconds, durations are seconds.
//!
//! Security: the replies contain credentials in clear, so none of them has a `Debug` form.

use serde::Serialize;

use crate::{
    agent_auth::{CredentialType, RegistrationType},
    scopes::Scope,
};

/// How a credential is sent (RFC 6750).
pub const TOKEN_TYPE: &str = "Bearer";
/// Seconds between the first polls of a claim (RFC 8628, 3.5); a client that polls too early waits longer.
pub const POLL_INTERVAL: u64 = 5;
/// Seconds for which a registration waits for a person.
pub const UNCLAIMED_LIFE: u64 = 24 * 60 * 60;
/// Seconds for which an access token is valid.
pub const ACCESS_TOKEN_LIFE: u64 = 60 * 60;
/// Seconds that a person has for the link in a message, because mail may take a while.
pub const LINK_LIFE: u64 = 60 * 60;
/// Seconds that a person has for a code, from the moment that it is shown.
pub const CODE_LIFE: u64 = 10 * 60;

/// The reply to a registration.
#[derive(Serialize)]
pub struct RegisteredReply {
    /// Identifies the registration; it is not a secret.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// The credential that the agent may use at once.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub issued: Option<IssuedReply>,
    /// How a person can claim it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingReply>,
}

/// A credential.
#[derive(Serialize)]
pub struct IssuedReply {
    /// Its type.
    pub credential_type: CredentialType,
    /// The credential itself.
    pub credential: String,
    /// When it expires.
    pub credential_expires: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
}

/// What is needed to claim a registration.
#[derive(Serialize)]
pub struct PendingReply {
    /// Where a claim is started.
    pub claim_url: String,
    /// Proves there, and when polling, that the registration is the agent's own.
    pub claim_token: String,
    /// Until when it can be claimed.
    pub claim_token_expires: String,
    /// What the credential may be used for once a person has agreed.
    pub post_claim_scopes: Vec<Scope>,
    /// How to poll.
    pub claim: Polling,
    /// Two words of the message by which the person recognises the agent, if one is being asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_phrase: Option<String>,
}

/// How to ask whether the claim is complete (RFC 8628).
#[derive(Serialize)]
pub struct Polling {
    /// How long polling is possible.
    pub expires_in: u64,
    /// How long to wait between two polls.
    pub interval: u64,
    /// Where to ask.
    pub token_endpoint: String,
    /// The grant type to use.
    pub grant_type: &'static str,
}

/// The reply while a person is being asked.
#[derive(Serialize)]
pub struct ClaimStartedReply {
    /// Identifies the registration.
    pub registration_id: String,
    /// Identifies this attempt.
    pub claim_attempt_id: String,
    /// The state of the claim.
    pub status: ClaimStatus,
    /// Until when the person may answer.
    pub expires_at: String,
    /// The same, counted from now.
    pub expires_in: u64,
    /// How long to wait between two polls.
    pub interval: u64,
    /// Two words of the message by which the person recognises the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_phrase: Option<String>,
}

/// The reply once a person has agreed.
#[derive(Serialize)]
pub struct ClaimCompletedReply {
    /// Identifies the registration.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// The state of the claim.
    pub status: ClaimStatus,
    /// What kind of credential the agent has.
    pub credential_type: CredentialType,
    /// A new credential; `None` if the one that the agent holds was widened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// When the credential expires.
    pub credential_expires: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
}

/// The state of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// A person is being asked.
    Initiated,
    /// They have agreed.
    Claimed,
}

/// The reply of the token endpoint, under the names of both protocols.
#[derive(Serialize)]
pub struct TokenReply {
    /// The credential itself.
    pub access_token: String,
    /// [`TOKEN_TYPE`].
    pub token_type: &'static str,
    /// How long it is valid.
    pub expires_in: u64,
    /// What it may be used for, in the form of OAuth.
    pub scope: String,
    /// Identifies the registration.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// The same credential in the form in which a registration returns it.
    #[serde(flatten)]
    pub issued: IssuedReply,
}
