//! Tests of the claims of an assertion.

use std::sync::LazyLock;

use clock::Time;
use contract::{
    Locale,
    id_jag::{
        ALG, AUTH_TIME, CLAIMS, CLIENT_ID, EMAIL, EMAIL_VERIFIED, EXP, HEADER, JTI, MAX_AGE, MAX_BYTES,
        MAX_KEY_ID_CHARACTERS, MAX_LIFETIME, MAX_TEXT_BYTES, Need, PHONE_NUMBER, PHONE_NUMBER_VERIFIED, SUB, TENANT,
    },
    scopes::Scope,
};
use secrets::Mailbox;
use serde_json::{Value, json};

use super::{Assertion, AssertionError};
use crate::{
    testing::{ISSUER, NOW_SECONDS, SITE, Signer, assertion_claims, now, verifier, with},
    {JtiDigest, Verifier, keys::Algorithm},
};

static SIGNER: LazyLock<Signer> = LazyLock::new(|| Signer::eddsa("k"));
static VERIFIER: LazyLock<Verifier> = LazyLock::new(|| verifier(&[&SIGNER]));

/// Verifies a valid assertion with `changes`.
async fn verify(changes: Value) -> Result<Assertion, AssertionError> {
    VERIFIER.assertion(&SIGNER.assertion(&with(assertion_claims(), &changes)), now()).await
}

async fn is_invalid_request(changes: Value) -> bool {
    matches!(verify(changes).await, Err(AssertionError::InvalidRequest(_)))
}

#[tokio::test]
async fn valid_assertion_is_parsed() {
    let verified = verify(json!({ "tenant": "t-1", "scope": "content.read openid other" })).await.unwrap();
    let expected = Assertion {
        issuer: ISSUER.to_owned(),
        provider_name: "Example Agents".to_owned(),
        tenant: Some("t-1".to_owned()),
        subject: "user-1".to_owned(),
        client_id: "agent-7".to_owned(),
        client_secret: None,
        jti: JtiDigest::of("jti-1"),
        is_reusable: false,
        issued_at: Time::from_millis((NOW_SECONDS - 10) * 1000),
        expires_at: Time::from_millis((NOW_SECONDS + 290) * 1000),
        has_contact: true,
        email: Mailbox::parse("ayse@client.example"),
        phone: None,
        scopes: Some(vec![Scope::Openid, Scope::ContentRead]),
    };
    assert_eq!(verified, expected);
}

