//! An agent, and a person who reads mail, in the vocabulary of the tests.

use std::{fs, path::Path};

use contract::{
    agent_auth::{AssertionType, CLAIM_GRANT, CredentialType, EVENTS, ID_JAG_PROFILE, IdentityType, JWT_BEARER_GRANT},
    discovery::{AgentAuth, AnonymousSupport, AuthorizationServer, IdentityAssertionSupport},
    manifest::Class,
    media, routes,
    scopes::Scope,
    text::Uri,
};
use serde_json::{Value, json};

use crate::{
    client::Response,
    fixture::{Build, SITE, Site},
};

/// Returns a build that offers every kind of registration.
pub(crate) fn build() -> Build {
    build_of(&metadata())
}

/// Returns a build that offers only registrations without an identity.
pub(crate) fn anonymous_build() -> Build {
    let mut metadata = metadata();
    metadata.grant_types_supported = vec![CLAIM_GRANT.to_owned()];
    metadata.authorization_grant_profiles_supported = Vec::new();
    metadata.agent_auth.identity_types_supported = vec![IdentityType::Anonymous];
    metadata.agent_auth.identity_assertion = None;
    metadata.agent_auth.events_supported = Vec::new();
    build_of(&metadata)
}

fn build_of(metadata: &AuthorizationServer) -> Build {
    let mut build = Build::small();
    let text = serde_json::to_string(metadata).unwrap() + "\n";
    let variant = build.compressed("authorization-server.json", &text, media::JSON);
    build.route(routes::AUTHORIZATION_SERVER, Class::Discovery, None, vec![variant]);
    build.publish();
    build
}

fn metadata() -> AuthorizationServer {
    let uri = |path: &str| Uri::parse(&format!("{SITE}{path}")).unwrap();
    let none = || vec!["none".to_owned()];
    let both = || vec![CredentialType::ApiKey, CredentialType::AccessToken];
    AuthorizationServer {
        issuer: Uri::parse(SITE).unwrap(),
        token_endpoint: uri(routes::TOKEN),
        revocation_endpoint: uri(routes::REVOKE),
        grant_types_supported: vec![JWT_BEARER_GRANT.to_owned(), CLAIM_GRANT.to_owned()],
        response_types_supported: none(),
        token_endpoint_auth_methods_supported: none(),
        revocation_endpoint_auth_methods_supported: none(),
        authorization_grant_profiles_supported: vec![ID_JAG_PROFILE.to_owned()],
        scopes_supported: Scope::ALL.to_vec(),
        resource: Uri::parse(SITE).unwrap(),
        authorization_servers: vec![Uri::parse(SITE).unwrap()],
        bearer_methods_supported: vec!["header".to_owned()],
        service_documentation: uri("/en"),
        agent_auth: AgentAuth {
            skill: uri(routes::AUTH_MD),
            register_uri: uri(routes::REGISTER),
            claim_uri: uri(routes::CLAIM),
            revocation_uri: uri(routes::PROVIDER_REVOKE),
            identity_types_supported: vec![IdentityType::Anonymous, IdentityType::IdentityAssertion],
            identity_assertion: Some(IdentityAssertionSupport {
                assertion_types_supported: vec![AssertionType::IdJag, AssertionType::VerifiedEmail],
                credential_types_supported: both(),
            }),
            anonymous: Some(AnonymousSupport { credential_types_supported: both() }),
            events_supported: EVENTS.map(str::to_owned).to_vec(),
        },
    }
}

impl Site {
    /// Posts `body`, which is of `media_type`.
    pub(crate) fn post(&self, target: &str, media_type: &str, body: &str) -> Response {
        self.post_with(target, &[&format!("Content-Type: {media_type}")], body)
    }

    /// Posts `body` with these fields.
    pub(crate) fn post_with(&self, target: &str, lines: &[&str], body: &str) -> Response {
        let mut connection = self.connect();
        let lines = lines.join("\r\n");
        let text = format!(
            "POST {target} HTTP/1.1\r\nHost: test.example\r\n{lines}\r\nContent-Length: {}\r\n\r\n\
             {body}",
            body.len()
        );
        connection.send(text.as_bytes());
        connection.response(false).unwrap()
    }

    pub(crate) fn post_json(&self, target: &str, body: &Value) -> Response {
        self.post(target, "application/json", &body.to_string())
    }

    pub(crate) fn post_form(&self, target: &str, body: &str) -> Response {
        self.post(target, "application/x-www-form-urlencoded", body)
    }

    pub(crate) fn register(&self, body: &Value) -> Value {
        let response = self.post_json(routes::REGISTER, body);
        assert_eq!(response.status, 200, "{}", response.as_text());
        response.json()
    }

    pub(crate) fn anonymous(&self) -> Value {
        self.register(&json!({"type": "anonymous"}))
    }

    pub(crate) fn by_email(&self, email: &str) -> Value {
        self.register(&json!({"type": "identity_assertion", "assertion_type": "verified_email", "assertion": email}))
    }

    pub(crate) fn claim(&self, claim_token: &Value, email: &str) -> Response {
        self.post_json(routes::CLAIM, &json!({"claim_token": claim_token, "email": email}))
    }

    pub(crate) fn complete(&self, claim_token: &Value, otp: &str) -> Response {
        self.post_json(routes::CLAIM_COMPLETE, &json!({"claim_token": claim_token, "otp": otp}))
    }

    pub(crate) fn poll(&self, claim_token: &Value) -> Response {
        let claim_token = claim_token.as_str().unwrap();
        self.post_form(routes::TOKEN, &format!("grant_type={CLAIM_GRANT}&claim_token={claim_token}"))
    }

    /// Returns the status of a request to the content API with `credential`.
    pub(crate) fn try_credential(&self, credential: &Value) -> u16 {
        let line = format!("Authorization: Bearer {}", credential.as_str().unwrap());
        self.get_with(routes::TEAM, &[&line]).status
    }

    /// Waits for the letter after the first `seen` ones with a secret that begins with `prefix`, and returns its
    /// secret.
    pub(crate) fn link(&self, prefix: &str, seen: usize) -> String {
        let outbox = self.build.data().join("outbox");
        let mut found = String::new();
        self.wait_until(|_| {
            let letters = letters(&outbox);
            let links: Vec<_> = letters.iter().filter_map(|letter| token(letter, prefix)).collect();
            found = links.get(seen).cloned().unwrap_or_default();
            !found.is_empty()
        });
        found
    }

    /// Asks to see the code, as the person of `link`.
    pub(crate) fn show(&self, link: &str) -> Response {
        self.post_json(routes::CLAIM_CHALLENGE, &json!({"claim_attempt_token": link}))
    }

    /// Returns the code that the person of `link` sees.
    pub(crate) fn code(&self, link: &str) -> String {
        let response = self.show(link);
        assert_eq!(response.status, 200, "{}", response.as_text());
        response.json()["challenge"].as_str().unwrap().to_owned()
    }
}

/// Returns the letters in `folder`, oldest first.
fn letters(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
    paths.sort();
    paths.into_iter().map(|path| fs::read_to_string(path).unwrap().replace("=\r\n", "")).collect()
}

/// Returns the first secret in `letter` that begins with `prefix`.
fn token(letter: &str, prefix: &str) -> Option<String> {
    let rest = &letter[letter.find(prefix)?..];
    Some(rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect())
}
