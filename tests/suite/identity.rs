//! Specification, "Registration in the identity profile": the calls of public clients of the auth.md protocol, in
//! order, and refusals.

use std::{fs, time::Duration};

use contract::{agent_auth::JWT_BEARER_GRANT, routes};
use serde_json::{Value, json};
use sidecar::LimitSettings;
use tests::{
    Agent as _, BuiltFirm, FORM, Firm as _, JSON, Reply, SITE_URL, Service, build, built, content_of, copy_folder,
};

use crate::{
    id_jag::{Provider, Scene},
    resources::has_exactly,
};

const ADA: &str = "ada@client.example";
/// The minimum pause between two messages that makes the second one newer.
const LATER: Duration = Duration::from_secs(2);
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// A client that uses only the address of the service and the members that public clients read.
struct PublicClient<'a> {
    service: &'a Service,
    metadata: Value,
}

impl<'a> PublicClient<'a> {
    fn of(service: &'a Service) -> Self {
        let metadata = service.get("/.well-known/oauth-authorization-server", &[]).json();
        Self { service, metadata }
    }

    fn endpoint(&self, name: &str) -> &str {
        own_path(&self.metadata["agent_auth"][name])
    }

    fn post(&self, path: &str, body: &Value) -> Reply {
        self.service.connection().post(path, body).unwrap()
    }

    fn register(&self, body: &Value) -> Reply {
        self.post(self.endpoint("identity_endpoint"), body)
    }

    fn service_auth(&self, email: &str) -> Reply {
        self.register(&json!({ "type": "service_auth", "login_hint": email }))
    }

    fn start_claim(&self, registered: &Value, email: &str) -> Reply {
        let claim = &registered["claim"];
        let body = json!({ "type": "service_auth", "claim_token": claim["token"], "login_hint": email });
        self.post(own_path(&claim["url"]), &body)
    }

    fn complete(&self, registered: &Value, code: &str) -> Reply {
        let path = format!("{}/complete", self.endpoint("claim_endpoint"));
        self.post(&path, &json!({ "claim_token": registered["claim"]["token"], "user_code": code }))
    }

    fn exchange(&self, reply: &Value) -> Reply {
        let assertion = reply["identity"]["assertion"].as_str().expect("an assertion");
        let body = format!("grant_type={}&assertion={assertion}", JWT_BEARER_GRANT.replace(':', "%3A"));
        self.service.post_form(own_path(&self.metadata["token_endpoint"]), &body)
    }

    /// Exchanges the assertion of `reply`; returns the scopes of the token, which the API must accept.
    fn scope(&self, reply: &Value) -> String {
        let token = self.exchange(reply).json();
        assert_eq!(token["token_type"], "Bearer");
        assert!(token["expires_in"].as_u64().is_some_and(|seconds| seconds > 60), "{token}");
        assert_eq!(self.service.try_credential(&token["access_token"]), 200);
        token["scope"].as_str().unwrap().to_owned()
    }
}

fn own_path(address: &Value) -> &str {
    let address = address.as_str().expect("an address");
    address.strip_prefix(SITE_URL).expect("an address of the site")
}

/// Returns the body of a successful reply.
fn expect_success(reply: &Reply) -> Value {
    assert_eq!((reply.status, reply.header("cache-control")), (200, Some("no-store")), "{}", reply.text());
    reply.json()
}

const BEFORE: &str = "mcp.read content.read";
const ALL: &str = "openid profile mcp.read content.read";

fn sorted_scopes(scope: &str) -> Vec<&str> {
    let mut scopes: Vec<_> = scope.split(' ').collect();
    scopes.sort_unstable();
    scopes
}

