//! Specification, "Events": the events of providers at `revocation_uri`, their forms and effects.

use std::{collections::BTreeSet, time::Duration};

use contract::agent_auth::{LOGOUT_EVENT, VERIFICATION_EVENT};
use serde_json::{Value, json};
use tests::{SITE_URL, fixture, request};

use crate::{
    id_jag::{Provider, Scene},
    resources::has_exactly,
};

const REVOCATION: &str = "/agent/auth/revoke";

/// Returns the `agent_auth` metadata.
fn agent_auth(scene: &Scene) -> Value {
    scene.service.get("/.well-known/oauth-authorization-server", &[]).json()["agent_auth"].clone()
}

/// Returns the published kinds of events, except the verification event.
fn kinds(scene: &Scene) -> Vec<String> {
    let published = agent_auth(scene)["events_supported"].clone();
    let kinds: BTreeSet<String> = serde_json::from_value(published).unwrap();
    assert!(kinds.len() == 7 && kinds.contains(VERIFICATION_EVENT), "{kinds:?}");
    kinds.into_iter().filter(|kind| kind != VERIFICATION_EVENT).collect()
}

/// Returns a credential of `sub`.
fn register_user(scene: &Scene, provider: &Provider, sub: &str) -> String {
    let reply = scene.register(&provider.assertion(scene.now(), &json!({ "sub": sub })));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text_of("credential")
}

#[test]
fn provider_receives_requests_for_its_keys_only() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let credential = register_user(&scene, &provider, "user");
    assert_eq!(scene.report(&provider.report("user", scene.now())).status, 202);
    assert_eq!(scene.content_status(&credential), 401);
    assert_eq!(provider.requested_paths(), ["/.well-known/jwks.json"]);
}

#[test]
fn every_published_event_revokes_the_credential() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    assert_eq!(agent_auth(&scene)["revocation_uri"], format!("{SITE_URL}{REVOCATION}"));
    for (number, kind) in kinds(&scene).iter().enumerate() {
        let sub = format!("subject-{number}");
        let credential = register_user(&scene, &provider, &sub);
        let bystander = register_user(&scene, &provider, &format!("bystander-{number}"));
        let answer = scene.report(&provider.report_of(kind, &sub, scene.now(), &json!({})));
        assert_eq!((answer.status, answer.body.len()), (202, 0), "{kind}: {}", answer.text());
        for _ in 0..2 {
            assert_eq!((scene.content_status(&credential), scene.content_status(&bystander)), (401, 200), "{kind}");
        }
    }
}

#[test]
fn verification_and_unknown_events_are_accepted_without_effect() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let credential = register_user(&scene, &provider, "user");
    for kind in [VERIFICATION_EVENT, "https://provider.example/event-type/unknown"] {
        let answer = scene.report(&provider.report_of(kind, "user", scene.now(), &json!({})));
        assert_eq!((answer.status, scene.content_status(&credential)), (202, 200), "{kind}: {}", answer.text());
    }
}

#[test]
fn apple_envelope_revokes_like_other_events() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let [revoked, kept] = ["user", "bystander"].map(|sub| register_user(&scene, &provider, sub));
    let post = |body: &str| scene.service.post(REVOCATION, &["Content-Type: application/json"], body);
    let report = provider.report("user", scene.now());
    for body in
        ["{}", "[]", r#"{"payload":1}"#, r#"{"payload":"x"}"#, &report, &format!("{{\"payload\":\"{report}x\"}}")]
    {
        let refused = post(body);
        assert_eq!((refused.status, refused.json()["message"].is_string()), (400, true), "{body}");
        assert_eq!(scene.content_status(&revoked), 200, "{body}");
    }
    for _ in 0..2 {
        let taken = post(&json!({ "payload": report }).to_string());
        assert_eq!((taken.status, taken.body.len()), (200, 0), "{}", taken.text());
        assert_eq!([&revoked, &kept].map(|credential| scene.content_status(credential)), [401, 200]);
    }
}

#[test]
fn logout_token_is_accepted_as_body_and_as_form_field() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    for (number, kind) in [LOGOUT_EVENT].iter().enumerate() {
        let subs = ["alone", "form"].map(|form| format!("{form}-{number}"));
        let [alone, in_form] = subs.each_ref().map(|sub| register_user(&scene, &provider, sub));
        let tokens = subs.map(|sub| provider.logout(kind, &sub, scene.now()));
        let answer = scene.service.post(REVOCATION, &["Content-Type: application/logout+jwt"], &tokens[0]);
        assert_eq!((answer.status, answer.json()), (200, json!({ "revoked": 1 })), "{kind}");
        let form = format!("logout_token={}", tokens[1]);
        let answer = scene.service.post_form(REVOCATION, &form);
        assert_eq!((answer.status, answer.body.len()), (200, 0), "{kind}: {}", answer.text());
        assert_eq!([&alone, &in_form].map(|credential| scene.content_status(credential)), [401, 401], "{kind}");
    }
}

