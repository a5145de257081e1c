//! Fixtures for the tests of this crate and of those that use it: a trusted provider, valid claims of its tokens, keys
//! that sign, and servers of keys.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

mod certificate;
mod key_server;
mod signer;

use std::path::Path;

use clock::Time;
use contract::agent_auth::LOGOUT_EVENT;
use serde_json::{Value, json};

pub use self::{
    certificate::Certified,
    key_server::{KeyServer, answer},
    signer::{Signer, base64url, with},
};
use crate::{Keys, Trust, Verifier};

pub const ISSUER: &str = "https://agents.example";
pub const SITE: &str = "https://firm.example";
/// The time of all tests, in seconds since 1970.
pub const NOW_SECONDS: i64 = 1_767_225_600;

/// Returns the time of all tests: 2026-01-01T00:00:00Z.
pub fn now() -> Time {
    Time::from_millis(NOW_SECONDS * 1000)
}

/// Returns a trust list with one provider, which has the public keys of `signers`.
pub fn trust(signers: &[&Signer]) -> Trust {
    let keys: Vec<_> = signers.iter().map(|signer| signer.jwk.clone()).collect();
    let text = format!(
        "[[provider]]\nissuer = '{ISSUER}'\nname = 'Example Agents'\nclient_ids = ['{ISSUER}', 'agent-7']\njwks = '{}'\n",
        json!({ "keys": keys })
    );
    Trust::parse(Path::new("trust.toml"), &text).unwrap()
}

/// Returns a verifier that trusts one provider with the keys of `signers`.
pub fn verifier(signers: &[&Signer]) -> Verifier {
    let audiences = ["", "/mcp", "/api/v1"].map(|path| format!("{SITE}{path}")).to_vec();
    Verifier::new(trust(signers), audiences, &Keys::over_https())
}

/// Returns the claims of a valid assertion.
pub fn assertion_claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "user-1", "aud": SITE, "client_id": "agent-7", "jti": "jti-1",
        "iat": NOW_SECONDS - 10, "exp": NOW_SECONDS + 290, "auth_time": NOW_SECONDS - 600,
        "email": "ayse@client.example", "email_verified": true,
    })
}

/// Returns the claims of a report that revokes the registrations of a user.
pub fn event_claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "user-1", "aud": SITE, "jti": "event-1", "iat": NOW_SECONDS - 10,
        "events": { LOGOUT_EVENT: {} },
    })
}
