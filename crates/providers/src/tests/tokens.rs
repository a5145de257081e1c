//! The header of a token, and which members of it are trusted.

use std::net::TcpListener;

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::testing::{ISSUER, Signer, assertion_claims, base64url, event_claims, now, verifier, with};
use crate::{
    assertion::AssertionError,
    event::{Demand, EventError, EventErrorKind},
};

#[tokio::test]
async fn token_of_every_algorithm_is_accepted() {
    let signers = Signer::of_every_algorithm();
    let verifier = verifier(&signers.each_ref());
    for signer in &signers {
        let outcome = verifier.assertion(&signer.assertion(&assertion_claims()), now()).await;
        assert_eq!(outcome.unwrap().subject, "user-1", "{}", signer.algorithm);
    }
}

#[tokio::test]
async fn signature_by_another_key_is_refused_with_every_algorithm() {
    let verifier = verifier(&Signer::of_every_algorithm().each_ref());
    // The tests share their RSA keys, so the foreign key is the one for the other algorithm.
    for mut stranger in [Signer::es256("e2"), Signer::es384("e3"), Signer::eddsa("ed"), Signer::ps256("r")] {
        if stranger.kid() == "r" {
            stranger.algorithm = "RS256";
        }
        let refused = verifier.assertion(&stranger.assertion(&assertion_claims()), now()).await;
        assert_eq!(refused, Err(AssertionError::InvalidSignature), "{}", stranger.algorithm);
    }
}

#[tokio::test]
async fn algorithm_none_is_rejected_in_every_spelling() {
    let signer = Signer::es256("k");
    let verifier = verifier(&[&signer]);
    for name in ["none", "None", "NONE", "nOnE", "", "es256", "ES256 ", "HS256", "HS512", "RS512", "ES256K"] {
        let header = json!({ "typ": "oauth-id-jag+jwt", "alg": name, "kid": "k" });
        let token = signer.sign(&header, &assertion_claims());
        assert_eq!(verifier.assertion(&token, now()).await, Err(AssertionError::InvalidSignature), "{name}");
        let (message, _) = token.rsplit_once('.').unwrap();
        let unsigned = format!("{message}.");
        assert_eq!(verifier.assertion(&unsigned, now()).await, Err(AssertionError::InvalidSignature), "{name}");
    }
    for header in [json!({ "typ": "oauth-id-jag+jwt" }), json!({ "typ": "oauth-id-jag+jwt", "alg": ["ES256"] })] {
        let refused = verifier.assertion(&signer.sign(&header, &assertion_claims()), now()).await;
        assert!(matches!(refused, Err(AssertionError::InvalidRequest(_))), "{header}");
    }
}

#[tokio::test]
async fn public_key_is_not_accepted_as_hmac_secret() {
    let signer = Signer::rs256("k");
    let verifier = verifier(&[&signer]);
    let der = signer.public_der();
    let base64 = STANDARD.encode(&der);
    let lines: Vec<_> = base64.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let pem = format!("-----BEGIN RSA PUBLIC KEY-----\n{}\n-----END RSA PUBLIC KEY-----\n", lines.join("\n"));
    let secrets = [der, pem.clone().into_bytes(), pem.trim().as_bytes().to_vec(), signer.jwk.to_string().into_bytes()];
    for secret in secrets {
        for name in ["HS256", "RS256"] {
            let header = json!({ "typ": "oauth-id-jag+jwt", "alg": name, "kid": "k" });
            let message = format!(
                "{}.{}",
                base64url(header.to_string().as_bytes()),
                base64url(assertion_claims().to_string().as_bytes())
            );
            let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), message.as_bytes());
            let forged = format!("{message}.{}", base64url(tag.as_ref()));
            assert_eq!(verifier.assertion(&forged, now()).await, Err(AssertionError::InvalidSignature));
        }
    }
}

#[tokio::test]
async fn key_verifies_its_own_algorithm_only() {
    let (mut signer, other) = (Signer::rs256("k"), Signer::es256("e"));
    let verifier = verifier(&[&signer, &other]);
    for algorithm in ["PS256", "ES256", "ES384", "EdDSA"] {
        signer.algorithm = algorithm;
        let refused = verifier.assertion(&signer.assertion(&assertion_claims()), now()).await;
        assert_eq!(refused, Err(AssertionError::InvalidSignature), "{algorithm}");
    }
}