#[test]
fn anonymous_client_gets_a_token_and_wider_scopes_after_the_claim() {
    let service = Service::of("firm");
    let client = PublicClient::of(&service);
    let registered = expect_success(&client.register(&json!({ "type": "anonymous" })));
    has_exactly(&registered, &["id", "type", "identity", "claim", "scopes"], &[]);
    has_exactly(&registered["identity"], &["assertion", "expires_at"], &[]);
    has_exactly(&registered["claim"], &["token", "url", "expires_at"], &[]);
    assert_eq!(sorted_scopes(&client.scope(&registered)), sorted_scopes(BEFORE));
    let started = expect_success(&client.start_claim(&registered, ADA));
    has_exactly(&started, &["id", "type", "attempt"], &[]);
    has_exactly(&started["attempt"], &["verification_uri", "expires_at", "match_phrase"], &[]);
    let link = service.outbox().wait(ADA);
    assert!(!started.to_string().contains(&link), "the link is for the mailbox alone");
    client.complete(&registered, "123456").assert_refused(400, "claim_not_confirmed");
    let completed = expect_success(&client.complete(&registered, &service.code(&link)));
    has_exactly(&completed, &["id", "status", "identity", "scopes"], &[]);
    assert_eq!((&completed["id"], &completed["status"]), (&registered["id"], &json!("claimed")));
    assert_eq!(sorted_scopes(&client.scope(&completed)), sorted_scopes(ALL));
    client.exchange(&registered).assert_refused(400, "invalid_grant");
}

#[test]
fn client_with_a_login_hint_waits_for_the_code_of_its_user() {
    let service = Service::of("firm");
    let client = PublicClient::of(&service);
    let registered = expect_success(&client.service_auth(ADA));
    has_exactly(&registered, &["id", "type", "claim", "scopes"], &[]);
    assert_eq!(registered["type"], "service_auth");
    let attempt = &registered["claim"]["attempt"];
    has_exactly(attempt, &["verification_uri", "expires_at", "match_phrase"], &[]);
    // The page at this address explains, in the language of the reader, where the code is.
    for (language, word) in [("en", "e-mail"), ("tr", "e-posta")] {
        let page = service.get(own_path(&attempt["verification_uri"]), &[&format!("Accept-Language: {language}")]);
        assert_eq!((page.status, page.header("content-language")), (200, Some(language)));
        assert!(page.text().contains(word), "{}", page.text());
    }
    let link = service.outbox().wait(ADA);
    let code = service.code(&link);
    let wrong = if code == "111111" { "222222" } else { "111111" };
    let refused = client.complete(&registered, wrong);
    refused.assert_refused(401, "invalid_user_code");
    assert_eq!(refused.header("www-authenticate"), Some("AgentAuth error=\"invalid_user_code\""));
    // Both profiles share the limit of five guesses.
    let token = &registered["claim"]["token"];
    let other = service.complete(token, wrong);
    assert_eq!((other.text_of("error").as_str(), &other.json()["attempts_remaining"]), ("otp_invalid", &json!(3)));
    let completed = expect_success(&client.complete(&registered, &code));
    assert_eq!(sorted_scopes(&client.scope(&completed)), sorted_scopes(ALL));
    client.complete(&registered, &code).assert_refused(409, "previously_claimed");
    // A claim for another person is refused.
    client.start_claim(&registered, "bob@client.example").assert_refused(409, "claimed_or_in_flight");
}

