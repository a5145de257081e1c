//! Specification, "Errors": the fields of refusals, and the effect of following their resolutions.

use std::time::Duration;

use contract::routes;
use serde_json::json;
use tests::{Agent as _, Reply, Service, fixture, request};

use crate::{
    id_jag::{Provider, Scene},
    resources::has_exactly,
};

const ADA: &str = "ada@client.example";
const TEXTS: [&str; 4] = ["error", "message", "resolution", "error_description"];

#[test]
fn errors_of_the_content_api_have_three_texts_and_are_not_cached() {
    let service = fixture();
    let replies = [
        (service.get(routes::TEAM, &["X-Api-Key: wrong"]), 401, "invalid_api_key"),
        (request(service.address(), "POST", routes::TEAM, &[], b"{}"), 405, "method_not_allowed"),
        (service.get(&format!("{}?locale=x", routes::TEAM), &[]), 400, "invalid_locale"),
        (service.get("/api/v1/nothing", &[]), 404, "not_found"),
    ];
    for (reply, status, error) in replies {
        reply.assert_refused(status, error);
        has_exactly(&reply.json(), &["error", "message", "resolution"], &[]);
        assert!(reply.json().as_object().unwrap().values().all(serde_json::Value::is_string));
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    }
}

#[test]
fn unknown_path_is_json_for_clients_that_accept_only_json() {
    let service = fixture();
    for (method, path) in
        [("GET", "/nothing"), ("GET", "/tr/yok.md"), ("POST", "/register"), ("DELETE", "/en/nothing/")]
    {
        for accept in ["application/json", "APPLICATION/*;q=0.5", "application/json, text/html;q=0"] {
            let reply = request(service.address(), method, path, &[&format!("Accept: {accept}")], b"");
            reply.assert_refused(404, "not_found");
        }
    }
    // `*` has no page, so the error is JSON.
    request(service.address(), "OPTIONS", "*", &[], b"").assert_refused(404, "not_found");
    for accept in ["application/json, text/html;q=0.1", "application/json, */*", "text/markdown", "image/png", ""] {
        let reply = service.get("/nothing", &[&format!("Accept: {accept}")]);
        assert_eq!((reply.status, reply.header("content-type") == Some("application/json")), (404, false), "{accept}");
    }
}

/// Programs ask these addresses where they find no metadata, and parse what they get.
#[test]
fn unknown_path_is_json_for_programs_that_guess_it() {
    let service = fixture();
    let form = "Content-Type: application/x-www-form-urlencoded";
    for (method, path, lines) in [
        ("POST", "/register", vec!["Accept: */*", "Content-Type: application/json"]),
        ("POST", "/token", vec!["Accept: */*", form]),
        ("GET", "/authorize?response_type=code", vec!["Accept: */*"]),
        ("GET", "/register", vec![]),
        ("POST", "/oauth/token", vec![form]),
        ("POST", "/v1/chat/completions", vec!["Accept: */*", "Content-Type: application/json"]),
        ("PUT", "/en/nothing", vec![]),
        ("DELETE", "/nothing", vec!["Accept: application/json, */*"]),
    ] {
        let reply = request(service.address(), method, path, &lines, b"");
        reply.assert_refused(404, "not_found");
        assert_eq!(reply.header("content-type"), Some("application/json"), "{method} {path}");
    }
    // A browser that sends a form gets a page, as for a link.
    let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8";
    let reply = request(service.address(), "POST", "/en/nothing", &[browser, form], b"");
    assert_eq!((reply.status, reply.header("content-type")), (404, Some("text/html; charset=utf-8")));
}

/// Asserts that a refusal of registration or claim has the texts of the content API, `error`, and `more`.
#[track_caller]
fn assert_refusal(reply: &Reply, status: u16, error: &str, more: &[&str]) {
    reply.assert_refused(status, error);
    has_exactly(&reply.json(), &[&TEXTS, more].concat(), &[]);
    assert_eq!(reply.text_of("error_description"), reply.text_of("message"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("www-authenticate").is_some(), status == 401, "HTTP requires it with every 401");
}

#[test]
fn invalid_signature_is_resolved_by_a_new_assertion() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let bad = provider.forge_assertion("k", scene.now());
    assert_refusal(&scene.register(&bad), 400, "invalid_signature", &[]);
    assert_eq!(scene.admit(&provider).status, 200);
}

#[test]
fn invalid_audience_is_resolved_by_the_resource_of_the_metadata() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let resource = scene.service.get(routes::PROTECTED_RESOURCE, &[]).text_of("resource");
    for aud in ["https://other.example".to_owned(), format!("{resource}/"), format!("{resource}{}", routes::REGISTER)] {
        let wrong = provider.assertion(scene.now(), &json!({ "aud": aud }));
        assert_refusal(&scene.register(&wrong), 400, "invalid_audience", &[]);
    }
    let right = provider.assertion(scene.now(), &json!({ "aud": resource }));
    assert_eq!(scene.register(&right).status, 200);
}

