//! Requests to the registration endpoints, and refusals without any effect.

use contract::routes;
use serde_json::json;
use tests::{Firm as _, JSON, SITE, SyntheticFirm, sha256};

use crate::agent::build;

const POSTED: [&str; 3] = [routes::REGISTER, routes::CLAIM, routes::CLAIM_COMPLETE];

fn refusal(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[test]
fn bodies_are_of_the_agreed_type_size_and_form() {
    let site = build().serve();
    for target in POSTED {
        assert_eq!(
            site.post(target, &["Content-Type: text/plain"], "{}").status_and_error(),
            refusal(415, "unsupported_media_type")
        );
        for body in ["", "[]", "{", "{\"type\":1}", "{\"type\":\"anonymous\",\"type\":\"anonymous\"}"] {
            assert_eq!(site.post(target, &[JSON], body).status_and_error(), refusal(400, "invalid_request"), "{body}");
        }
        let large = format!("{{\"type\":\"{}\"}}", "x".repeat(33 * 1024));
        assert_eq!(site.post(target, &[JSON], &large).status_and_error(), refusal(413, "payload_too_large"));
        let deep = format!("{{\"type\":{}{}}}", "[".repeat(9000), "]".repeat(9000));
        assert_eq!(site.post(target, &[JSON], &deep).status_and_error(), refusal(400, "invalid_request"));
    }
    for target in [routes::TOKEN, routes::REVOKE] {
        assert_eq!(site.post_json(target, &json!({})).status_and_error(), refusal(415, "unsupported_media_type"));
        let twice = "grant_type=a&grant_type=b&token=a&token=b";
        assert_eq!(site.post_form(target, twice).status_and_error(), refusal(400, "invalid_request"));
    }
    assert_eq!(site.post_json(routes::PROVIDER_REVOKE, &json!({})).status_and_error(), refusal(400, "invalid_request"));
}

#[test]
fn malformed_request_is_refused_with_the_place() {
    let site = build().serve();
    for (target, accepted) in [
        (routes::REGISTER, "`application/json`"),
        (routes::TOKEN, "`application/x-www-form-urlencoded`"),
        (routes::PROVIDER_REVOKE, "`application/secevent+jwt` or `application/logout+jwt`"),
    ] {
        let refused = site.post(target, &["Content-Type: text/plain"], "{}").json();
        let resolution = refused["resolution"].as_str().unwrap();
        assert!(resolution.contains(accepted), "{resolution}");
    }
    for (target, body, message) in [
        (routes::REGISTER, json!({"type": ["anonymous"]}), "`type` must be a text."),
        (routes::REGISTER, json!({"type": "anonymous", "locale": 1}), "`locale` must be a text."),
        (routes::CLAIM_COMPLETE, json!({"claim_token": "clm_x", "otp": 123_456}), "`otp` must be a text."),
    ] {
        assert_eq!(site.post_json(target, &body).json()["message"], message);
    }
}

#[test]
fn type_that_is_not_offered_is_refused() {
    let site = build().serve();
    let try_with = |body| site.post_json(routes::REGISTER, &body).status_and_error();
    let asserted =
        |kind, assertion| json!({"type": "identity_assertion", "assertion_type": kind, "assertion": assertion});
    assert_eq!(try_with(json!({"type": "other"})), refusal(400, "invalid_request"));
    assert_eq!(try_with(json!({"type": "identity_assertion"})), refusal(400, "invalid_request"));
    assert_eq!(try_with(asserted("other", "x")), refusal(400, "unsupported_assertion_type"));
    let id_jag = "urn:ietf:params:oauth:token-type:id-jag";
    // No provider is trusted here, so the service neither publishes nor accepts provider assertions.
    assert_eq!(try_with(asserted(id_jag, "x.y.z")), refusal(400, "unsupported_assertion_type"));
    assert_eq!(try_with(asserted("verified_email", "no address")), refusal(400, "invalid_request"));
    assert_eq!(
        try_with(asserted("verified_email", "a@b.example\r\nBcc: c@d.example")),
        refusal(400, "invalid_request")
    );
    let key = json!({"type": "anonymous", "requested_credential_type": "password"});
    assert_eq!(try_with(key), refusal(400, "unsupported_credential_type"));
    let none = SyntheticFirm::small().serve();
    let anonymous = none.post_json(routes::REGISTER, &json!({"type": "anonymous"}));
    assert_eq!(anonymous.status_and_error(), refusal(400, "anonymous_not_enabled"));
}

#[test]
fn published_metadata_is_enforced() {
    let site = build().serve();
    let response = site.get(routes::AUTHORIZATION_SERVER, &["Accept-Encoding: br"]);
    assert_eq!((response.status, response.header("content-encoding")), (200, None));
    // The narrowed document has its own entity tag: its bytes differ from the built ones.
    let tag = format!("\"{}\"", &sha256(&response.body).0[..32]);
    assert_eq!(response.header("etag"), Some(tag.as_str()));
    let known = site.get(routes::AUTHORIZATION_SERVER, &[&format!("If-None-Match: {tag}")]);
    assert_eq!((known.status, known.body.len()), (304, 0));
    let document = response.json();
    assert_eq!(document["agent_auth"]["identity_assertion"]["assertion_types_supported"], json!(["verified_email"]));
    assert_eq!(document["grant_types_supported"], json!(["urn:mecelle:agent-auth:grant-type:claim"]));
    let bearer = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=x";
    assert_eq!(site.post_form(routes::TOKEN, bearer).status_and_error(), refusal(400, "unsupported_grant_type"));
}

#[test]
fn claim_is_refused_without_mail() {
    let build = build();
    let mut config = build.config();
    config.registration.mail = Some("none".to_owned());
    let site = build.serve_with(config);
    let body = json!({"type": "identity_assertion", "assertion_type": "verified_email", "assertion": "a@b.example"});
    assert_eq!(site.post_json(routes::REGISTER, &body).status_and_error(), refusal(400, "verified_email_not_enabled"));
    let registered = site.register();
    // The reply contains nothing about claims.
    for name in ["claim_url", "claim_token", "claim_token_expires", "post_claim_scopes", "claim"] {
        assert!(registered.get(name).is_none(), "{name}");
    }
    assert!(registered["credential"].is_string());
    assert_eq!(site.claim(&json!("clm_1"), "a@b.example").status_and_error(), refusal(400, "claim_not_enabled"));
    // Earlier claims can still be redeemed.
    assert_eq!(site.redeem(&json!("clm_1")).status_and_error(), refusal(400, "invalid_grant"));
    let document = site.get(routes::AUTHORIZATION_SERVER, &[]).json();
    assert_eq!(document["grant_types_supported"], json!(["urn:mecelle:agent-auth:grant-type:claim"]));
    assert_eq!(document["agent_auth"]["events_supported"], json!([]));
    for page in [site.get(routes::ACCESS, &[]), site.post_form(routes::ACCESS, "email=a%40b.example")] {
        assert_eq!((page.status, page.header("retry-after")), (404, None));
        assert!(page.as_text().contains("access-off"), "{}", page.as_text());
    }
}

#[test]
fn unauthenticated_client_is_refused() {
    let site = build().serve();
    let secret = "grant_type=urn:mecelle:agent-auth:grant-type:claim&claim_token=x&client_secret=y";
    assert_eq!(site.post_form(routes::TOKEN, secret).status_and_error(), refusal(401, "invalid_client"));
    // The challenge has the scheme of the attempt (RFC 6749, 5.2).
    for target in [routes::TOKEN, routes::REVOKE] {
        for (sent, challenge) in [
            (Some("Basic eDp5"), "Basic realm=\"oauth2\""),
            (Some("bearer x"), "bearer realm=\"oauth2\""),
            (Some("Bas\"ic x"), "AgentAuth error=\"invalid_client\""),
            (Some(""), "AgentAuth error=\"invalid_client\""),
            (None, "AgentAuth error=\"invalid_client\""),
        ] {
            let tried = sent.map_or("X-Nothing: here".to_owned(), |sent| format!("Authorization: {sent}"));
            let lines = ["Content-Type: application/x-www-form-urlencoded", &tried];
            let answer = site.post(target, &lines, "token=x&client_assertion=y");
            assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some(challenge)), "{sent:?}");
        }
    }
    let unknown = site.post_form(routes::TOKEN, "grant_type=urn:workos:agent-auth:grant-type:claim&claim_token=x");
    assert_eq!(unknown.status_and_error(), refusal(400, "invalid_grant"));
    assert_eq!(unknown.header("pragma"), Some("no-cache"));
    let grant = site.post_form(routes::TOKEN, "grant_type=password");
    assert_eq!(grant.status_and_error(), refusal(400, "unsupported_grant_type"));
}

#[test]
fn hasty_polling_is_answered_with_slow_down() {
    let site = build().serve();
    let claim_token = site.register()["claim_token"].clone();
    assert_eq!(site.redeem(&claim_token).status_and_error(), refusal(400, "authorization_pending"));
    let slow = site.redeem(&claim_token);
    assert_eq!(slow.status_and_error(), refusal(400, "slow_down"));
    assert_eq!(slow.json()["interval"], 10);
}

#[test]
fn agent_endpoints_allow_scripts_and_forms_forbid_framing() {
    let site = build().serve();
    let lines = [&format!("Origin: {SITE}")[..], "Access-Control-Request-Method: POST"];
    let allowed = site.request("OPTIONS", routes::REGISTER, &lines);
    assert_eq!((allowed.status, allowed.header("access-control-allow-origin")), (204, Some("*")));
    assert!(allowed.header("access-control-allow-headers").unwrap().contains("Content-Type"));
}
