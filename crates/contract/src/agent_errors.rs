//! Errors of the registration flow: code, message and resolution. The sidecar's HTTP layer adds the status.

use serde::{Deserialize, Serialize};

use crate::{
    coded::coded,
    errors::{ErrorCode, ErrorResponse},
};

/// Maximum length, in bytes, of the body of a request to register, to claim or to obtain a credential.
pub const MAX_BODY_BYTES: usize = 32 * 1024;

/// The body of every error reply of the registration flow: the members of the content API's error reply, those of
/// OAuth, and hints for the next request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentErrorResponse {
    /// Stable code for programs.
    pub error: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub resolution: String,
    /// The same as `message` (RFC 6749, 5.2).
    pub error_description: String,
    /// The more specific code of an `invalid_grant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_detail: Option<String>,
    /// Maximum age of the user's sign-in at the provider, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<u64>,
    /// Seconds after which the request may be sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Seconds between two polls from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<u64>,
    /// Number of further codes that may be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts_remaining: Option<u8>,
}

/// Message for a registration without further codes, with [`AgentErrorCode::RateLimited`].
pub const NO_CODES_LEFT: &str = "This registration has used up its codes.";
/// Resolution of [`NO_CODES_LEFT`].
pub const NO_CODES_LEFT_RESOLUTION: &str =
    "Register again; this registration gets no other code, however long you wait.";

/// Message for an assertion about a user who is known under another identity, if the service sends no mail to request
/// consent; with [`AgentErrorCode::ClaimNotEnabled`].
pub const NO_MAIL_FOR_CLAIM: &str = "The user's address is known here under another identity, and the user cannot be \
     asked because this service sends no mail.";
/// Resolution of [`NO_MAIL_FOR_CLAIM`].
pub const NO_MAIL_FOR_CLAIM_RESOLUTION: &str = "Send an assertion of the identity under which the user came here before, \
     or register without the user's identity where the authorization server metadata offers that.";

/// Message of the registration flow if no registration is offered.
pub const NOTHING_OFFERED: &str = "No registration is offered here, of any kind.";
/// Resolution of [`NOTHING_OFFERED`].
pub const NOTHING_OFFERED_RESOLUTION: &str = "Read the content without a credential: all of it is public.";

