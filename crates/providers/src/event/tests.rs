//! Tests of the claims of a report.

mod shapes;

use std::sync::LazyLock;

use clock::Time;
use contract::agent_auth::{EVENTS, LOGOUT_EVENT, VERIFICATION_EVENT};
use secrets::Mailbox;
use serde_json::{Value, json};

use super::{Demand, EventError, EventErrorKind, EventSubject, ProviderEvent};
use crate::{
    testing::{ISSUER, NOW_SECONDS, SITE, Signer, event_claims, now, verifier, with},
    {JtiDigest, Verifier},
};

static SIGNER: LazyLock<Signer> = LazyLock::new(|| Signer::eddsa("k"));
static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| verifier(&[&SIGNER]));

/// Verifies a valid report with `changes`, as a security event and as a logout token.
async fn verify_both(changes: &Value) -> [Result<ProviderEvent, EventError>; 2] {
    let claims = with(event_claims(), changes);
    let event = VERIFIER.event(&SIGNER.sign(&SIGNER.header("secevent+jwt"), &claims), now()).await;
    [event, VERIFIER.logout(&SIGNER.sign(&SIGNER.header("logout+jwt"), &claims), now()).await]
}

/// Like [`verify_both`], which must return the same outcome twice.
async fn verify(changes: Value) -> Result<ProviderEvent, EventError> {
    let [event, logout] = verify_both(&changes).await;
    assert_eq!(event, logout, "{changes}");
    event
}

async fn is_invalid_request(changes: Value) -> bool {
    matches!(verify(changes).await, Err(EventError::Refused(EventErrorKind::InvalidRequest(_))))
}

fn user(tenant: Option<&str>, subject: &str) -> Demand {
    Demand::Revoke(EventSubject::Subject { tenant: tenant.map(str::to_owned), subject: subject.to_owned() })
}

#[tokio::test]
async fn valid_report_is_parsed() {
    let expected = ProviderEvent {
        issuer: ISSUER.to_owned(),
        jti: JtiDigest::of_report("event-1"),
        issued_at: Time::from_millis((NOW_SECONDS - 10) * 1000),
        demand: user(Some("t-1"), "user-1"),
    };
    assert_eq!(verify(json!({ "tenant": "t-1" })).await, Ok(expected));
}

#[tokio::test]
async fn every_published_kind_of_event_ends_access_but_the_verification() {
    for kind in EVENTS.into_iter().filter(|kind| *kind != VERIFICATION_EVENT) {
        let [event, logout] = verify_both(&json!({ "events": { kind: {} } })).await;
        assert_eq!(event.unwrap().demand, user(None, "user-1"), "{kind}");
        // A logout token has the event of logout, and may have others beside it (Back-Channel Logout, 2.4).
        assert_eq!(logout.is_ok(), kind == LOGOUT_EVENT, "{kind}");
        let [event, logout] = verify_both(&json!({ "events": { kind: {}, LOGOUT_EVENT: {} } })).await;
        assert_eq!((event.unwrap().demand, logout.is_ok()), (user(None, "user-1"), true), "{kind}");
    }
    let verification = verify_both(&json!({ "events": { VERIFICATION_EVENT: {} } })).await;
    assert_eq!(verification[0].clone().unwrap().demand, Demand::Acknowledge);
    assert!(verification[1].is_err(), "it is no logout");
}

#[tokio::test]
async fn event_of_an_unknown_kind_is_acknowledged() {
    let unknown = "https://schemas.openid.net/secevent/caep/event-type/credential-change";
    for value in [json!({}), json!(true), json!("x"), Value::Null] {
        let [event, logout] = verify_both(&json!({ "events": { unknown: value } })).await;
        assert_eq!(event.unwrap().demand, Demand::Acknowledge);
        assert!(matches!(logout, Err(EventError::Refused(EventErrorKind::InvalidRequest(_)))), "{logout:?}");
        let both = json!({ "events": { unknown: value, EVENTS[1]: {} } });
        assert_eq!(verify(both).await.unwrap().demand, user(None, "user-1"));
    }
    assert_eq!(verify(json!({ "events": { unknown: {}, EVENTS[1]: {} } })).await.unwrap().demand, user(None, "user-1"));
    // A verification event ends nothing, so it needs no subject.
    let nobody = json!({ "events": { VERIFICATION_EVENT: { "state": "x" } }, "sub": null, "sub_id": { "format": "opaque", "id": "s" } });
    assert_eq!(verify_both(&nobody).await[0].clone().unwrap().demand, Demand::Acknowledge);
}

