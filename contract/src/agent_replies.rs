//! What the registration flow answers where it did what it was asked (specification, "Registration" and "Claim
//! ceremony"; RFC 6749, 5.1). Moments are RFC 3339 with milliseconds, durations are seconds.
//!
//! Security: credentials stand here in clear, so none of these has a `Debug` form.

use serde::Serialize;

use crate::{
    agent_auth::{CredentialType, RegistrationType},
    scopes::Scope,
};

/// How a credential is sent (RFC 6750).
pub const TOKEN_TYPE: &str = "Bearer";
/// Seconds between the first polls of a claim (RFC 8628, 3.5); who is in haste waits longer.
pub const POLL_INTERVAL: u64 = 5;
/// Seconds for which a registration waits for a person.
pub const UNCLAIMED_LIFE: u64 = 24 * 60 * 60;
/// Seconds for which an access token is good.
pub const ACCESS_TOKEN_LIFE: u64 = 60 * 60;
/// Seconds that a person has for a question, and then for its code.
pub const CLAIM_LIFE: u64 = 10 * 60;

/// What was made of a registration.
#[derive(Serialize)]
pub struct RegisteredReply {
    /// Names the registration; it is no secret.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// What the agent may use at once.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub issued: Option<IssuedReply>,
    /// How a person can claim it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingReply>,
}

/// A credential.
#[derive(Serialize)]
pub struct IssuedReply {
    /// What it is.
    pub credential_type: CredentialType,
    /// The credential itself.
    pub credential: String,
    /// When it ends.
    pub credential_expires: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
}

/// With what a registration can be claimed.
#[derive(Serialize)]
pub struct PendingReply {
    /// Where a claim is started.
    pub claim_url: String,
    /// What proves there, and when polling, that the registration is the agent's own.
    pub claim_token: String,
    /// Until when it can be claimed.
    pub claim_token_expires: String,
    /// What the credential may be used for once a person has agreed.
    pub post_claim_scopes: Vec<Scope>,
    /// How to poll.
    pub claim: Polling,
}

/// How to ask whether the claim is complete (RFC 8628).
#[derive(Serialize)]
pub struct Polling {
    /// For how long it can be asked.
    pub expires_in: u64,
    /// How long to wait between two polls.
    pub interval: u64,
    /// Where to ask.
    pub token_endpoint: String,
    /// With which grant.
    pub grant_type: &'static str,
}

/// A person is being asked.
#[derive(Serialize)]
pub struct ClaimStartedReply {
    /// Names the registration.
    pub registration_id: String,
    /// Names this attempt.
    pub claim_attempt_id: String,
    /// How far the claim is.
    pub status: ClaimStatus,
    /// Until when the person may answer.
    pub expires_at: String,
    /// The same from now on.
    pub expires_in: u64,
    /// How long to wait between two polls.
    pub interval: u64,
}

/// A person has agreed.
#[derive(Serialize)]
pub struct ClaimCompletedReply {
    /// Names the registration.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// How far the claim is.
    pub status: ClaimStatus,
    /// What kind of credential the agent has.
    pub credential_type: CredentialType,
    /// A new credential; nothing where the one that the agent holds was widened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// When the credential ends.
    pub credential_expires: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
}

/// How far a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// A person is being asked.
    Initiated,
    /// They have agreed.
    Claimed,
}

/// What the token endpoint hands out, under the names of both protocols.
#[derive(Serialize)]
pub struct TokenReply {
    /// The credential itself.
    pub access_token: String,
    /// [`TOKEN_TYPE`].
    pub token_type: &'static str,
    /// How long it lives.
    pub expires_in: u64,
    /// What it may be used for, as OAuth writes it.
    pub scope: String,
    /// Names the registration.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// The same credential as a registration hands it out.
    #[serde(flatten)]
    pub issued: IssuedReply,
}