coded! {
    /// A stable error code of the registration flow.
    pub enum AgentErrorCode with as_str -> &'static str {
        /// The body is malformed.
        InvalidRequest: "invalid_request",
            "The request could not be understood.",
            "Correct the request as described in /auth.md and send it again.";
        /// The body is too large.
        PayloadTooLarge: "payload_too_large",
            "The request body is larger than this resource accepts.",
            "Send at most 32 KiB.";
        /// The body's media type is not supported.
        UnsupportedMediaType: "unsupported_media_type",
            "The media type of the request body is not supported.",
            "Send the media type that /auth.md names for this endpoint.";
        /// The credential type is not offered.
        UnsupportedCredentialType: "unsupported_credential_type",
            "This type of credential is not offered for this type of registration.",
            "Choose one of `credential_types_supported` in the authorization server metadata, or leave the field out.";
        /// The assertion type is not offered.
        UnsupportedAssertionType: "unsupported_assertion_type",
            "This type of assertion is not accepted here.",
            "Choose one of `assertion_types_supported` in the authorization server metadata, or, where there is none, \
             another of `identity_types_supported`.";
        /// Registration without an identity is off.
        AnonymousNotEnabled: "anonymous_not_enabled",
            "Anonymous registration is not offered here.",
            "Register with one of the assertion types that the authorization server metadata lists.";
        /// Registration with only an e-mail address is off.
        VerifiedEmailNotEnabled: "verified_email_not_enabled",
            "Registration by e-mail is not offered here.",
            "Register with another type that the authorization server metadata lists.";
        /// `login_hint` is no e-mail address; only in the identity profile.
        InvalidLoginHint: "invalid_login_hint",
            "`login_hint` is not an e-mail address.",
            "Send the user's whole e-mail address as `login_hint`.";
        /// The provider is not trusted.
        InvalidIssuer: "invalid_issuer",
            "The issuer of the token (`iss`) is not trusted here.",
            "Send an assertion whose `iss` is, character for character, a provider that the firm trusts, or use another \
             type of registration.";
        /// The signature is wrong.
        InvalidSignature: "invalid_signature",
            "The signature of the assertion could not be verified.",
            "Have the provider sign a new assertion with ES256, ES384, RS256, PS256 or EdDSA, as far as it may use them \
             here, by a key that it publishes, named in `kid`.";
        /// The assertion is for another service.
        InvalidAudience: "invalid_audience",
            "The assertion was made for another audience.",
            "Use the value of `resource` in the protected resource metadata as the only audience (`aud`), and, where \
             the assertion has `resource`, there too.";
        /// The assertion is no longer valid.
        Expired: "expired",
            "The assertion has expired (`exp`; clocks may differ by 60 seconds), or was made before the provider revoked \
             the user's access.",
            "Have the provider mint a new assertion, then send it at once.";
        /// The assertion was used already.
        ReplayDetected: "replay_detected",
            "The assertion was used before.",
            "Have the provider mint a new assertion with a fresh `jti` for each request.";
        /// The issuer may not assert for the client.
        InvalidClientId: "invalid_client_id",
            "The issuer may not make assertions for this client (`client_id`).",
            "Use the `client_id` for which the provider is trusted here; without another one it is the same as `iss`.";
        /// The assertion names no verified mailbox.
        MissingVerifiedEmail: "missing_verified_email",
            "The assertion carries no verified e-mail address or telephone number.",
            "Ask the user to verify an address at the provider, which then sends `email` with `email_verified` true, or \
             `phone_number` with `phone_number_verified` true; or register by e-mail.";
        /// The sign-in is too old.
        LoginRequired: "login_required",
            "The user's sign-in at the provider is unknown or too long ago: `auth_time` must be at most 3600 seconds ago.",
            "Let the user sign in at the provider again, then send a new assertion.";
        /// The same, at the token endpoint.
        InsufficientUserAuthentication: "insufficient_user_authentication",
            "The user's sign-in at the provider is unknown or too long ago: `auth_time` must be at most 3600 seconds ago.",
            "Let the user sign in at the provider again, then send a new assertion.";
        /// The user has to agree first.
        InteractionRequired: "interaction_required",
            "The user's address is known here under another identity, so the user has to agree first.",
            "Tell the user to follow the link that was sent by e-mail, then complete the claim with the code.";
        /// The claim token is unknown.
        InvalidClaimToken: "invalid_claim_token",
            "The claim token is not known.",
            "Register again to get a new one.";
        /// The registration is claimed, or can be claimed only by another person.
        ClaimedOrInFlight: "claimed_or_in_flight",
            "The registration was claimed already, or waits for the address that it was made for.",
            "Use the credential you hold, or hand in the code that the user of that address tells you; if a \
             credential did not arrive, poll the token endpoint with the claim grant.";
        /// The registration was claimed.
        PreviouslyClaimed: "previously_claimed",
            "The registration was claimed already.",
            "Poll the token endpoint with the claim grant if the credential did not arrive.";
        /// The registration is over.
        ClaimExpired: "claim_expired",
            "The registration, or this one request to agree to it, is over.",
            "Register again; where only the request is over, start a fresh claim with the same claim token.";
        /// The person refused.
        AccessDenied: "access_denied",
            "The person who was asked refused.",
            "Do not ask this person again for this registration.";
        /// A newer attempt replaced this one.
        ClaimSuperseded: "claim_superseded",
            "This request is void: a newer one took its place, or it was never made.",
            "Use the link of the latest message.";
        /// The claim of the link is already complete.
        ClaimCompleted: "claim_completed",
            "The agent has been given access already.",
            "Nothing is left to do; access can be revoked at /agent/access.";
        /// The service sends no mail, so claims are not possible.
        ClaimNotEnabled: "claim_not_enabled",
            "No claim is possible here, because this service sends no mail.",
            "Use the registration as it is; do not ask for a claim again.";
        /// The code is wrong.
        OtpInvalid: "otp_invalid",
            "The code is not right.",
            "Ask the user to read the code again; after five wrong codes start a fresh claim.";
        /// The code has expired, or has no tries left.
        OtpExpired: "otp_expired",
            "The code has expired or was tried too often.",
            "Start a fresh claim with the same claim token.";
        /// The code has not been shown yet.
        OtpNotGenerated: "otp_not_generated",
            "The user has not asked for the code yet.",
            "Ask the user to open the link in the message and to choose \"Show code\".";
        /// The claim is not completed yet.
        AuthorizationPending: "authorization_pending",
            "The claim is not completed yet.",
            "Hand in the code that the user tells you; where another process does, poll again after the interval.";
        /// Polled too early.
        SlowDown: "slow_down",
            "The token endpoint was polled before the interval had passed.",
            "Wait for the number of seconds in `interval` between two polls from now on.";
        /// The registration, or its code, is over.
        ExpiredToken: "expired_token",
            "The time to complete the claim is over.",
            "Start a fresh claim with the same claim token, or register again.";
        /// The grant is not valid.
        InvalidGrant: "invalid_grant",
            "The grant is not valid: it is unknown, revoked, or was used already.",
            "Register again.";
        /// Not a grant of this service.
        UnsupportedGrantType: "unsupported_grant_type",
            "This grant type is not supported.",
            "Use one of `grant_types_supported` in the authorization server metadata.";
        /// Not a scope of this service.
        InvalidScope: "invalid_scope",
            "A scope is unknown, malformed, or not in the assertion.",
            "Use scopes of `scopes_supported` in the authorization server metadata that the assertion grants, or leave \
             `scope` out.";
        /// Not a resource of this service.
        InvalidTarget: "invalid_target",
            "The resource is not one that this service issues tokens for.",
            "Send the value of `resource` in the protected resource metadata, or leave it out.";
        /// The client is not authenticated.
        InvalidClient: "invalid_client",
            "The client could not be authenticated.",
            "Send the client's secret to /oauth2/token, or none.";
        /// There is no sign-in, so no response type is supported.
        UnsupportedResponseType: "unsupported_response_type",
            "Nobody signs in here, so no response type is supported.",
            "Register as described in /auth.md; there is no sign-in to send a person to.";
        /// Too many requests.
        RateLimited: "rate_limited",
            "Too many requests of this kind were made.",
            "Wait for the number of seconds in `Retry-After`, then try again.";
        /// The store or a provider is not available.
        TemporarilyUnavailable: "temporarily_unavailable",
            "A part of the service that this request needs is not available at the moment.",
            "Wait for the number of seconds in `Retry-After`, then send the same request again.";
        /// A defect of the service.
        InternalError: "internal_error",
            "The service could not complete the request.",
            "Try again later; if it persists, report it to the firm with the value of `X-Request-Id`.";
    }
}