#[test]
fn provider_assertion_is_exchanged_and_a_known_user_must_consent_first() {
    let provider = Provider::with_key("one");
    let scene = Scene::trusting(&[&provider]);
    let service = &scene.service;
    let client = PublicClient::of(service);
    let supported = &client.metadata["agent_auth"]["identity_assertion"]["assertion_types_supported"];
    assert!(supported.as_array().unwrap().contains(&json!(ID_JAG)));
    let by_provider = |changes: &Value| {
        let assertion = provider.assertion(scene.now(), changes);
        client.register(&json!({ "type": "identity_assertion", "assertion_type": ID_JAG, "assertion": assertion }))
    };
    let registered = expect_success(&by_provider(&json!({})));
    has_exactly(&registered, &["id", "type", "identity", "scopes"], &[]);
    assert_eq!(registered["type"], "identity_assertion");
    assert_eq!(sorted_scopes(&client.scope(&registered)), sorted_scopes(ALL));
    let stale = by_provider(&json!({ "auth_time": scene.now() - 7200 }));
    stale.assert_refused(401, "login_required");
    assert!(stale.header("www-authenticate").unwrap().contains("max_age=\"3600\""));

    // Ada is known by her mailbox, so the provider's assertion needs her consent.
    let first = expect_success(&client.service_auth(ADA));
    expect_success(&client.complete(&first, &service.code(&service.outbox().wait(ADA))));
    scene.pass(LATER);
    let consent = by_provider(&json!({ "sub": "ada", "email": ADA }));
    assert_eq!((consent.status, consent.text_of("error").as_str()), (401, "interaction_required"));
    let body = consent.json();
    assert!(body["claim"]["attempt"]["verification_uri"].is_string() && body["identity"].is_null(), "{body}");
    assert!(
        body.get("claim_token").is_none() && body.get("registration_id").is_none(),
        "no field of the other profile"
    );
    let code = service.code(&service.outbox().wait_for(ADA, 2));
    let linked = expect_success(&client.complete(&body, &code));
    assert_eq!(sorted_scopes(&client.scope(&linked)), sorted_scopes(ALL));
}

#[test]
fn assertion_ends_by_revocation_by_provider_event_and_by_the_user() {
    let provider = Provider::with_key("one");
    let scene = Scene::trusting(&[&provider]);
    let service = &scene.service;
    let client = PublicClient::of(service);
    let is_over = |reply: &Value| {
        client.exchange(reply).assert_refused(400, "invalid_grant");
        assert_eq!(service.try_credential(&reply["identity"]["assertion"]), 401);
    };
    let anonymous = expect_success(&client.register(&json!({ "type": "anonymous" })));
    let token = client.exchange(&anonymous).text_of("access_token");
    assert_eq!(
        service.post_form(own_path(&client.metadata["revocation_endpoint"]), &format!("token={token}")).status,
        200
    );
    is_over(&anonymous);

    let assertion = provider.assertion(scene.now(), &json!({ "sub": "grace", "email": "grace@client.example" }));
    let body = json!({ "type": "identity_assertion", "assertion_type": ID_JAG, "assertion": assertion });
    let registered = expect_success(&client.register(&body));
    let event = provider.report("grace", scene.now());
    let accepted = service.post(client.endpoint("events_endpoint"), &["Content-Type: application/secevent+jwt"], event);
    assert_eq!(accepted.status, 202);
    is_over(&registered);

    let registration = expect_success(&client.service_auth(ADA));
    let held = expect_success(&client.complete(&registration, &service.code(&service.outbox().wait(ADA))));
    scene.pass(LATER);
    assert_eq!(service.post_form(routes::ACCESS, "email=ada%40client.example").status, 200);
    let link = service.outbox().wait_for(ADA, 2);
    assert_eq!(service.post_form(routes::ACCESS_REVOKE, &format!("token={link}&which=all")).status, 200);
    is_over(&held);
}

/// Builds the small firm with this line in `[agents]`.
fn with_line(line: &str) -> BuiltFirm {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let settings = content.path().join("site.toml");
    let text = fs::read_to_string(&settings).unwrap().replace("[agents]\n", &format!("[agents]\n{line}\n"));
    fs::write(&settings, text).unwrap();
    build(content.path())
}

