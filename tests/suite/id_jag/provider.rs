//! An agent provider that publishes its keys on this machine and signs assertions and events.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tests::SITE_URL;

use self::{
    key_server::{KeyServer, answer},
    signer::{Signer, with},
};

#[expect(unreachable_pub, reason = "the tests of the providers, where it stands, share it")]
#[path = "../../../crates/providers/src/testing/key_server.rs"]
mod key_server;

#[expect(dead_code, unreachable_pub, reason = "the tests of the providers, where it stands, use more of it")]
#[path = "../../../crates/providers/src/testing/signer.rs"]
mod signer;

/// A confidential client.
pub(crate) const CLIENT: &str = "https://agents.example/client";
/// Its secret, with characters that a form must encode.
pub(crate) const SECRET: &str = "a+b/c:d%";
const SECRET_SHA256: &str = "a606f2fb95f786e625a1f5a00890f000bc77f3276f8d320384dfcf6b6e394a80";

/// A provider for the clients `agent-7` and [`CLIENT`]. It signs with its newest key.
pub(crate) struct Provider {
    server: KeyServer,
    signer: Signer,
    tokens: AtomicU32,
}

impl Provider {
    /// Starts a provider with a key of this name.
    pub(crate) fn with_key(kid: &str) -> Self {
        let signer = Signer::es256(kid);
        let server = KeyServer::keys(&json!({ "keys": [signer.jwk] }));
        Self { server, signer, tokens: AtomicU32::new(0) }
    }

    /// Returns the entry of this provider in a trust list.
    pub(crate) fn entry(&self) -> String {
        let issuer = self.server.url();
        let digest = SECRET_SHA256;
        format!(
            "[[provider]]\nissuer = '{issuer}'\nname = 'Example Agents'\nclient_ids = ['agent-7']\n\
             [[provider.client]]\nid = '{CLIENT}'\nsecret_sha256 = '{digest}'\n"
        )
    }

    /// Replaces the published key with a new one.
    pub(super) fn change_key(&mut self, kid: &str) {
        self.signer = Signer::es256(kid);
        self.server.publish(&json!({ "keys": [self.signer.jwk] }));
    }

    /// Sets the `Cache-Control` of the keys.
    pub(super) fn publish_for(&self, cache_control: &str) {
        let fields = format!("Content-Type: application/json\r\nCache-Control: {cache_control}\r\n");
        let whole = answer("200 OK", &fields, &json!({ "keys": [self.signer.jwk] }).to_string());
        self.server.answer_with(whole);
    }

    /// Sets whether every request fails.
    pub(super) fn is_down(&self, is_down: bool) {
        self.server.fail(is_down);
    }

    /// Returns the requested paths, in order.
    pub(crate) fn requested_paths(&self) -> Vec<String> {
        self.server.paths()
    }

    /// Returns an assertion about a new user at `now`, in seconds, valid except for `changes`.
    pub(crate) fn assertion(&self, now: i64, changes: &Value) -> String {
        let number = self.tokens.fetch_add(1, Ordering::Relaxed);
        let claims = json!({
            "iss": self.server.url(), "sub": format!("user-{number}"), "aud": SITE_URL, "client_id": "agent-7",
            "jti": format!("jti-{number}"), "iat": now, "exp": now + 300, "auth_time": now - 600,
            "email": format!("user-{number}@p{}.client.example", self.server.port()), "email_verified": true,
        });
        self.signer.assertion(&with(claims, changes))
    }

    /// Returns an assertion with another signer's key under the name `kid`.
    pub(crate) fn forge_assertion(&self, kid: &str, now: i64) -> String {
        let claims = json!({ "iss": self.server.url(), "iat": now });
        let stranger = Signer::es256(kid);
        stranger.assertion(&claims)
    }

    /// Returns a session-revoked event about `sub` at `now`, in seconds.
    pub(crate) fn report(&self, sub: &str, now: i64) -> String {
        self.report_of("https://schemas.openid.net/secevent/caep/event-type/session-revoked", sub, now, &json!({}))
    }

    /// Returns a security event token of `event`, valid except for `changes`.
    pub(crate) fn report_of(&self, event: &str, sub: &str, now: i64, changes: &Value) -> String {
        self.signer.sign(&self.signer.header("secevent+jwt"), &self.event_claims(event, sub, now, changes))
    }

    /// Returns a logout token of `event`.
    pub(crate) fn logout(&self, event: &str, sub: &str, now: i64) -> String {
        self.signer.sign(&self.signer.header("logout+jwt"), &self.event_claims(event, sub, now, &json!({})))
    }

    fn event_claims(&self, event: &str, sub: &str, now: i64, changes: &Value) -> Value {
        let number = self.tokens.fetch_add(1, Ordering::Relaxed);
        let claims = json!({
            "iss": self.server.url(), "sub": sub, "aud": SITE_URL, "jti": format!("jti-{number}"), "iat": now,
            "events": { event: {} },
        });
        with(claims, changes)
    }
}