#[test]
fn logout_token_without_the_event_of_logout_is_refused() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let credential = register_user(&scene, &provider, "user");
    for kind in kinds(&scene).iter().filter(|kind| *kind != LOGOUT_EVENT) {
        let token = provider.logout(kind, "user", scene.now());
        let answer = scene.service.post(REVOCATION, &["Content-Type: application/logout+jwt"], &token);
        answer.assert_refused(400, "invalid_request");
        assert!(answer.text_of("message").contains(LOGOUT_EVENT), "{kind}: {}", answer.text());
        let form = format!("logout_token={token}");
        scene.service.post_form(REVOCATION, &form).assert_refused(400, "invalid_request");
    }
    assert_eq!(scene.content_status(&credential), 200);
}

#[test]
fn events_with_and_without_a_tenant_reach_its_user() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let kind = kinds(&scene).remove(0);
    let admitted = |sub: &str, tenant: &str| {
        let reply = scene.register(&provider.assertion(scene.now(), &json!({ "sub": sub, "tenant": tenant })));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.text_of("credential")
    };
    let credentials = [admitted("user", "t-1"), admitted("user", "t-2"), admitted("other", "t-1")];
    let open = || credentials.each_ref().map(|credential| scene.content_status(credential));
    assert_eq!(scene.report(&provider.report_of(&kind, "user", scene.now(), &json!({ "tenant": "t-2" }))).status, 202);
    assert_eq!(open(), [200, 401, 200]);
    let answer = scene.service.post(
        REVOCATION,
        &["Content-Type: application/logout+jwt"],
        provider.logout(&kind, "user", scene.now()),
    );
    assert_eq!((answer.status, answer.json()), (200, json!({ "revoked": 1 })));
    assert_eq!(open(), [401, 401, 200]);
    // Earlier assertions do not restore access, in any tenant.
    for tenant in ["t-1", "t-3"] {
        let before = provider.assertion(scene.now(), &json!({ "sub": "user", "tenant": tenant }));
        scene.register(&before).assert_refused(400, "expired");
    }
}

#[test]
fn unverifiable_event_is_refused_without_effect() {
    let (provider, stranger) = (Provider::with_key("k"), Provider::with_key("k"));
    let scene = Scene::trusting(&[&provider]);
    let credential = register_user(&scene, &provider, "user");
    let kind = kinds(&scene).remove(0);
    let report = |changes: Value| provider.report_of(&kind, "user", scene.now(), &changes);
    let (sound, other) = (report(json!({})), report(json!({})));
    let (signed, signature) = (sound.rsplit_once('.').unwrap().0, other.rsplit_once('.').unwrap().1);
    for (token, err) in [
        ("no token".to_owned(), "invalid_request"),
        (format!("{signed}.{signature}"), "authentication_failed"),
        (stranger.report("user", scene.now()), "invalid_issuer"),
        (report(json!({ "aud": "https://other.example" })), "invalid_audience"),
        (report(json!({ "iat": scene.now() - 8 * 86_400 })), "invalid_request"),
        (report(json!({ "events": null })), "invalid_request"),
        (provider.logout(&kind, "user", scene.now()), "invalid_request"),
    ] {
        let answer = scene.report(&token);
        assert_eq!((answer.status, answer.text_of("err").as_str()), (400, err), "{}", answer.text());
        has_exactly(&answer.json(), &["err", "description"], &[]);
        assert_eq!(answer.header("content-language"), Some("en"));
    }
    let lines = ["Content-Type: application/secevent+jwt"];
    let no_text = request(scene.service.address(), "POST", REVOCATION, &lines, b"\xff\xfe");
    assert_eq!(no_text.status, 400);
    has_exactly(&no_text.json(), &["err", "description"], &[]);
    assert_eq!(no_text.text_of("err"), "invalid_request");
    scene.pass(Duration::from_secs(1));
    assert_eq!(scene.content_status(&credential), 200);
    assert_eq!(scene.report(&sound).status, 202, "what was refused did not use it up");
    assert_eq!(scene.content_status(&credential), 401);
}

#[test]
fn events_are_unavailable_without_a_trusted_provider() {
    let service = fixture();
    let metadata = service.get("/.well-known/oauth-authorization-server", &[]).json();
    assert_eq!(metadata["agent_auth"]["events_supported"], json!([]));
    let token = Provider::with_key("k").report("user", 0);
    let lines = ["Content-Type: application/secevent+jwt"];
    let answer = tests::request(service.address(), "POST", REVOCATION, &lines, token.as_bytes());
    assert_eq!((answer.status, answer.text_of("err").as_str()), (400, "invalid_issuer"));
}
