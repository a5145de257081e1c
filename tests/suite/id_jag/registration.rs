//! What an assertion opens, for how long, and what ends it before.

use std::time::Duration;

use contract::scopes::Scope;
use serde_json::json;
use sidecar::Quotas;

use super::{Provider, Scene, said};

#[test]
fn an_assertion_is_worth_a_credential_for_an_hour() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let reply = scene.admit(&provider);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!((reply.header("cache-control"), reply.header("pragma")), (Some("no-store"), Some("no-cache")));
    let body = reply.json();
    let (mut members, mut expected) = (
        body.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>(),
        ["registration_id", "registration_type", "credential_type", "credential", "credential_expires", "scopes"],
    );
    members.sort_unstable();
    expected.sort_unstable();
    assert_eq!(members, expected);
    assert_eq!(body["registration_type"], "agent-provider");
    assert_eq!(body["credential_expires"], "2026-01-01T01:00:00.000Z");
    assert_eq!(body["scopes"].as_array().unwrap().len(), Scope::ALL.len());
    let credential = body["credential"].as_str().unwrap();
    scene.pass(Duration::from_secs(3599));
    assert_eq!(scene.opens(credential), 200);
    scene.pass(Duration::from_secs(1));
    assert_eq!(scene.opens(credential), 401);
}

#[test]
fn an_assertion_that_was_used_is_a_replay_until_it_has_expired() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let assertion = provider.assertion(scene.now(), &json!({}));
    assert_eq!(scene.register(&assertion).status, 200);
    for (seconds, code) in [(0, "replay_detected"), (359, "replay_detected"), (1, "expired"), (86_400, "expired")] {
        scene.pass(Duration::from_secs(seconds));
        assert_eq!(said(&scene.register(&assertion)), (400, code.to_owned()), "after {seconds} s more");
        let exchanged = scene.exchange(&assertion);
        assert_eq!(said(&exchanged), (400, "invalid_grant".to_owned()));
        assert_eq!(exchanged.json()["error_detail"], code);
    }
}

#[test]
fn a_sign_in_that_grows_old_is_asked_for_again() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let signed_in = scene.now();
    for (seconds, status) in [(3600, 200), (60, 200), (1, 401)] {
        scene.pass(Duration::from_secs(seconds));
        let reply = scene.register(&provider.assertion(scene.now(), &json!({ "auth_time": signed_in })));
        assert_eq!(reply.status, status, "{}", reply.text());
        let challenge = (status == 401).then_some("AgentAuth error=\"login_required\", max_age=\"3600\"");
        assert_eq!(reply.header("www-authenticate"), challenge);
    }
}

#[test]
fn a_report_ends_access_on_the_next_call_and_a_new_word_opens_it_again() {
    let provider = Provider::with_key("k");
    let scene = Scene::trusting(&[&provider]);
    let user = json!({ "sub": "user", "email": "user@client.example" });
    let assert_admitted = || {
        let reply = scene.register(&provider.assertion(scene.now(), &user));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["credential"].as_str().unwrap().to_owned()
    };
    let credential = assert_admitted();
    let before = provider.assertion(scene.now(), &user);
    scene.pass(Duration::from_secs(5));
    let report = provider.report("user", scene.now());
    assert_eq!(scene.opens(&credential), 200);
    assert_eq!(scene.report(&report).status, 202);
    assert_eq!(scene.opens(&credential), 401);
    assert_eq!(said(&scene.register(&before)), (400, "expired".to_owned()));
    scene.pass(Duration::from_secs(61));
    let credential = assert_admitted();
    assert_eq!(scene.report(&report).status, 202, "a report that comes again is answered like the first");
    assert_eq!(scene.opens(&credential), 200, "and ends nothing");
}

#[test]
fn what_strangers_make_up_does_not_use_up_what_providers_may_ask_for() {
    let provider = Provider::with_key("k");
    let scene = Scene::limited(&[&provider], Quotas { assertions: 3, ..Quotas::default() });
    for _ in 0..5 {
        assert_eq!(said(&scene.register("a.b.c")), (400, "invalid_request".to_owned()));
        assert_eq!(
            said(&scene.register(&provider.assertion_by("k", scene.now()))),
            (400, "invalid_signature".to_owned())
        );
    }
    for status in [200, 200, 200, 429] {
        let reply = scene.admit(&provider);
        assert_eq!(reply.status, status, "{}", reply.text());
        assert_eq!(reply.header("retry-after"), (status == 429).then_some("3600"));
    }
    scene.pass(Duration::from_hours(1));
    assert_eq!(scene.admit(&provider).status, 200);
}
