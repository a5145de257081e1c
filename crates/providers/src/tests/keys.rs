//! Verification with published keys: how the outcome of a fetch affects the answer.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};

use super::{Trust, Verifier};
use crate::testing::{KeyServer, SITE, Signer, assertion_claims, event_claims, now, with};
use crate::{Keys, assertion::AssertionError, event::EventError};

/// Creates a verifier that trusts the provider at the local `server`.
fn verifier(server: &KeyServer) -> Verifier {
    verifier_with(server, "")
}

/// Like [`verifier`], with another line in the trust list.
fn verifier_with(server: &KeyServer, more: &str) -> Verifier {
    let text = format!(
        "dev = true\n[[provider]]\nissuer = '{}'\nname = 'A'\nclient_ids = ['agent-7']\n{more}\n",
        server.url()
    );
    let trust = Trust::parse(Path::new("t"), &text).unwrap();
    Verifier::new(trust, vec![SITE.to_owned()], &Keys::over_https())
}

fn claims(server: &KeyServer) -> Value {
    with(assertion_claims(), &json!({ "iss": server.url() }))
}

#[tokio::test]
async fn keys_are_fetched_once_from_the_usual_place() {
    let signer = Signer::es256("k");
    let server = KeyServer::keys(&json!({ "keys": [signer.jwk] }));
    let verifier = verifier(&server);
    for _ in 0..3 {
        assert!(verifier.assertion(&signer.assertion(&claims(&server)), now()).await.is_ok());
    }
    assert_eq!(server.paths(), ["/.well-known/jwks.json"]);
}

#[tokio::test]
async fn fetched_keys_survive_a_changed_list_unless_address_or_algorithms_change() {
    let signer = Signer::es256("k");
    let server = KeyServer::keys(&json!({ "keys": [signer.jwk] }));
    let verifier = verifier(&server);
    assert!(verifier.assertion(&signer.assertion(&claims(&server)), now()).await.is_ok());
    server.fail(true);
    let later = verifier_with(&server, "reuse_until_exp = true").with_keys_of(&verifier);
    assert!(later.assertion(&signer.assertion(&claims(&server)), now()).await.is_ok());
    assert_eq!(server.paths().len(), 1);
    for line in ["algorithms = ['ES256']".to_owned(), format!("jwks_uri = '{}/other.json'", server.url())] {
        let other = verifier_with(&server, &line).with_keys_of(&verifier);
        let refused = other.assertion(&signer.assertion(&claims(&server)), now()).await;
        assert!(matches!(refused, Err(AssertionError::KeysUnavailable { .. })), "{line}: {refused:?}");
    }
}

#[tokio::test]
async fn keys_are_not_fetched_for_a_token_that_is_rejected_anyway() {
    let signer = Signer::es256("k");
    let server = KeyServer::keys(&json!({ "keys": [signer.jwk] }));
    let verifier = verifier_with(&server, "algorithms = ['EdDSA']");
    let by_algorithm = signer.assertion(&claims(&server));
    let by_type = signer.sign(&signer.header("logout+jwt"), &claims(&server));
    let by_issuer = signer.assertion(&assertion_claims());
    let by_extension = signer.sign(&with(signer.header("oauth-id-jag+jwt"), &json!({ "crit": [] })), &claims(&server));
    for token in [by_algorithm, by_type, by_issuer, by_extension] {
        assert!(verifier.assertion(&token, now()).await.is_err());
    }
    assert!(server.paths().is_empty());
}

#[tokio::test]
async fn new_key_is_found_without_a_pause_in_service() {
    let (old, new) = (Signer::es256("old"), Signer::es256("new"));
    let server = KeyServer::keys(&json!({ "keys": [old.jwk] }));
    let verifier = verifier(&server);
    assert!(verifier.assertion(&old.assertion(&claims(&server)), now()).await.is_ok());
    server.publish(&json!({ "keys": [new.jwk] }));
    // One second after the last fetch.
    let later = now().plus(Duration::from_secs(1));
    assert!(verifier.assertion(&new.assertion(&claims(&server)), later).await.is_ok());
    // The old key ends at once, because the provider no longer publishes it.
    let refused = verifier.assertion(&old.assertion(&claims(&server)), later).await;
    assert_eq!(refused, Err(AssertionError::InvalidSignature));
    assert_eq!(server.paths().len(), 2);
}