#[test]
fn profile_is_switched_off_by_one_setting_everywhere() {
    let service = with_line("profiles = [\"specification\"]").serve();
    let metadata = service.get(routes::AUTHORIZATION_SERVER, &[]).json();
    let auth = &metadata["agent_auth"];
    for absent in ["identity_endpoint", "claim_endpoint", "events_endpoint"] {
        assert!(auth.get(absent).is_none(), "{absent}: {auth}");
    }
    assert_eq!(auth["identity_types_supported"], json!(["anonymous", "identity_assertion"]));
    assert_eq!(metadata["grant_types_supported"], json!(["urn:mecelle:agent-auth:grant-type:claim"]));
    assert!(!service.get(routes::AUTH_MD, &[]).text().contains("identity_endpoint"));
    for path in [routes::IDENTITY, routes::IDENTITY_CLAIM, routes::IDENTITY_COMPLETE] {
        service.post_json(path, &json!({ "type": "anonymous" })).assert_refused(404, "not_found");
        assert_eq!(service.get(path, &[]).status, 404, "{path}");
    }
    let key = service.register()["credential"].as_str().unwrap().to_owned();
    let exchange = format!("grant_type={JWT_BEARER_GRANT}&assertion={key}");
    service.post_form(routes::TOKEN, &exchange).assert_refused(400, "unsupported_grant_type");
    // Both profiles are the default.
    let both = with_line("profiles = [\"specification\", \"identity\"]");
    let plain = built("firm");
    let document = routes::AUTHORIZATION_SERVER.trim_start_matches('/');
    assert_eq!(both.read(document), plain.read(document));
}

#[test]
fn service_without_mail_offers_public_clients_no_claim() {
    let scene = Scene::without_mail(&[]);
    let client = PublicClient::of(&scene.service);
    assert_eq!(client.metadata["agent_auth"]["identity_types_supported"], json!(["anonymous"]));
    client.service_auth(ADA).assert_refused(400, "service_auth_not_enabled");
    let registered = expect_success(&client.register(&json!({ "type": "anonymous" })));
    has_exactly(&registered, &["id", "type", "identity", "scopes"], &[]);
    assert_eq!(sorted_scopes(&client.scope(&registered)), sorted_scopes(BEFORE));
    let claim = json!({ "type": "service_auth", "claim_token": "clm_x", "login_hint": ADA });
    client.post(client.endpoint("claim_endpoint"), &claim).assert_refused(400, "claim_not_enabled");
    let by_provider = json!({ "type": "identity_assertion", "assertion_type": ID_JAG, "assertion": "a.b.c" });
    client.register(&by_provider).assert_refused(400, "unsupported_assertion_type");
}

#[test]
fn refusals_are_json_with_cors() {
    let service = Service::of("firm");
    for (path, body) in [
        (routes::IDENTITY, "{\"type\":\"robot\"}"),
        (routes::IDENTITY, "{\"type\":\"anonymous\",\"type\":\"anonymous\"}"),
        (routes::IDENTITY_CLAIM, "{}"),
        (routes::IDENTITY_COMPLETE, "[]"),
        (routes::IDENTITY_COMPLETE, "{\"claim_token\":\"clm_x\",\"otp\":\"123456\"}"),
    ] {
        let reply = service.post(path, &[JSON], body);
        reply.assert_refused(400, "invalid_request");
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
        service.post(path, &[FORM], body).assert_refused(415, "unsupported_media_type");
        let preflight = ["Origin: https://agent.example", "Access-Control-Request-Method: POST"];
        assert_eq!(service.request("OPTIONS", path, &preflight).status, 204, "{path}");
    }
    let hint = service.post_json(routes::IDENTITY, &json!({ "type": "service_auth", "login_hint": "ada" }));
    hint.assert_refused(400, "invalid_login_hint");
}

#[test]
fn both_profiles_share_one_limit() {
    let provider = Provider::with_key("one");
    let scene = Scene::limited(&[&provider], LimitSettings::default().registration);
    let client = PublicClient::of(&scene.service);
    let mut admitted = 0;
    for round in 0..8 {
        let reply = if round % 2 == 0 {
            client.register(&json!({ "type": "anonymous" }))
        } else {
            client.post(routes::REGISTER, &json!({ "type": "anonymous" }))
        };
        admitted += usize::from(reply.status == 200);
        if reply.status != 200 {
            reply.assert_refused(429, "rate_limited");
            assert!(reply.header("retry-after").is_some());
        }
    }
    assert_eq!(admitted, 5);
}