#[test]
fn login_required_is_resolved_by_a_new_sign_in() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let signed_in = scene.now();
    let assert_signed_in = |at: i64| scene.register(&provider.assertion(scene.now(), &json!({ "auth_time": at })));
    for (seconds, status) in [(3600, 200), (60, 200), (1, 401)] {
        scene.pass(Duration::from_secs(seconds));
        assert_eq!(assert_signed_in(signed_in).status, status);
    }
    let stale = assert_signed_in(signed_in);
    assert_refusal(&stale, 401, "login_required", &["max_age"]);
    assert_eq!(stale.header("www-authenticate"), Some("AgentAuth error=\"login_required\", max_age=\"3600\""));
    assert_eq!(stale.json()["max_age"], 3600);
    assert_eq!(assert_signed_in(scene.now()).status, 200);
}

#[test]
fn interaction_required_is_resolved_by_the_claim_ceremony() {
    let (one, other) = (Provider::with_key("k"), Provider::with_key("k"));
    let scene = Scene::trusting(&[&one, &other]);
    let user = |provider: &Provider| provider.assertion(scene.now(), &json!({ "sub": "ada", "email": ADA }));
    assert_eq!(scene.register(&user(&one)).status, 200);
    let known = scene.register(&user(&other));
    let claim = ["claim_url", "claim_token", "claim_token_expires", "post_claim_scopes", "claim", "match_phrase"];
    assert_refusal(
        &known,
        401,
        "interaction_required",
        &[&["registration_id", "registration_type", "next"], &claim[..]].concat(),
    );
    let mut agent = scene.service.connection();
    let code = agent.show_code(&scene.service.outbox().wait(ADA)).unwrap().text_of("challenge");
    let completed = agent.complete(&known.text_of("claim_token"), &code).unwrap();
    assert_eq!(completed.status, 200, "{}", completed.text());
    assert_eq!(scene.content_status(&completed.text_of("credential")), 200);
    assert_eq!(scene.register(&user(&other)).status, 200, "from now on the provider's word is enough");
}

#[test]
fn resolution_names_the_alternative_where_users_cannot_be_linked() {
    let providers = [(); 2].map(|()| Provider::with_key("k"));
    let scene = Scene::without_mail(&providers.each_ref());
    let user = |which: usize| providers[which].assertion(scene.now(), &json!({ "sub": "ada", "email": ADA }));
    assert_eq!(scene.register(&user(0)).status, 200);
    let refusal = scene.register(&user(1));
    assert_refusal(&refusal, 400, "claim_not_enabled", &[]);
    let words = (refusal.text_of("message"), refusal.text_of("resolution"));
    assert!(words.0.contains("under another identity") && words.1.contains("register without"), "{words:?}");
    // Every failure of an assertion is `invalid_grant` at the token endpoint (RFC 7523, 3.1).
    let at_the_token_endpoint = scene.exchange(&user(1));
    assert_refusal(&at_the_token_endpoint, 400, "invalid_grant", &["error_detail"]);
    assert_eq!(at_the_token_endpoint.text_of("error_detail"), "claim_not_enabled");
    assert_eq!(at_the_token_endpoint.text_of("resolution"), words.1);
    // Following the resolution works.
    assert_eq!(scene.register(&user(0)).status, 200);
    assert_eq!(scene.service.connection().register().unwrap().status, 200);
}

#[test]
fn unsupported_credential_type_is_resolved_by_another_type_of_the_array() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let mut ask = |kind: &str| {
        agent.post(routes::REGISTER, &json!({ "type": "anonymous", "requested_credential_type": kind })).unwrap()
    };
    assert_refusal(&ask("refresh_token"), 400, "unsupported_credential_type", &[]);
    assert_eq!(ask("access_token").status, 200);
}

#[test]
fn otp_errors_are_resolved_by_a_new_claim() {
    let service = Service::of("firm");
    let mut agent = service.connection();
    let token = agent.register_by_mail(ADA).unwrap().text_of("claim_token");
    let code = agent.show_code(&service.outbox().wait(ADA)).unwrap().text_of("challenge");
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for left in [4, 3, 2, 1, 0] {
        let refusal = agent.complete(&token, wrong).unwrap();
        assert_refusal(&refusal, 401, "otp_invalid", &["attempts_remaining"]);
        assert_eq!(refusal.json()["attempts_remaining"], left);
    }
    assert_refusal(&agent.complete(&token, &code).unwrap(), 410, "otp_expired", &[]);
    assert_eq!(agent.claim(&token, ADA).unwrap().status, 200);
    let fresh = agent.show_code(&service.outbox().wait_for(ADA, 2)).unwrap().text_of("challenge");
    assert_eq!(agent.complete(&token, &fresh).unwrap().status, 200);
}