impl AgentErrorCode {
    /// Returns the error reply.
    #[must_use]
    pub fn response(self) -> AgentErrorResponse {
        AgentErrorResponse {
            error: self.as_str().to_owned(),
            message: self.message().to_owned(),
            resolution: self.resolution().to_owned(),
            error_description: self.message().to_owned(),
            ..AgentErrorResponse::default()
        }
    }
}

impl AgentErrorCode {
    /// Returns the name of the code in [`Profile::Identity`](crate::agent_auth::Profile::Identity).
    #[must_use]
    pub const fn as_str_of_identity(self) -> &'static str {
        match self {
            Self::OtpInvalid => "invalid_user_code",
            Self::OtpExpired => "user_code_expired",
            Self::OtpNotGenerated => "claim_not_confirmed",
            Self::VerifiedEmailNotEnabled => "service_auth_not_enabled",
            other => other.as_str(),
        }
    }
}

/// Converts an error of the content API into the form of the registration flow.
impl From<ErrorCode> for AgentErrorResponse {
    fn from(code: ErrorCode) -> Self {
        let ErrorResponse { error, message, resolution } = code.response();
        Self { error, error_description: message.clone(), message, resolution, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolution_of_payload_too_large_names_the_limit() {
        let resolution = AgentErrorCode::PayloadTooLarge.resolution();
        assert_eq!(resolution, format!("Send at most {} KiB.", MAX_BODY_BYTES / 1024));
    }

    #[test]
    fn codes_are_unique() {
        let mut codes: Vec<_> = AgentErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), AgentErrorCode::ALL.len());
    }

    #[test]
    fn descriptions_have_only_characters_that_oauth_allows() {
        for code in AgentErrorCode::ALL {
            let allowed = |byte: u8| matches!(byte, 0x20..=0x21 | 0x23..=0x5b | 0x5d..=0x7e);
            assert!(code.message().bytes().all(allowed), "{code:?}");
        }
    }
}
