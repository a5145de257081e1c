//! Endpoints that accept POST: methods, preflights, and bodies that are not valid.

use contract::routes;
use tests::{Firm as _, SyntheticFirm};

use crate::Site;

const POSTED: [&str; 6] =
    [routes::REGISTER, routes::CLAIM, routes::CLAIM_COMPLETE, routes::PROVIDER_REVOKE, routes::TOKEN, routes::REVOKE];

/// Posts `body`; returns the status and error code of the response.
fn posted(site: &Site, target: &str, media_type: &str, body: &str) -> (u16, String) {
    let response = site.post(target, &[&format!("Content-Type: {media_type}")], body.as_bytes());
    assert_eq!(response.header("cache-control"), Some("no-store"), "{target}");
    assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{target}");
    let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    assert!(["message", "resolution"].iter().all(|name| body[*name].is_string()), "{target}");
    assert_eq!(body["error_description"], body["message"], "{target}");
    (response.status, body["error"].as_str().unwrap().to_owned())
}

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

#[test]
fn body_of_another_media_type_is_refused() {
    let site = SyntheticFirm::small().serve();
    for (target, wrong) in [
        (routes::REGISTER, FORM),
        (routes::CLAIM, "text/plain"),
        (routes::CLAIM_COMPLETE, ""),
        (routes::PROVIDER_REVOKE, "text/plain"),
        (routes::TOKEN, JSON),
        (routes::REVOKE, "multipart/form-data"),
    ] {
        assert_eq!(posted(&site, target, wrong, "{}"), (415, "unsupported_media_type".to_owned()), "{target}");
    }
}

#[test]
fn body_in_another_coding_is_refused() {
    let site = SyntheticFirm::small().serve();
    for (target, media_type) in POSTED.into_iter().zip([JSON, JSON, JSON, "application/secevent+jwt", FORM, FORM]) {
        let lines = [&format!("Content-Type: {media_type}"), "Content-Encoding: gzip"];
        let response = site.post(target, &lines, "{}");
        assert_eq!(response.status_and_error(), (415, "unsupported_media_type".to_owned()), "{target}");
        assert_eq!(response.header("accept-encoding"), Some("identity"), "{target}");
        let body = response.json();
        assert!(body["resolution"].as_str().unwrap().contains("`Content-Encoding`"), "{body}");
        assert_eq!(body["error_description"], body["message"], "{target}");
        let plain = site.post(target, &[lines[0], "Content-Encoding: identity"], "{}");
        assert_eq!(plain.status, 400, "{target}");
    }
}

#[test]
fn malformed_body_is_refused_with_the_reason() {
    let site = SyntheticFirm::small().serve();
    let deep = "[".repeat(20_000);
    for (target, media_type, body) in [
        (routes::REGISTER, JSON, ""),
        (routes::REGISTER, JSON, "{"),
        (routes::REGISTER, JSON, "[]"),
        (routes::REGISTER, JSON, "null"),
        (routes::REGISTER, JSON, deep.as_str()),
        (routes::REGISTER, JSON, "{}"),
        (routes::REGISTER, JSON, r#"{"type":5}"#),
        (routes::REGISTER, JSON, r#"{"type":"robot"}"#),
        (routes::REGISTER, JSON, r#"{"type":"anonymous","type":"anonymous"}"#),
        (routes::REGISTER, JSON, r#"{"type":"identity_assertion"}"#),
        (routes::REGISTER, JSON, r#"{"type":"identity_assertion","assertion_type":"verified_email"}"#),
        (routes::REGISTER, JSON, r#"{"type":"identity_assertion","assertion_type":"verified_email","assertion":"a"}"#),
        (routes::CLAIM, JSON, r#"{"email":"a@firm.example"}"#),
        (routes::CLAIM, JSON, r#"{"claim_token":"clm_x","email":"a@[127.0.0.1]"}"#),
        (routes::CLAIM, JSON, "{\"claim_token\":\"clm_x\",\"email\":\"a@firm.example\\r\\nBcc: b@firm.example\"}"),
        (routes::CLAIM_COMPLETE, JSON, r#"{"claim_token":"clm_x"}"#),
        (routes::TOKEN, FORM, ""),
        (routes::TOKEN, FORM, "grant_type=a&grant_type=b"),
        (routes::REVOKE, FORM, "token="),
        (routes::PROVIDER_REVOKE, FORM, "logout=x"),
    ] {
        let answer = posted(&site, target, media_type, body);
        assert_eq!(answer, (400, "invalid_request".to_owned()), "{target} {body:.60}");
    }
}

#[test]
fn token_endpoint_refuses_with_oauth_errors() {
    let site = SyntheticFirm::small().serve();
    let (status, code) = posted(&site, routes::TOKEN, FORM, "grant_type=password");
    assert_eq!((status, code.as_str()), (400, "unsupported_grant_type"));
    let secret = "grant_type=password&client_assertion=x";
    assert_eq!(posted(&site, routes::TOKEN, FORM, secret), (401, "invalid_client".to_owned()));
}

#[test]
fn security_event_is_refused_with_errors_of_rfc_8935() {
    let site = SyntheticFirm::small().serve();
    let response = site.post(routes::PROVIDER_REVOKE, &["Content-Type: application/secevent+jwt"], b" ");
    assert_eq!((response.status, response.header("content-language")), (400, Some("en")));
    let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!((&body["err"], body["description"].is_string()), (&"invalid_issuer".into(), true));
}

#[test]
fn oversized_body_is_not_read_to_its_end() {
    let site = SyntheticFirm::small().serve();
    let body = format!("{{\"type\":\"{}\"}}", "a".repeat(40_000));
    assert_eq!(posted(&site, routes::REGISTER, JSON, &body), (413, "payload_too_large".to_owned()));
}

#[test]
fn body_of_an_unauthorized_request_is_not_read() {
    let site = SyntheticFirm::small().serve();
    for target in POSTED {
        for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
            let response = site.request(method, target, &[]);
            assert_eq!((response.status, response.header("allow")), (405, Some("POST, OPTIONS")), "{method} {target}");
            if method != "HEAD" {
                assert_eq!(response.status_and_error(), (405, "method_not_allowed".to_owned()), "{method} {target}");
            }
            assert_eq!(response.header("pragma"), Some("no-cache"), "{method} {target}");
            assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{method} {target}");
        }
        let long = site.post_json(&format!("{target}?x={}", "a".repeat(9_000)), &serde_json::json!({}));
        assert_eq!(long.status_and_error(), (414, "uri_too_long".to_owned()), "{target}");
        assert_eq!(long.header("pragma"), Some("no-cache"), "{target}");
    }
    // MCP errors have no OAuth fields.
    let model = site.get(routes::MCP, &[]).json();
    assert!(model.get("error_description").is_none(), "{model}");
}

#[test]
fn preflight_of_a_post_is_answered() {
    let site = SyntheticFirm::small().serve();
    let lines = ["Origin: https://app.example", "Access-Control-Request-Method: POST"];
    let response = site.request("OPTIONS", routes::REGISTER, &lines);
    assert_eq!((response.status, response.header("access-control-allow-methods")), (204, Some("POST")));
    let response = site.request("OPTIONS", routes::ACCESS, &lines);
    assert_eq!((response.status, response.header("access-control-allow-origin")), (204, None), "forms are for people");
}