#[tokio::test]
async fn printed_assertion_does_not_identify_the_person() {
    let printed = format!("{:?}", verify(json!({ "tenant": "t-1" })).await.unwrap());
    assert!(printed.contains("agent-7"), "{printed}");
    for secret in ["ayse", "client.example", "user-1", "t-1"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

/// Compares each row of the table with the checks: whether the member is required, and the error.
#[tokio::test]
async fn table_of_claims_matches_the_checks() {
    let both = json!({ PHONE_NUMBER.name: "+905321234567", PHONE_NUMBER_VERIFIED.name: true, "nbf": NOW_SECONDS,
        "scope": "openid", "resource": SITE, "tenant": "t" });
    assert!(verify(both).await.is_ok(), "every member that may be there");
    for member in CLAIMS {
        let without = verify(json!({ member.name: null })).await;
        match member.need {
            // The messages of specific codes are compared in `contract`.
            Need::Required if member == AUTH_TIME => {
                assert_eq!(without, Err(AssertionError::LoginRequired { max_age: MAX_AGE }));
            }
            Need::Required => assert_eq!(without, Err(AssertionError::InvalidRequest(member.missing))),
            Need::Either if [EMAIL, EMAIL_VERIFIED].contains(&member) => {
                assert_eq!(without, Err(AssertionError::MissingVerifiedEmail));
            }
            Need::Optional | Need::Either => assert!(without.is_ok(), "{}", member.name),
            Need::Absent => {
                let present = verify(json!({ member.name: {} })).await;
                assert_eq!((without.is_ok(), present), (true, Err(AssertionError::InvalidRequest(member.broken))));
            }
        }
    }
    for name in [SUB, CLIENT_ID, JTI, TENANT] {
        let of = |length| verify(json!({ name.name: "x".repeat(length) }));
        assert_ne!(of(MAX_TEXT_BYTES).await, Err(AssertionError::InvalidRequest(name.malformed)));
        assert_eq!(of(MAX_TEXT_BYTES + 1).await, Err(AssertionError::InvalidRequest(name.malformed)));
    }
    for (life, expected) in [(MAX_LIFETIME, None), (MAX_LIFETIME + 1, Some(AssertionError::InvalidRequest(EXP.broken)))]
    {
        let changes = json!({ "iat": NOW_SECONDS, "exp": NOW_SECONDS + i64::try_from(life).unwrap() });
        assert_eq!(verify(changes).await.err(), expected);
    }
}

#[tokio::test]
async fn table_of_the_header_matches_the_checks() {
    let judged = async |changes: Value| {
        let header = with(SIGNER.header("oauth-id-jag+jwt"), &changes);
        VERIFIER.assertion(&SIGNER.sign(&header, &assertion_claims()), now()).await
    };
    assert!(judged(json!({})).await.is_ok());
    for member in HEADER {
        let without = judged(json!({ member.name: null })).await;
        let (changed, message) = match member.need {
            Need::Required => (without, if member == ALG { member.missing } else { member.broken }),
            Need::Absent => (judged(json!({ member.name: {} })).await, member.broken),
            // A single key is found without a `kid`.
            Need::Optional | Need::Either => {
                assert!(without.is_ok());
                let long = "k".repeat(MAX_KEY_ID_CHARACTERS + 1);
                (judged(json!({ member.name: long })).await, member.malformed)
            }
        };
        assert_eq!(changed, Err(AssertionError::InvalidRequest(message)));
    }
    let message = ALG.must_be(Locale::En);
    let names = message.split([',', ' ']).filter(|word| word.chars().any(char::is_uppercase));
    assert_eq!(names.collect::<Vec<_>>(), Algorithm::ALL.map(Algorithm::name));
    let long = "x".repeat(MAX_BYTES + 1);
    assert!(matches!(VERIFIER.assertion(&long, now()).await, Err(AssertionError::InvalidRequest(message))
        if message.contains(&MAX_BYTES.to_string())));
}

#[tokio::test]
async fn every_required_claim_is_required() {
    for name in ["iss", "sub", "aud", "client_id", "jti", "exp", "iat"] {
        assert!(is_invalid_request(json!({ name: null })).await, "without {name}");
        for value in [json!(""), json!([]), json!({}), json!(true)] {
            let refused = verify(json!({ name: value })).await;
            assert!(
                matches!(refused, Err(AssertionError::InvalidRequest(_) | AssertionError::InvalidAudience)),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn claims_that_are_not_known_do_not_matter() {
    let more = json!({ "acr": "x", "amr": ["pwd"], "act": { "sub": "y" }, "aud_sub": "z", "https://a.example/x": [1] });
    assert!(verify(more).await.is_ok());
}

#[tokio::test]
async fn audience_is_exactly_one_of_ours() {
    for audience in [json!(SITE), json!([SITE]), json!(format!("{SITE}/mcp")), json!([format!("{SITE}/api/v1")])] {
        assert!(verify(json!({ "aud": audience })).await.is_ok(), "{audience}");
    }
    for audience in [
        json!(format!("{SITE}/")),
        json!("https://FIRM.example"),
        json!("https://firm.example:443"),
        json!("http://firm.example"),
        json!("firm.example"),
        json!(format!("{SITE}/oauth2/token")),
        json!(format!(" {SITE}")),
        json!("https://other.example"),
        json!([SITE, "https://other.example"]),
        json!(["https://other.example", SITE]),
        json!([SITE, SITE]),
        json!([SITE, format!("{SITE}/mcp")]),
        json!([]),
        json!(""),
        json!("*"),
    ] {
        assert_eq!(verify(json!({ "aud": audience })).await, Err(AssertionError::InvalidAudience), "{audience}");
    }
    for audience in [json!(1), json!({ "aud": SITE }), json!([1]), json!([[SITE]])] {
        assert!(is_invalid_request(json!({ "aud": audience })).await, "{audience}");
    }
}

#[tokio::test]
async fn resource_that_is_named_must_be_ours() {
    assert!(verify(json!({ "resource": SITE })).await.is_ok());
    assert!(verify(json!({ "resource": ["https://other.example", format!("{SITE}/mcp")] })).await.is_ok());
    assert!(verify(json!({ "resource": format!("{SITE}/") })).await.is_ok());
    for resource in [json!("https://other.example"), json!([]), json!(format!("{SITE}//")), json!("/")] {
        assert_eq!(verify(json!({ "resource": resource })).await, Err(AssertionError::InvalidAudience), "{resource}");
    }
}

/// Moves `exp`, `iat`, `nbf` and `auth_time` to 59, 60 and 61 seconds from the limit.
#[tokio::test]
async fn clocks_may_differ_by_sixty_seconds() {
    let expired = Err(AssertionError::Expired);
    let early = Err(());
    let stale = Err(AssertionError::LoginRequired { max_age: 3600 });
    for (since, expected) in [(59, Ok(())), (60, expired), (61, expired)] {
        let changes = json!({ "iat": NOW_SECONDS - 300, "exp": NOW_SECONDS - since });
        assert_eq!(verify(changes).await.map(drop), expected, "exp {since} s ago");
    }
    for (ahead, expected) in [(59, Ok(())), (60, Ok(())), (61, early)] {
        for name in ["iat", "nbf"] {
            let verified = verify(json!({ name: NOW_SECONDS + ahead })).await;
            let is_expected = match expected {
                Ok(()) => verified.is_ok(),
                Err(()) => matches!(verified, Err(AssertionError::InvalidRequest(_))),
            };
            assert!(is_expected, "{name} {ahead} s ahead: {verified:?}");
        }
    }
    for (age, expected) in [(3600, Ok(())), (3659, Ok(())), (3660, Ok(())), (3661, stale), (i64::MAX / 2, stale)] {
        let auth_time = json!({ "auth_time": (NOW_SECONDS - age).max(0) });
        assert_eq!(verify(auth_time).await.map(drop), expected, "auth_time {age} s ago");
    }
    for (ahead, expected) in [(59, Ok(())), (60, Ok(())), (61, stale)] {
        let auth_time = json!({ "auth_time": NOW_SECONDS + ahead });
        assert_eq!(verify(auth_time).await.map(drop), expected, "auth_time {ahead} s ahead");
    }
}

#[tokio::test]
async fn assertion_is_valid_for_at_most_ten_minutes() {
    for (life, is_allowed) in
        [(1, true), (599, true), (600, true), (601, false), (86_400, false), (0, false), (-5, false)]
    {
        let changes = json!({ "iat": NOW_SECONDS, "exp": NOW_SECONDS + life });
        let verified = verify(changes).await;
        assert_eq!(verified.is_ok(), is_allowed, "{life} s: {verified:?}");
        assert!(is_allowed || matches!(verified, Err(AssertionError::InvalidRequest(_))), "{life} s");
    }
}

#[tokio::test]
async fn times_are_numbers_of_seconds() {
    for name in ["exp", "iat", "nbf", "auth_time"] {
        for value in [json!("1767225600"), json!(-1), json!(NOW_SECONDS * 1000), json!([]), json!(1e300), json!(true)] {
            assert!(is_invalid_request(json!({ name: value })).await, "{name} {value}");
        }
    }
    let fraction = json!({ "iat": 1_767_225_599.5, "exp": 1_767_225_700.25 });
    assert_eq!(verify(fraction).await.unwrap().expires_at, Time::from_millis(NOW_SECONDS * 1000 + 100_250));
}

#[tokio::test]
async fn missing_sign_in_time_requires_login() {
    assert_eq!(verify(json!({ "auth_time": null })).await, Err(AssertionError::LoginRequired { max_age: 3600 }));
}

#[tokio::test]
async fn issuer_speaks_for_its_own_agents() {
    assert!(verify(json!({ "client_id": ISSUER })).await.is_ok());
    for client in ["agent-8", "AGENT-7", "agent-7 ", "https://agents.example/", "*"] {
        assert_eq!(verify(json!({ "client_id": client })).await, Err(AssertionError::InvalidClientId), "{client}");
    }
}

#[tokio::test]
async fn assertion_that_is_bound_to_a_key_is_refused() {
    for value in [json!({ "jkt": "x" }), json!({}), json!("x")] {
        assert!(is_invalid_request(json!({ "cnf": value })).await, "{value}");
    }
    let text = assertion_claims().to_string().replacen('{', "{\"cnf\":null,", 1);
    let token = SIGNER.sign_text(&SIGNER.header("oauth-id-jag+jwt").to_string(), &text);
    assert!(matches!(VERIFIER.assertion(&token, now()).await, Err(AssertionError::InvalidRequest(_))));
}

#[tokio::test]
async fn only_verified_contacts_are_accepted() {
    const MISSING: Result<(), AssertionError> = Err(AssertionError::MissingVerifiedEmail);
    for changes in [
        json!({ "email": null }),
        json!({ "email_verified": null }),
        json!({ "email_verified": false }),
        json!({ "email_verified": "true" }),
        json!({ "email_verified": 1 }),
        json!({ "email": null, "phone_number": "+905321234567" }),
        json!({ "email": null, "phone_number": "+905321234567", "phone_number_verified": "true" }),
        json!({ "email": null, "phone_number_verified": true }),
    ] {
        assert_eq!(verify(changes.clone()).await.map(drop), MISSING, "{changes}");
    }
    let phone = json!({ "email": null, "phone_number": "+905321234567", "phone_number_verified": true });
    let verified = verify(phone).await.unwrap();
    assert_eq!((verified.email, verified.phone.as_deref()), (None, Some("+905321234567")));
    let unverified = json!({ "email_verified": false, "phone_number": "+905321234567", "phone_number_verified": true });
    assert_eq!(verify(unverified).await.unwrap().email, None, "what is not verified is not passed on");
    for bad in ["ayse", "a@b@c.example", "\"x\"@c.example", "a@[192.0.2.1]", "a@0x7f.1", "b@c.example!a@d.example"] {
        assert!(is_invalid_request(json!({ "email": bad })).await, "{bad}");
    }
    let folded = verify(json!({ "email": "A.K@BÜCHER.example" })).await.unwrap().email.unwrap();
    assert_eq!(folded.as_str(), "a.k@xn--bcher-kva.example");
}

#[tokio::test]
async fn control_characters_are_refused_everywhere() {
    for name in ["sub", "client_id", "jti", "tenant", "email", "scope", "something_else"] {
        for text in ["a\u{0}b", "a\r\nSet-Cookie: b", "a\u{1b}[2J", "a\u{7f}", "a\u{85}"] {
            assert!(is_invalid_request(json!({ name: text })).await, "{name} {text:?}");
        }
    }
    assert!(is_invalid_request(json!({ "act": { "deep": ["x\n"] } })).await);
}

#[tokio::test]
async fn names_have_a_maximum_length() {
    for name in ["sub", "jti", "tenant", "client_id", "email"] {
        assert!(is_invalid_request(json!({ name: "x".repeat(513) })).await, "{name}");
    }
}

#[tokio::test]
async fn scopes_narrow_and_never_widen() {
    for (scope, expected) in [
        (json!(null), None),
        (json!("content.read"), Some(vec![Scope::ContentRead])),
        (json!("mcp.read openid mcp.read"), Some(vec![Scope::Openid, Scope::McpRead])),
        (json!("admin Content.Read content.read,openid"), Some(vec![])),
    ] {
        assert_eq!(verify(json!({ "scope": scope })).await.unwrap().scopes, expected, "{scope}");
    }
    assert!(is_invalid_request(json!({ "scope": ["content.read"] })).await);
}

#[tokio::test]
async fn first_failed_check_is_reported() {
    let expired = json!({ "exp": NOW_SECONDS - 100, "iat": NOW_SECONDS - 200 });
    let wrong = |more: Value| with(with(json!({ "auth_time": 1, "email": null, "client_id": "x" }), &expired), &more);
    assert_eq!(verify(wrong(json!({ "aud": "x" }))).await, Err(AssertionError::InvalidAudience));
    assert_eq!(verify(wrong(json!({}))).await, Err(AssertionError::Expired));
    let client = json!({ "client_id": "x", "email_verified": false, "auth_time": 1 });
    assert_eq!(verify(client).await, Err(AssertionError::InvalidClientId));
    let contact = json!({ "email_verified": false, "auth_time": 1 });
    assert_eq!(verify(contact).await, Err(AssertionError::MissingVerifiedEmail));
}
