//! Reports in the published shapes of providers, with other names and times.

use std::path::Path;

use super::*;
use crate::{Keys, Trust};

/// The endpoint of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Logout,
    Event,
}

/// A report: provider, endpoint, the `typ` of its header, issuer, claims besides `iss`, `aud`, `iat` and `jti`, and the
/// expected demand.
type Shape = (&'static str, Way, Option<&'static str>, &'static str, Value, Demand);

const LOGOUT: &str = "http://schemas.openid.net/event/backchannel-logout";
const SESSION_REVOKED: &str = "https://schemas.openid.net/secevent/caep/event-type/session-revoked";
const CLIENT: &str = "0oa1client";

fn logouts() -> Vec<Shape> {
    use Way::Logout;
    let exp = NOW_SECONDS + 110;
    let events = json!({ LOGOUT: {} });
    let realm = "https://sso.example/realms/firm";
    vec![
        (
            "Keycloak",
            Logout,
            Some("logout+jwt"),
            realm,
            json!({ "exp": exp, "sub": "f2b1", "typ": "Logout", "sid": "c7-1", "events": events }),
            user(None, "f2b1"),
        ),
        (
            "Keycloak, which also revokes offline sessions",
            Logout,
            Some("logout+jwt"),
            realm,
            json!({
                "exp": exp, "sub": "f2b1", "typ": "Logout", "sid": "c7-1",
                "events": { LOGOUT: {}, "revoke_offline_access": true },
            }),
            user(None, "f2b1"),
        ),
        (
            "Authentik",
            Logout,
            Some("logout+jwt"),
            "https://auth.example/application/o/firm/",
            json!({ "exp": exp, "sub": "9e10", "sid": "a1", "events": events }),
            user(None, "9e10"),
        ),
        (
            "Authelia",
            Logout,
            Some("logout+jwt"),
            "https://login.example",
            json!({ "exp": exp, "sub": "5d02", "sid": "b2", "client_id": CLIENT, "events": events }),
            user(None, "5d02"),
        ),
        (
            "Auth0",
            Logout,
            Some("logout+jwt"),
            "https://firm.eu.auth0.example/",
            json!({ "sub": "auth0|602e93", "sid": "375UJ8", "trace_id": "7b1f", "events": events }),
            user(None, "auth0|602e93"),
        ),
        (
            "Okta",
            Logout,
            Some("logout+jwt"),
            "https://firm.okta.example",
            json!({ "exp": exp, "sub": "00u1", "sid": "102", "events": events }),
            user(None, "00u1"),
        ),
        (
            "Entra",
            Logout,
            Some("logout+jwt"),
            "https://login.microsoftonline.example/7f0c/v2.0",
            json!({
                "exp": exp, "nbf": NOW_SECONDS - 10, "sub": "AAAA", "oid": "11-22", "tid": "7f0c", "sid": "3", "ver": "2.0",
                "events": events,
            }),
            user(None, "AAAA"),
        ),
    ]
}

fn events() -> Vec<Shape> {
    use Way::Event;
    const GOOGLE: &str = "https://accounts.google.example/";
    const OKTA: &str = "https://firm.okta.example";
    const RISC: &str = "https://schemas.openid.net/secevent/risc/event-type";
    let of_google = |kind: String, more: Value, demand| {
        let subject = json!({ "subject_type": "iss-sub", "iss": GOOGLE, "sub": "7375" });
        let event = with(json!({ "subject": subject }), &more);
        ("Google", Event, Some("JWT"), GOOGLE, json!({ "events": { kind: event } }), demand)
    };
    let of_apple = |kind: &str, demand| {
        let event = json!({ "type": kind, "sub": "000.ab", "event_time": NOW_SECONDS * 1000, "email": "x@relay.example", "is_private_email": "true" });
        ("Apple", Event, None, "https://appleid.apple.example", json!({ "events": event.to_string() }), demand)
    };
    let disabled = json!({ "reason": "hijacking" });
    vec![
        of_google(format!("{RISC}/account-disabled"), disabled, user(None, "7375")),
        of_google(format!("{RISC}/sessions-revoked"), json!({}), user(None, "7375")),
        of_google(
            "https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked".into(),
            json!({}),
            user(None, "7375"),
        ),
        of_google(format!("{RISC}/account-enabled"), json!({}), Demand::Acknowledge),
        of_google(format!("{RISC}/verification"), json!({ "subject": null, "state": "s" }), Demand::Acknowledge),
        of_apple("consent-revoked", user(None, "000.ab")),
        of_apple("account-delete", user(None, "000.ab")),
        of_apple("email-disabled", Demand::Acknowledge),
        (
            "Okta",
            Event,
            Some("secevent+jwt"),
            OKTA,
            json!({ "events": { SESSION_REVOKED: {
                "event_timestamp": NOW_SECONDS, "initiating_entity": "policy", "reason_admin": { "en": "risk" },
                "subject": {
                    "user": { "format": "iss_sub", "iss": OKTA, "sub": "00u1" },
                    "tenant": { "format": "iss_sub", "iss": OKTA, "sub": "00o1" },
                    "session": { "format": "opaque", "id": "102" },
                },
            } } }),
            user(None, "00u1"),
        ),
        (
            "Shared Signals Framework 1.0, as Entra and others send it",
            Event,
            Some("secevent+jwt"),
            "https://login.microsoftonline.example/7f0c/v2.0",
            json!({
                "txn": "8675309",
                "sub_id": {
                    "format": "complex",
                    "user": { "format": "email", "email": "ayse@client.example" },
                    "session": { "format": "opaque", "id": "3" },
                },
                "events": { SESSION_REVOKED: { "event_timestamp": NOW_SECONDS } },
            }),
            Demand::Revoke(EventSubject::Email(Mailbox::parse("ayse@client.example").unwrap())),
        ),
    ]
}

/// Returns a verifier that trusts every issuer of the table.
fn verifier_of(shapes: &[Shape]) -> Verifier {
    let mut issuers: Vec<_> = shapes.iter().map(|shape| shape.3).collect();
    issuers.sort_unstable();
    issuers.dedup();
    let keys = json!({ "keys": [SIGNER.jwk] });
    let provider = |issuer| {
        format!("[[provider]]\nissuer = '{issuer}'\nname = 'P'\nevent_audiences = ['{CLIENT}']\njwks = '{keys}'\n")
    };
    let text = issuers.into_iter().map(provider).collect::<Vec<_>>().concat();
    Verifier::new(Trust::parse(Path::new("trust.toml"), &text).unwrap(), vec![SITE.to_owned()], &Keys::over_https())
}

#[tokio::test]
async fn reports_of_real_providers_are_understood() {
    let shapes = [logouts(), events()].concat();
    let verifier = verifier_of(&shapes);
    for (index, (name, way, typ, issuer, claims, demand)) in shapes.into_iter().enumerate() {
        let common = json!({ "iss": issuer, "aud": CLIENT, "iat": NOW_SECONDS - 10, "jti": format!("j{index}") });
        let claims = with(common, &claims);
        let header = with(SIGNER.header(""), &json!({ "typ": typ }));
        let hand_in = async |claims: &Value| {
            let token = SIGNER.sign(&header, claims);
            match way {
                Way::Logout => verifier.logout(&token, now()).await,
                Way::Event => verifier.event(&token, now()).await,
            }
        };
        let report = hand_in(&claims).await;
        assert_eq!(report.map(|report| report.demand), Ok(demand.clone()), "{name}: {claims}");
        // The report is for one client of the provider only.
        let other = hand_in(&with(claims.clone(), &json!({ "aud": "0oa2other" }))).await;
        assert_eq!(other, Err(EventError::Refused(EventErrorKind::InvalidAudience)), "{name}");
        if way == Way::Logout {
            for events in
                [json!({}), json!({ "revoke_offline_access": true }), json!({ LOGOUT: true }), json!({ LOGOUT: null })]
            {
                let without = hand_in(&with(claims.clone(), &json!({ "events": events }))).await;
                let refused = matches!(without, Err(EventError::Refused(EventErrorKind::InvalidRequest(_))));
                assert!(refused, "{name}: {events} {without:?}");
            }
        }
    }
}

#[tokio::test]
async fn example_of_the_manual_is_accepted() {
    let manual = include_str!("../../../../../docs/registrations.md");
    let (_, rest) = manual.split_once("POST /agent/auth/revoke HTTP/1.1").unwrap();
    let (_, rest) = rest.split_once("```json\n").unwrap();
    let mut claims: Value = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();
    let issuer = claims["iss"].as_str().unwrap().to_owned();
    assert_eq!(claims["aud"], SITE);
    claims["iat"] = (NOW_SECONDS - 10).into();
    let keys = json!({ "keys": [SIGNER.jwk] });
    let text = format!("[[provider]]\nissuer = '{issuer}'\nname = 'P'\njwks = '{keys}'\n");
    let trust = Trust::parse(Path::new("trust.toml"), &text).unwrap();
    let verifier = Verifier::new(trust, vec![SITE.to_owned()], &Keys::over_https());
    let report = verifier.event(&SIGNER.sign(&SIGNER.header("secevent+jwt"), &claims), now()).await;
    assert_eq!(report.map(|report| report.demand), Ok(user(None, "user-7")));
}

#[tokio::test]
async fn event_audience_of_one_provider_is_not_accepted_from_another() {
    let shapes = logouts();
    let verifier = verifier_of(&shapes);
    let of_site = with(event_claims(), &json!({ "iss": shapes[0].3, "aud": SITE }));
    assert!(verifier.event(&SIGNER.sign(&SIGNER.header("secevent+jwt"), &of_site), now()).await.is_ok());
    let claims = with(event_claims(), &json!({ "aud": CLIENT }));
    let token = SIGNER.sign(&SIGNER.header("secevent+jwt"), &claims);
    assert_eq!(VERIFIER.event(&token, now()).await, Err(EventError::Refused(EventErrorKind::InvalidAudience)));
}

#[tokio::test]
async fn event_about_two_subjects_or_none_is_rejected() {
    let about = |sub: &str| json!({ "subject": { "format": "iss_sub", "iss": ISSUER, "sub": sub } });
    let whole = |user: Value| json!({ "subject": { "format": "complex", "user": user } });
    let nobody = json!({ "format": "opaque", "id": "x" });
    let verify = async |changes: Value| {
        VERIFIER.event(&SIGNER.sign(&SIGNER.header("secevent+jwt"), &with(event_claims(), &changes)), now()).await
    };
    for (changes, is_understood) in [
        (json!({ "sub": null, "events": { SESSION_REVOKED: about("user-1") } }), true),
        (json!({ "sub": null, "events": { SESSION_REVOKED: about("user-1"), EVENTS[3]: about("user-1") } }), true),
        (json!({ "events": { SESSION_REVOKED: about("user-1") } }), true),
        (json!({ "events": { SESSION_REVOKED: about("user-2") } }), false),
        (json!({ "sub": null, "events": { SESSION_REVOKED: about("user-1"), EVENTS[3]: about("user-2") } }), false),
        (json!({ "sub": null, "events": { SESSION_REVOKED: { "sub": "user-1" }, EVENTS[3]: about("user-2") } }), false),
        (
            json!({ "sub": null, "events": { SESSION_REVOKED: about("user-1") },
                "sub_id": { "format": "iss_sub", "iss": ISSUER, "sub": "user-2" } }),
            false,
        ),
        (json!({ "sub": null, "events": { SESSION_REVOKED: { "subject": "user-1" } } }), false),
        (json!({ "sub": null, "events": { SESSION_REVOKED: { "sub": 7 } } }), false),
        (json!({ "sub": null, "events": { SESSION_REVOKED: whole(nobody.clone()) } }), false),
        (json!({ "sub": null, "events": { SESSION_REVOKED: whole(json!({ "user": nobody })) } }), false),
        (json!({ "sub": null, "events": { SESSION_REVOKED: whole(Value::Null) } }), false),
        (json!({ "sub": null, "events": "{\"type\":\"consent-revoked\"}" }), false),
        (json!({ "events": "{\"sub\":\"user-1\"}" }), false),
        (json!({ "events": "{\"type\":\"consent-revoked\",\"type\":\"x\",\"sub\":\"user-1\"}" }), false),
    ] {
        let report = verify(changes.clone()).await;
        match report {
            Ok(report) => assert!(is_understood && report.demand == user(None, "user-1"), "{changes}"),
            Err(EventError::Refused(EventErrorKind::InvalidRequest(_))) => assert!(!is_understood, "{changes}"),
            Err(other) => panic!("{changes}: {other:?}"),
        }
    }
}