#[tokio::test]
async fn eddsa_and_ed25519_are_one_algorithm() {
    let mut signer = Signer::eddsa("ed");
    for published in ["EdDSA", "Ed25519"] {
        signer.jwk["alg"] = json!(published);
        for algorithm in ["EdDSA", "Ed25519"] {
            signer.algorithm = algorithm;
            let accepted = verifier(&[&signer]).assertion(&signer.assertion(&assertion_claims()), now()).await;
            assert!(accepted.is_ok(), "{published} {algorithm}: {accepted:?}");
        }
    }
    signer.algorithm = "Ed448";
    let refused = verifier(&[&signer]).assertion(&signer.assertion(&assertion_claims()), now()).await;
    assert_eq!(refused, Err(AssertionError::InvalidSignature));
}

#[tokio::test]
async fn algorithm_not_allowed_for_the_issuer_is_rejected() {
    let (allowed, denied) = (Signer::es256("e"), Signer::eddsa("d"));
    let text = format!(
        "[[provider]]\nissuer = '{ISSUER}'\nname = 'A'\nalgorithms = ['ES256']\nclient_ids = ['agent-7']\njwks = '{}'",
        json!({ "keys": [allowed.jwk] })
    );
    let trust = super::Trust::parse(std::path::Path::new("t"), &text).unwrap();
    let verifier = super::Verifier::new(trust, vec![super::SITE.to_owned()], &super::Keys::over_https());
    assert!(verifier.assertion(&allowed.assertion(&assertion_claims()), now()).await.is_ok());
    let refused = verifier.assertion(&denied.assertion(&assertion_claims()), now()).await;
    assert_eq!(refused, Err(AssertionError::InvalidSignature));
}

#[tokio::test]
async fn kid_is_compared_with_names_of_keys_only() {
    let signer = Signer::es256("k");
    let verifier = verifier(&[&signer]);
    for kid in ["../../etc/passwd", "'; DROP TABLE registration; --", "K", "k ", "", "https://evil.example/k", "*"] {
        let header = with(signer.header("oauth-id-jag+jwt"), &json!({ "kid": kid }));
        let refused = verifier.assertion(&signer.sign(&header, &assertion_claims()), now()).await;
        assert_eq!(refused, Err(AssertionError::InvalidSignature), "{kid}");
    }
    let megabyte = "k".repeat(1 << 20);
    for kid in [json!("k\u{0}"), json!("k\r\nx"), json!("k".repeat(129)), json!(megabyte), json!(7), json!(["k"])] {
        let header = with(signer.header("oauth-id-jag+jwt"), &json!({ "kid": kid }));
        let refused = verifier.assertion(&signer.sign(&header, &assertion_claims()), now()).await;
        assert!(matches!(refused, Err(AssertionError::InvalidRequest(_))), "{:.40}", kid.to_string());
    }
    let header = with(signer.header("oauth-id-jag+jwt"), &json!({ "kid": "k".repeat(128) }));
    let refused = verifier.assertion(&signer.sign(&header, &assertion_claims()), now()).await;
    assert_eq!(refused, Err(AssertionError::InvalidSignature));
}

#[tokio::test]
async fn token_without_key_name_is_for_the_only_key() {
    let (one, other) = (Signer::es256("a"), Signer::es256("b"));
    let nameless = one.sign(&json!({ "typ": "oauth-id-jag+jwt", "alg": "ES256" }), &assertion_claims());
    assert!(verifier(&[&one]).assertion(&nameless, now()).await.is_ok());
    let refused = verifier(&[&one, &other]).assertion(&nameless, now()).await;
    assert_eq!(refused, Err(AssertionError::InvalidSignature));
}

#[tokio::test]
async fn token_cannot_bring_its_own_key() {
    let (signer, attacker) = (Signer::es256("k"), Signer::es256("k"));
    let verifier = verifier(&[&signer]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let own = json!({ "jku": url, "x5u": url, "jwk": attacker.jwk, "x5c": ["MIIB"], "x5t": "AAAA" });
    let forged = attacker.sign(&with(attacker.header("oauth-id-jag+jwt"), &own), &assertion_claims());
    assert_eq!(verifier.assertion(&forged, now()).await, Err(AssertionError::InvalidSignature));
    // The members are ignored: the key of the trust list is used, and theirs is not fetched.
    let genuine = signer.sign(&with(signer.header("oauth-id-jag+jwt"), &own), &assertion_claims());
    assert!(verifier.assertion(&genuine, now()).await.is_ok());
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "a key was fetched");
}