#[tokio::test]
async fn token_without_an_event_is_rejected() {
    for changes in [
        json!({ "events": null }),
        json!({ "events": {} }),
        json!({ "events": [] }),
        json!({ "events": "x" }),
        json!({ "events": { EVENTS[0]: null } }),
        json!({ "events": { EVENTS[0]: 1 } }),
        json!({ "nonce": "n" }),
        json!({ "jti": null }),
        json!({ "jti": "" }),
        json!({ "iat": null }),
        json!({ "iat": "1767225600" }),
        json!({ "aud": null }),
        json!({ "iss": null }),
        json!({ "sub": null }),
        json!({ "sub": null, "sid": "s-1" }),
        json!({ "tenant": 1 }),
        json!({ "sub": "a\u{0}" }),
    ] {
        assert!(is_invalid_request(changes.clone()).await, "{changes}");
    }
}

#[tokio::test]
async fn audience_is_one_of_ours_and_a_security_event_may_have_others_too() {
    assert!(verify(json!({ "aud": [SITE] })).await.is_ok());
    for both in [json!([SITE, "https://other.example"]), json!(["https://other.example", SITE])] {
        let [event, logout] = verify_both(&json!({ "aud": both })).await;
        assert!(event.is_ok(), "{both}");
        assert_eq!(logout, Err(EventError::Refused(EventErrorKind::InvalidAudience)), "{both}");
    }
    assert!(is_invalid_request(json!({ "aud": [SITE, 1] })).await);
    let others = json!([format!("{SITE}/"), "https://other.example"]);
    for audience in [json!(format!("{SITE}/")), others, json!([]), json!("x")] {
        assert_eq!(
            verify(json!({ "aud": audience })).await,
            Err(EventError::Refused(EventErrorKind::InvalidAudience)),
            "{audience}"
        );
    }
}

#[tokio::test]
async fn report_may_be_a_week_old_and_a_minute_ahead() {
    const WEEK: i64 = 7 * 24 * 3600;
    for (offset, is_allowed) in [(59, true), (60, true), (61, false), (-WEEK, true), (-WEEK - 1, false)] {
        let verified = verify(json!({ "iat": NOW_SECONDS + offset })).await;
        assert_eq!(verified.is_ok(), is_allowed, "{offset}: {verified:?}");
    }
    for (offset, is_allowed) in [(100, true), (-59, true), (-60, false), (-61, false)] {
        assert_eq!(verify(json!({ "exp": NOW_SECONDS + offset })).await.is_ok(), is_allowed, "exp {offset}");
    }
    assert!(is_invalid_request(json!({ "nbf": NOW_SECONDS + 61 })).await);
}

#[tokio::test]
async fn subject_can_be_named_in_three_ways() {
    let iss_sub = json!({ "sub": null, "sub_id": { "format": "iss_sub", "iss": ISSUER, "sub": "user-2" } });
    assert_eq!(verify(iss_sub).await.unwrap().demand, user(None, "user-2"));
    let same = json!({ "sub_id": { "format": "iss_sub", "iss": ISSUER, "sub": "user-1" } });
    assert_eq!(verify(same).await.unwrap().demand, user(None, "user-1"));
    let email = json!({ "sub": null, "sub_id": { "format": "email", "email": "Ayse@CLIENT.example" } });
    let expected = Demand::Revoke(EventSubject::Email(Mailbox::parse("ayse@client.example").unwrap()));
    assert_eq!(verify(email).await.unwrap().demand, expected);
}

#[tokio::test]
async fn foreign_or_malformed_subject_is_refused() {
    for sub_id in [
        json!({ "format": "iss_sub", "iss": "https://other.example", "sub": "user-1" }),
        json!({ "format": "iss_sub", "sub": "user-1" }),
        json!({ "format": "iss_sub", "iss": ISSUER }),
        json!({ "format": "iss_sub", "iss": ISSUER, "sub": "" }),
        json!({ "format": "iss_sub", "iss": ISSUER, "sub": "user-2" }),
        json!({ "format": "email", "email": "nobody" }),
        json!({ "format": "email" }),
        json!({ "format": "opaque", "id": "x" }),
        json!({ "format": "ISS_SUB", "iss": ISSUER, "sub": "user-1" }),
        json!({}),
        json!("user-1"),
    ] {
        assert!(is_invalid_request(json!({ "sub_id": sub_id })).await, "{sub_id}");
    }
}

#[tokio::test]
async fn subject_of_a_report_is_no_longer_than_an_asserted_one() {
    for (length, is_allowed) in [(512, true), (513, false)] {
        let name = "x".repeat(length);
        let named = json!({ "sub": null, "sub_id": { "format": "iss_sub", "iss": ISSUER, "sub": name } });
        assert_eq!(!is_invalid_request(named).await, is_allowed, "{length}");
        assert_eq!(!is_invalid_request(json!({ "sub": name })).await, is_allowed, "{length}");
    }
}

#[tokio::test]
async fn repeated_report_is_the_same_report() {
    assert_eq!(verify(json!({})).await, verify(json!({})).await);
}
