//! Requests that agents and people send to the service, over a connection that may break.

use std::io;

use contract::{agent_auth::CLAIM_GRANT, routes};
use serde_json::{Value, json};

use crate::{
    firm::Firm,
    http::{Connection, Reply},
    mcp::message,
    service::Service,
};

/// The header line of a body in JSON.
pub const JSON: &str = "Content-Type: application/json";
/// The header line of a form.
pub const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// The vocabulary of registration.
///
/// # Errors
/// Each method fails if the connection does; the request may have taken effect all the same.
#[expect(missing_docs, clippy::missing_errors_doc, reason = "the names are those of the specification")]
pub trait Agent {
    fn post(&mut self, path: &str, body: &Value) -> io::Result<Reply>;
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

    /// Opens `link` as its person.
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
    fn post(&mut self, path: &str, body: &Value) -> io::Result<Reply> {
        self.ask("POST", path, &[JSON], body.to_string().as_bytes())
    }

    fn form(&mut self, path: &str, body: &str) -> io::Result<Reply> {
        self.ask("POST", path, &[FORM], body.as_bytes())
    }

    fn content(&mut self, credential: Option<&str>) -> io::Result<Reply> {
        let bearer = credential.map(bearer);
        self.ask("GET", routes::TEAM, &Vec::from_iter(bearer.as_deref()), b"")
    }

    fn mcp(&mut self, credential: Option<&str>) -> io::Result<Reply> {
        let bearer = credential.map(bearer);
        let lines: Vec<&str> = [JSON].into_iter().chain(bearer.as_deref()).collect();
        self.ask("POST", routes::MCP, &lines, message("tools/list", &json!({})).as_bytes())
    }
}

/// The same vocabulary with a new connection for each request, for services that answer.
#[expect(missing_docs, reason = "the names are those of the specification")]
impl<F: Firm> Service<F> {
    pub fn post_json(&self, target: &str, body: &Value) -> Reply {
        expect_reply(self.connection().post(target, body))
    }

    pub fn post_form(&self, target: &str, body: &str) -> Reply {
        expect_reply(self.connection().form(target, body))
    }

    pub fn register(&self) -> Value {
        expect_success(&expect_reply(self.connection().register()))
    }

    /// Registers with a valid body.
    pub fn register_as(&self, body: &Value) -> Value {
        expect_success(&self.post_json(routes::REGISTER, body))
    }

    pub fn register_by_mail(&self, mailbox: &str) -> Value {
        expect_success(&expect_reply(self.connection().register_by_mail(mailbox)))
    }

    pub fn claim(&self, claim_token: &Value, mailbox: &str) -> Reply {
        expect_reply(self.connection().claim(text(claim_token), mailbox))
    }

    /// Returns the page with the code behind `link`.
    pub fn show_code(&self, link: &str) -> Reply {
        expect_reply(self.connection().show_code(link))
    }

    /// Returns the code.
    pub fn code(&self, link: &str) -> String {
        self.show_code(link).text_of("challenge")
    }

    pub fn complete(&self, claim_token: &Value, code: &str) -> Reply {
        expect_reply(self.connection().complete(text(claim_token), code))
    }

    pub fn redeem(&self, claim_token: &Value) -> Reply {
        expect_reply(self.connection().redeem(text(claim_token)))
    }

    /// Returns the status of a request to the content API.
    pub fn try_credential(&self, credential: &Value) -> u16 {
        expect_reply(self.connection().content(Some(text(credential)))).status
    }
}

fn expect_reply(reply: io::Result<Reply>) -> Reply {
    reply.expect("an answer")
}

fn expect_success(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.as_text());
    reply.json()
}

fn text(member: &Value) -> &str {
    member.as_str().expect("a text")
}

fn bearer(credential: &str) -> String {
    format!("Authorization: Bearer {credential}")
}