#[tokio::test]
async fn header_with_an_extension_is_rejected() {
    let signer = Signer::es256("k");
    let verifier = verifier(&[&signer]);
    for extension in [
        json!({ "crit": ["exp"], "exp": 1 }),
        json!({ "crit": [] }),
        json!({ "crit": ["b64"], "b64": false }),
        json!({ "b64": true }),
        json!({ "zip": "DEF" }),
    ] {
        let header = with(signer.header("oauth-id-jag+jwt"), &extension);
        let refused = verifier.assertion(&signer.sign(&header, &assertion_claims()), now()).await;
        assert!(matches!(refused, Err(AssertionError::InvalidRequest(_))), "{extension}");
    }
    let nothing = r#"{"typ":"oauth-id-jag+jwt","alg":"ES256","kid":"k","crit":null}"#;
    let refused = verifier.assertion(&signer.sign_text(nothing, &assertion_claims().to_string()), now()).await;
    assert!(matches!(refused, Err(AssertionError::InvalidRequest(_))));
}

#[tokio::test]
async fn duplicate_claim_is_rejected_although_signed() {
    let signer = Signer::es256("k");
    let verifier = verifier(&[&signer]);
    let (header, claims) = (signer.header("oauth-id-jag+jwt").to_string(), assertion_claims().to_string());
    let doubled_claim = claims.replacen('{', r#"{"sub":"user-2","#, 1);
    let doubled_alg = header.replacen('{', r#"{"alg":"none","#, 1);
    for (header, claims) in [(&header, &doubled_claim), (&doubled_alg, &claims)] {
        let refused = verifier.assertion(&signer.sign_text(header, claims), now()).await;
        assert!(matches!(refused, Err(AssertionError::InvalidRequest(_))), "{header} {claims}");
    }
}

#[tokio::test]
async fn kinds_of_tokens_are_not_interchangeable() {
    let signer = Signer::es256("k");
    let verifier = verifier(&[&signer]);
    // Claims valid for every kind, so that only `typ` distinguishes them.
    let claims = with(assertion_claims(), &json!({ "events": event_claims()["events"] }));
    let types = ["oauth-id-jag+jwt", "logout+jwt", "secevent+jwt"];
    for (own, typ) in types.into_iter().enumerate() {
        let token = signer.sign(&signer.header(typ), &claims);
        let accepted = [
            verifier.assertion(&token, now()).await.is_ok(),
            verifier.logout(&token, now()).await.is_ok(),
            verifier.event(&token, now()).await.is_ok(),
        ];
        assert_eq!(accepted, [own == 0, own == 1, own == 2], "{typ}");
    }
    for typ in ["at+jwt", "JWS", "OAUTH-ID-JAG+JWT", "application/oauth-id-jag+jwt", "oauth-id-jag+jwt ", ""] {
        let token = signer.sign(&signer.header(typ), &claims);
        assert!(matches!(verifier.assertion(&token, now()).await, Err(AssertionError::InvalidRequest(_))), "{typ}");
        assert!(
            matches!(verifier.event(&token, now()).await, Err(EventError::Refused(EventErrorKind::InvalidRequest(_)))),
            "{typ}"
        );
    }
    for (typ, is_event) in [
        ("application/secevent+jwt", true),
        ("Application/SecEvent+JWT", true),
        ("application/application/secevent+jwt", false),
        ("text/secevent+jwt", false),
        ("application/logout+jwt", false),
        ("LOGOUT+JWT", false),
    ] {
        let token = signer.sign(&signer.header(typ), &claims);
        assert_eq!(verifier.event(&token, now()).await.is_ok(), is_event, "{typ}");
        assert_eq!(verifier.logout(&token, now()).await.is_ok(), typ.to_lowercase().ends_with("logout+jwt"), "{typ}");
    }
    // A security event without a `typ` is recognized by `events`; the others require one.
    for header in [json!({}), json!({ "typ": "JWT" }), json!({ "typ": "jwt" })] {
        let header = with(json!({ "alg": "ES256", "kid": "k" }), &header);
        let untyped = signer.sign(&header, &claims);
        assert!(matches!(verifier.assertion(&untyped, now()).await, Err(AssertionError::InvalidRequest(_))));
        assert!(verifier.logout(&untyped, now()).await.is_err() && verifier.event(&untyped, now()).await.is_ok());
        let identity = signer.sign(&header, &assertion_claims());
        assert!(verifier.logout(&identity, now()).await.is_err() && verifier.event(&identity, now()).await.is_err());
    }
    for typ in [json!(null), json!(1), json!(["logout+jwt"])] {
        let odd = signer.sign_text(&format!(r#"{{"alg":"ES256","kid":"k","typ":{typ}}}"#), &claims.to_string());
        assert!(verifier.logout(&odd, now()).await.is_err() && verifier.event(&odd, now()).await.is_err(), "{typ}");
    }
}

#[tokio::test]
async fn identity_token_is_no_logout_token() {
    let signer = Signer::es256("k");
    let claims = with(event_claims(), &json!({ "nonce": "n-1" }));
    for typ in ["logout+jwt", "secevent+jwt"] {
        let token = signer.sign(&signer.header(typ), &claims);
        let verifier = verifier(&[&signer]);
        let refused = if typ == "logout+jwt" {
            verifier.logout(&token, now()).await
        } else {
            verifier.event(&token, now()).await
        };
        assert!(matches!(refused, Err(EventError::Refused(EventErrorKind::InvalidRequest(_)))), "{typ}");
    }
}

#[tokio::test]
async fn unknown_issuer_is_rejected_without_a_fetch() {
    let signer = Signer::es256("k");
    let verifier = verifier(&[&signer]);
    for issuer in
        ["https://evil.example", "https://agents.example/", "https://AGENTS.example", "http://agents.example", " "]
    {
        let token = signer.assertion(&with(assertion_claims(), &json!({ "iss": issuer })));
        assert_eq!(verifier.assertion(&token, now()).await, Err(AssertionError::InvalidIssuer), "{issuer}");
        let token = signer.sign(&signer.header("logout+jwt"), &with(event_claims(), &json!({ "iss": issuer })));
        assert_eq!(
            verifier.logout(&token, now()).await,
            Err(EventError::Refused(EventErrorKind::InvalidIssuer)),
            "{issuer}"
        );
    }
    for issuer in [Value::Null, json!([ISSUER]), json!(""), json!(1)] {
        let token = signer.assertion(&with(assertion_claims(), &json!({ "iss": issuer })));
        let refused = verifier.assertion(&token, now()).await;
        assert!(matches!(refused, Err(AssertionError::InvalidRequest(_))), "{issuer}");
    }
}

#[tokio::test]
async fn key_of_one_issuer_does_not_verify_for_another() {
    let (one, other) = (Signer::es256("k"), Signer::es256("k"));
    let entry = |issuer: &str, signer: &Signer| {
        let keys = json!({ "keys": [signer.jwk] });
        format!("[[provider]]\nissuer = '{issuer}'\nname = 'A'\nclient_ids = ['agent-7']\njwks = '{keys}'\n")
    };
    let text = entry(ISSUER, &one) + &entry("https://other.example", &other);
    let trust = super::Trust::parse(std::path::Path::new("t"), &text).unwrap();
    let verifier = super::Verifier::new(trust, vec![super::SITE.to_owned()], &super::Keys::over_https());
    assert!(verifier.assertion(&one.assertion(&assertion_claims()), now()).await.is_ok());
    let refused = verifier.assertion(&other.assertion(&assertion_claims()), now()).await;
    assert_eq!(refused, Err(AssertionError::InvalidSignature));
}

#[tokio::test]
async fn text_that_is_no_token_is_rejected() {
    let signer = Signer::es256("k");
    let verifier = verifier(&[&signer]);
    let good = signer.assertion(&assertion_claims());
    let parts: Vec<_> = good.split('.').collect();
    let oversized = format!("{good}{}", "A".repeat(16 * 1024));
    for text in [
        "",
        ".",
        "..",
        "...",
        "a.b.c",
        "eyJ.eyJ.eyJ",
        &format!("{good}."),
        &format!(".{good}"),
        &format!("{good}="),
        &format!("{good}\n"),
        &format!(" {good}"),
        &good.replacen('.', "..", 1),
        &format!("{}.{}", parts[0], parts[1]),
        &format!("{}.{}.{}.{}.{}", parts[0], parts[1], parts[2], parts[1], parts[2]),
        &json!({ "payload": parts[1], "protected": parts[0], "signature": parts[2] }).to_string(),
        "ayse@client.example",
        "\u{0}",
        "\u{1f511}.\u{1f511}.\u{1f511}",
        &oversized,
    ] {
        let refused = verifier.assertion(text, now()).await;
        assert!(refused.is_err(), "{text:.60}");
    }
}

#[tokio::test]
async fn forged_report_and_unknown_key_are_different_errors() {
    let (signer, attacker, unknown) = (Signer::es256("k"), Signer::es256("k"), Signer::es256("u"));
    let verifier = verifier(&[&signer]);
    let signed_by = |signer: &Signer| signer.sign(&signer.header("secevent+jwt"), &event_claims());
    assert!(matches!(verifier.event(&signed_by(&signer), now()).await.unwrap().demand, Demand::Revoke(_)));
    assert_eq!(
        verifier.event(&signed_by(&attacker), now()).await,
        Err(EventError::Refused(EventErrorKind::AuthenticationFailed))
    );
    assert_eq!(verifier.event(&signed_by(&unknown), now()).await, Err(EventError::Refused(EventErrorKind::InvalidKey)));
}
