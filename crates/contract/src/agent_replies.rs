//! Successful replies of the registration flow (specification, "Registration" and "Claim ceremony"; RFC 6749, 5.1).
//! Moments are RFC 3339 with milliseconds, durations are seconds.
//!
//! Security: the replies contain credentials in clear, so none implements `Debug`.

use serde::Serialize;

use crate::{
    agent_auth::{CredentialType, RegistrationType},
    routes,
    scopes::Scope,
};

/// How a credential is sent (RFC 6750).
pub const TOKEN_TYPE: &str = "Bearer";
/// Seconds between the first polls of a claim (RFC 8628, 3.5); polling too early raises the interval.
pub const POLL_INTERVAL: u64 = 5;
/// Seconds for which a registration can be claimed.
pub const UNCLAIMED_LIFE: u64 = 24 * 60 * 60;
/// Seconds for which an access token is valid.
pub const ACCESS_TOKEN_LIFE: u64 = 60 * 60;
/// Seconds for which the link in a message is valid; delivery may take a while.
pub const LINK_LIFE: u64 = 60 * 60;
/// Seconds for which a code is valid, from its display on.
pub const CODE_LIFE: u64 = 10 * 60;

/// The reply to a registration.
#[derive(Serialize)]
pub struct RegisteredReply {
    /// Identifies the registration; it is not a secret.
    pub registration_id: String,
    /// The origin of the registration.
    pub registration_type: RegistrationType,
    /// The credential for immediate use.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub issued: Option<IssuedReply>,
    /// Data for a claim.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingReply>,
    /// What the agent does next, in a sentence.
    pub next: String,
}

impl RegisteredReply {
    /// Creates the reply, with what the agent does next.
    pub fn new(
        registration_id: String,
        registration_type: RegistrationType,
        issued: Option<IssuedReply>,
        pending: Option<PendingReply>,
    ) -> Self {
        let with_credential = "Send `credential` as `Authorization: Bearer` to the API and to MCP.";
        let next = match (&issued, &pending) {
            (Some(_), Some(_)) => format!(
                "{with_credential} To let a person see and revoke this access, send `claim_token` and their `email` to \
                 `claim_url`."
            ),
            (_, None) => with_credential.to_owned(),
            (None, Some(_)) => format!(
                "Name both words of `match_phrase` to the user, who opens the link of the message and reads you a code. Send \
                 it as `otp`, with `claim_token`, to {}.",
                routes::CLAIM_COMPLETE
            ),
        };
        Self { registration_id, registration_type, issued, pending, next }
    }
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
    /// The granted scopes.
    pub scopes: Vec<Scope>,
}

/// Data for claiming a registration.
#[derive(Serialize)]
pub struct PendingReply {
    /// The address that starts a claim.
    pub claim_url: String,
    /// Authenticates the agent there and when polling.
    pub claim_token: String,
    /// The end of the time to claim.
    pub claim_token_expires: String,
    /// The scopes after a claim.
    pub post_claim_scopes: Vec<Scope>,
    /// Data for polling.
    pub claim: Polling,
    /// Two words in the message by which the person recognises the agent, if a claim is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_phrase: Option<String>,
}

/// Data for polling for a complete claim (RFC 8628).
#[derive(Serialize)]
pub struct Polling {
    /// Seconds for which polling is possible.
    pub expires_in: u64,
    /// Seconds between two polls.
    pub interval: u64,
    /// The address to poll.
    pub token_endpoint: String,
    /// The grant type to use.
    pub grant_type: &'static str,
}

/// The reply about the registration of a credential.
#[derive(Serialize)]
pub struct RegistrationStatusReply {
    /// Identifies the registration.
    pub registration_id: String,
    /// `unclaimed`, `pending` or `claimed`.
    pub state: &'static str,
    /// Whether a person has agreed, or a provider has vouched for one.
    pub claimed: bool,
    /// When the credential expires.
    pub credential_expires: String,
    /// What the credential may be used for.
    pub scopes: Vec<Scope>,
}

/// The reply to a started claim.
#[derive(Serialize)]
pub struct ClaimStartedReply {
    /// Identifies the registration.
    pub registration_id: String,
    /// Identifies this attempt.
    pub claim_attempt_id: String,
    /// The state of the claim.
    pub status: ClaimStatus,
    /// The end of the time to answer.
    pub expires_at: String,
    /// Seconds until then.
    pub expires_in: u64,
    /// Seconds between two polls.
    pub interval: u64,
    /// Two words in the message by which the person recognises the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_phrase: Option<String>,
}

/// The reply to a completed claim.
#[derive(Serialize)]
pub struct ClaimCompletedReply {
    /// Identifies the registration.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// The state of the claim.
    pub status: ClaimStatus,
    /// The type of the agent's credential.
    pub credential_type: CredentialType,
    /// A new credential; `None` if the existing one received more scopes.
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
    /// The claim is open.
    Initiated,
    /// The person has agreed.
    Claimed,
}

/// The reply of the token endpoint, under the names of both protocols.
#[derive(Serialize)]
pub struct TokenReply {
    /// The credential itself.
    pub access_token: String,
    /// [`TOKEN_TYPE`].
    pub token_type: &'static str,
    /// Seconds for which it is valid.
    pub expires_in: u64,
    /// The granted scopes in the form of OAuth.
    pub scope: String,
    /// Identifies the registration.
    pub registration_id: String,
    /// How it began.
    pub registration_type: RegistrationType,
    /// The same credential in the form of a registration reply.
    #[serde(flatten)]
    pub issued: IssuedReply,
}