#[tokio::test]
async fn key_replaced_under_the_same_or_no_kid_is_found() {
    for kid in [Some("k"), None] {
        let named = |value: &Value| with(value.clone(), &json!({ "kid": kid }));
        let (old, new) = (Signer::es256("k"), Signer::es256("k"));
        let server = KeyServer::keys(&json!({ "keys": [named(&old.jwk)] }));
        let verifier = verifier(&server);
        let token = |signer: &Signer| signer.sign(&named(&signer.header("oauth-id-jag+jwt")), &claims(&server));
        assert!(verifier.assertion(&token(&old), now()).await.is_ok(), "{kid:?}");
        server.publish(&json!({ "keys": [named(&new.jwk)] }));
        let later = now().plus(Duration::from_secs(1));
        assert!(verifier.assertion(&token(&new), later).await.is_ok(), "{kid:?}");
        assert_eq!(verifier.assertion(&token(&old), later).await, Err(AssertionError::InvalidSignature), "{kid:?}");
        assert_eq!(server.paths().len(), 2, "{kid:?}");
    }
}

#[tokio::test]
async fn forged_signatures_cause_one_fetch_in_thirty_seconds() {
    let (signer, stranger) = (Signer::es256("k"), Signer::es256("k"));
    let server = KeyServer::keys(&json!({ "keys": [signer.jwk] }));
    let verifier = verifier(&server);
    assert!(verifier.assertion(&signer.assertion(&claims(&server)), now()).await.is_ok());
    for round in 1..=3 {
        let moment = now().plus(Duration::from_secs(31) * round);
        for _ in 0..20 {
            let refused = verifier.assertion(&stranger.assertion(&claims(&server)), moment).await;
            assert_eq!(refused, Err(AssertionError::InvalidSignature));
            assert!(verifier.assertion(&signer.assertion(&claims(&server)), moment).await.is_ok());
        }
        assert_eq!(server.paths().len(), 1 + round as usize);
    }
}

#[tokio::test]
async fn missing_keys_are_answered_with_retry_after() {
    let signer = Signer::es256("k");
    let server = KeyServer::keys(&json!({ "keys": [signer.jwk] }));
    server.fail(true);
    let verifier = verifier(&server);
    let refused = verifier.assertion(&signer.assertion(&claims(&server)), now()).await;
    assert!(matches!(refused, Err(AssertionError::KeysUnavailable { retry_after: 1..=31 })), "{refused:?}");
    let report = signer.sign(&signer.header("secevent+jwt"), &with(event_claims(), &json!({ "iss": server.url() })));
    let refused = verifier.event(&report, now()).await;
    assert!(matches!(refused, Err(EventError::KeysUnavailable { retry_after: 1..=31 })), "{refused:?}");
    server.fail(false);
    let later = now().plus(Duration::from_secs(31));
    assert!(verifier.assertion(&signer.assertion(&claims(&server)), later).await.is_ok());
}

#[tokio::test]
async fn cached_keys_serve_while_the_provider_is_down() {
    let signer = Signer::es256("k");
    let server = KeyServer::keys(&json!({ "keys": [signer.jwk] }));
    let verifier = verifier(&server);
    assert!(verifier.assertion(&signer.assertion(&claims(&server)), now()).await.is_ok());
    server.fail(true);
    let later = now().plus(Duration::from_hours(20));
    let moved: Vec<_> = ["iat", "exp", "auth_time"]
        .iter()
        .map(|name| ((*name).to_owned(), json!(claims(&server)[name].as_i64().unwrap() + 20 * 3600)))
        .collect();
    let fresh = with(claims(&server), &Value::Object(moved.into_iter().collect()));
    assert!(verifier.assertion(&signer.assertion(&fresh), later).await.is_ok());
}
