//! Requests that agents and people send to the service, over a connection that may break.

use std::io;

use contract::{agent_auth::CLAIM_GRANT, routes};
use serde_json::json;

use crate::http::{Connection, Reply};

const JSON: &str = "Content-Type: application/json";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// The vocabulary of registration.
///
/// # Errors
/// Each method fails if the connection does; the request may have taken effect all the same.
#[expect(missing_docs, clippy::missing_errors_doc, reason = "the names are those of the specification")]
pub trait Agent {
    fn post(&mut self, path: &str, body: &serde_json::Value) -> io::Result<Reply>;
    fn form(&mut self, path: &str, body: &str) -> io::Result<Reply>;
    fn content(&mut self, credential: Option<&str>) -> io::Result<Reply>;

    fn register(&mut self) -> io::Result<Reply> {
        self.post(routes::REGISTER, &json!({ "type": "anonymous" }))
    }

    fn register_by_mail(&mut self, mailbox: &str) -> io::Result<Reply> {
        let body = json!({ "type": "identity_assertion", "assertion_type": "verified_email", "assertion": mailbox });
        self.post(routes::REGISTER, &body)
    }

    fn claim(&mut self, claim_token: &str, mailbox: &str) -> io::Result<Reply> {
        self.post(routes::CLAIM, &json!({ "claim_token": claim_token, "email": mailbox }))
    }

    /// Does what the person who got `link` does.
    fn show_code(&mut self, link: &str) -> io::Result<Reply> {
        self.post(routes::CLAIM_CHALLENGE, &json!({ "claim_attempt_token": link }))
    }

    fn complete(&mut self, claim_token: &str, code: &str) -> io::Result<Reply> {
        self.post(routes::CLAIM_COMPLETE, &json!({ "claim_token": claim_token, "otp": code }))
    }

    /// Polls with the claim grant.
    fn redeem(&mut self, claim_token: &str) -> io::Result<Reply> {
        self.form(routes::TOKEN, &format!("grant_type={}&claim_token={claim_token}", CLAIM_GRANT.replace(':', "%3A")))
    }

    fn revoke(&mut self, token: &str) -> io::Result<Reply> {
        self.form(routes::REVOKE, &format!("token={token}"))
    }

    /// Sends a model's request.
    fn mcp(&mut self, credential: Option<&str>) -> io::Result<Reply>;
}

impl Agent for Connection {
    fn post(&mut self, path: &str, body: &serde_json::Value) -> io::Result<Reply> {
        self.ask("POST", path, &[JSON], body.to_string().as_bytes())
    }

    fn form(&mut self, path: &str, body: &str) -> io::Result<Reply> {
        self.ask("POST", path, &[FORM], body.as_bytes())
    }

    fn content(&mut self, credential: Option<&str>) -> io::Result<Reply> {
        let bearer = credential.map(bearer);
        self.ask("GET", routes::CONTACT, &Vec::from_iter(bearer.as_deref()), b"")
    }

    fn mcp(&mut self, credential: Option<&str>) -> io::Result<Reply> {
        let bearer = credential.map(bearer);
        let lines: Vec<&str> = [JSON].into_iter().chain(bearer.as_deref()).collect();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        self.ask("POST", routes::MCP, &lines, body.to_string().as_bytes())
    }
}

fn bearer(credential: &str) -> String {
    format!("Authorization: Bearer {credential}")
}
