//! Property tests: every changed token is rejected, and no token causes a panic.

use std::sync::LazyLock;

use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::Verifier;
use crate::testing::{Signer, assertion_claims, event_claims, now, verifier, with};

struct Fixture {
    signers: [Signer; 5],
    verifier: Verifier,
    tokens: Vec<String>,
    runtime: Runtime,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let signers = Signer::of_every_algorithm();
    let verifier = verifier(&signers.each_ref());
    let tokens = signers.iter().map(|signer| signer.assertion(&assertion_claims())).collect();
    Fixture { signers, verifier, tokens, runtime: Builder::new_current_thread().build().unwrap() }
});

impl Fixture {
    fn accepts(&self, token: &str) -> bool {
        self.runtime.block_on(self.verifier.assertion(token, now())).is_ok()
    }
}

/// Any JSON, biased towards values that claims have.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(json!(super::SITE)),
        Just(json!(super::NOW_SECONDS)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,8}", inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

#[test]
fn parts_of_valid_tokens_do_not_make_another() {
    // Each has its own key and user, so that no two share a part.
    let subjects = ["a", "b", "c", "d", "e"].map(|subject| with(assertion_claims(), &json!({ "sub": subject })));
    let tokens: Vec<_> =
        FIXTURE.signers.iter().zip(&subjects).map(|(signer, claims)| signer.assertion(claims)).collect();
    let parts: Vec<Vec<&str>> = tokens.iter().map(|token| token.split('.').collect()).collect();
    for (header, claims, signature) in (0..125).map(|number| (number / 25, number / 5 % 5, number % 5)) {
        let mixed = format!("{}.{}.{}", parts[header][0], parts[claims][1], parts[signature][2]);
        let is_whole = header == claims && claims == signature;
        assert_eq!(FIXTURE.accepts(&mixed), is_whole, "{header} {claims} {signature}");
    }
}

proptest! {
    #[test]
    fn token_with_any_character_changed_is_rejected(which: Index, place: Index, other in "[ -~]") {
        let token = which.get(&FIXTURE.tokens);
        let at = place.index(token.len());
        prop_assume!(token[at..=at] != other);
        prop_assert!(FIXTURE.accepts(token));
        prop_assert!(!FIXTURE.accepts(&format!("{}{other}{}", &token[..at], &token[at + 1..])), "replaced at {at}");
        prop_assert!(!FIXTURE.accepts(&format!("{}{other}{}", &token[..at], &token[at..])), "inserted at {at}");
        prop_assert!(!FIXTURE.accepts(&format!("{}{}", &token[..at], &token[at + 1..])), "removed at {at}");
        prop_assert!(!FIXTURE.accepts(&token[..at]), "cut at {at}");
    }

    #[test]
    fn verifying_arbitrary_signed_claims_never_panics(
        name in prop::sample::select(vec![
            "iss", "sub", "aud", "client_id", "jti", "exp", "iat", "nbf", "auth_time", "tenant", "scope", "resource",
            "cnf", "email", "email_verified", "phone_number", "phone_number_verified", "events", "sub_id", "nonce",
        ]),
        value in any_json(),
    ) {
        let fixture = &*FIXTURE;
        let signer = &fixture.signers[4];
        let claims = with(with(assertion_claims(), &event_claims()), &json!({ name: value }));
        let assertion = signer.assertion(&claims);
        let _ = fixture.accepts(&assertion);
        let logout = signer.sign(&signer.header("logout+jwt"), &claims);
        let _ = fixture.runtime.block_on(fixture.verifier.logout(&logout, now()));
        let event = signer.sign(&signer.header("secevent+jwt"), &claims);
        let _ = fixture.runtime.block_on(fixture.verifier.event(&event, now()));
    }

    #[test]
    fn verifying_an_arbitrary_text_never_panics(text in "\\PC{0,200}") {
        prop_assert!(!FIXTURE.accepts(&text));
    }

    #[test]
    fn parsing_an_arbitrary_header_never_panics(header in any_json()) {
        let _ = FIXTURE.accepts(&FIXTURE.signers[4].sign(&header, &assertion_claims()));
    }
}
