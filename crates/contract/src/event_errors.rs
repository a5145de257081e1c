//! Error codes for rejected security event tokens of providers (RFC 8935, 2.4).

use crate::{agent_errors::AgentErrorCode, coded::coded};

coded! {
    /// Why a security event token was rejected.
    pub enum EventErrorCode with as_str -> &'static str {
        /// The token is not of the required type, or is too old.
        InvalidRequest: AgentErrorCode::InvalidRequest.as_str(),
            "The token cannot be used.",
            "Send a token of the kind that the media type says, made in the last seven days.";
        /// The token's key is not one of the issuer's.
        InvalidKey: "invalid_key",
            "The token is signed with a key or an algorithm that is none of its issuer's here.",
            "Publish the key under the name that the token has for it, then send the report again.";
        /// The issuer is not trusted.
        InvalidIssuer: AgentErrorCode::InvalidIssuer.as_str(),
            "The issuer of the token is not trusted here.",
            "Ask the firm to trust the provider; until then there is nothing here to end.";
        /// The token was made for another service.
        InvalidAudience: AgentErrorCode::InvalidAudience.as_str(),
            "The token was made for another audience.",
            "Use the value of `resource` in the protected resource metadata as the only audience.";
        /// The signature is not by the token's key.
        AuthenticationFailed: "authentication_failed",
            "The signature of the token is not by the key that it names.",
            "Sign the report with the key that it names, then send it again.";
    }
}
