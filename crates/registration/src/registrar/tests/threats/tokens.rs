//! Threats to the tokens of providers.

use std::net::TcpListener;

use providers::testing::{NOW_SECONDS, Signer, assertion_claims, event_claims, verifier, with};
use serde_json::{Value, json};

use super::*;
use crate::store::testing::{TestStore, file, runtime, stores};

/// A registrar that trusts `signer`.
struct TokenEndpoint {
    registrar: Registrar,
    signer: Signer,
    _kept: TestStore,
}

impl TokenEndpoint {
    fn of(kept: TestStore, signer: Signer) -> Self {
        Self { registrar: registrar(&kept.store, 41, Some(verifier(&[&signer]))), signer, _kept: kept }
    }

    async fn post(&self, token: &str) -> &'static str {
        code(&self.registrar.register(registration_request(Identity::Provider(Secret::new(token))), &WHO, START).await)
    }

    /// Whether a valid token is still accepted: no earlier one has used it up.
    async fn accepts_valid_token(&self) -> bool {
        self.post(&self.signer.assertion(&assertion_claims())).await == "200"
    }

    fn with_header(&self, changes: &Value) -> String {
        self.signer.sign(&with(self.signer.header("oauth-id-jag+jwt"), changes), &assertion_claims())
    }
}

#[test]
fn confused_and_missing_algorithms_are_rejected() {
    let endpoint = TokenEndpoint::of(file(), Signer::rs256("key"));
    runtime().block_on(async {
        for alg in ["none", "None", "NONE", "", "HS256", "HS384", "HS512", "ES256", "PS256", "rs256"] {
            let token = endpoint.with_header(&json!({"alg": alg}));
            assert_eq!(endpoint.post(&token).await, "invalid_signature", "{alg}");
            let (unsigned, _) = token.rsplit_once('.').unwrap();
            assert_eq!(endpoint.post(&format!("{unsigned}.")).await, "invalid_signature", "{alg} without a signature");
        }
        assert!(endpoint.accepts_valid_token().await);
    });
}

#[test]
fn injected_kid_is_rejected() {
    for kept in stores() {
        runtime().block_on(async {
            let endpoint = TokenEndpoint::of(kept, Signer::es256("key"));
            for kid in
                ["../../../etc/passwd", "key'--", "'; DROP TABLE jti; --", "/dev/null", "KEY", "https://evil.example/"]
            {
                assert_eq!(
                    endpoint.post(&endpoint.with_header(&json!({"kid": kid}))).await,
                    "invalid_signature",
                    "{kid}"
                );
            }
            for kid in [json!("key\u{0}"), json!("k".repeat(1 << 20)), json!(["key"]), json!({"key": 1}), json!(1)] {
                assert_eq!(endpoint.post(&endpoint.with_header(&json!({"kid": kid}))).await, "invalid_request");
            }
            assert!(endpoint.accepts_valid_token().await);
        });
    }
}

#[test]
fn header_keys_and_extensions_are_not_followed() {
    let endpoint = TokenEndpoint::of(file(), Signer::es256("key"));
    runtime().block_on(async {
        let stranger = Signer::es256("key");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        let own = json!({"jku": url, "x5u": url, "x5c": ["AA=="], "jwk": stranger.jwk});
        let forged = stranger.sign(&with(stranger.header("oauth-id-jag+jwt"), &own), &assertion_claims());
        assert_eq!(endpoint.post(&forged).await, "invalid_signature");
        for extension in [json!({"crit": ["exp"]}), json!({"crit": []}), json!({"b64": false, "crit": ["b64"]})] {
            assert_eq!(endpoint.post(&endpoint.with_header(&extension)).await, "invalid_request", "{extension}");
        }
        assert_eq!(endpoint.post(&endpoint.with_header(&json!({"zip": "DEF"}))).await, "invalid_request");
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "a key was fetched");
    });
}

#[test]
fn clock_skew_of_sixty_seconds_is_accepted() {
    for kept in stores() {
        runtime().block_on(async {
            let ahead = kept.store.clock_skew(START).await.unwrap();
            assert_eq!(ahead.is_some(), kept.name == "postgres", "a file has no clock of its own");
            assert!(ahead.is_none_or(|milliseconds| milliseconds > 0), "{ahead:?}");
            let endpoint = TokenEndpoint::of(kept, Signer::es256("key"));
            for (seconds, expected) in [(59, "200"), (60, "200"), (61, "invalid_request")] {
                let early = json!({"jti": format!("early-{seconds}"), "iat": NOW_SECONDS + seconds});
                let found = endpoint.post(&endpoint.signer.assertion(&with(assertion_claims(), &early))).await;
                assert_eq!(found, expected, "{seconds}");
            }
            for (seconds, expected) in [(59, "200"), (60, "expired"), (61, "expired")] {
                let exp = NOW_SECONDS - seconds;
                let late = json!({"jti": format!("late-{seconds}"), "exp": exp, "iat": exp - 100});
                assert_eq!(endpoint.post(&endpoint.signer.assertion(&with(assertion_claims(), &late))).await, expected);
            }
        });
    }
}

#[test]
fn confused_audiences_and_types_are_rejected() {
    for kept in stores() {
        runtime().block_on(async {
            let endpoint = TokenEndpoint::of(kept, Signer::es256("key"));
            let site = "https://firm.example";
            for audience in
                [json!(format!("{site}/")), json!("https://FIRM.example"), json!([site, site]), json!([]), json!("x")]
            {
                let token = endpoint.signer.assertion(&with(assertion_claims(), &json!({"aud": audience})));
                assert_eq!(endpoint.post(&token).await, "invalid_audience", "{audience}");
            }
            for kind in ["logout+jwt", "secevent+jwt", "at+jwt", "JWT", ""] {
                let token = endpoint.signer.sign(&endpoint.signer.header(kind), &assertion_claims());
                assert_eq!(endpoint.post(&token).await, "invalid_request", "{kind}");
            }
            let assertion = endpoint.signer.assertion(&with(event_claims(), &json!({"jti": "other"})));
            assert_eq!(code(&endpoint.registrar.security_event(&assertion, START).await), "invalid_request");
            assert_eq!(code(&endpoint.registrar.logout(&assertion, START).await), "invalid_request");
            let event = endpoint.signer.sign(&endpoint.signer.header("secevent+jwt"), &event_claims());
            let logout = endpoint.registrar.logout(&event, START).await;
            assert_eq!(code(&logout), "invalid_request", "the kinds of tokens are distinct");
            assert!(endpoint.accepts_valid_token().await);
        });
    }
}

#[test]
fn rogue_provider_cannot_link_a_known_person() {
    for kept in stores() {
        runtime().block_on(async {
            let endpoint = TokenEndpoint::of(kept, Signer::es256("key"));
            // A person without a provider consents to an agent.
            let person = "ayse@client.example";
            let by_mail = registration_request(Identity::Email(mailbox(person)));
            let registered = endpoint.registrar.register(by_mail, &WHO, START).await.unwrap();
            let link = link(&endpoint.registrar, START).await;
            let otp = endpoint.registrar.challenge(&link, START).await.unwrap().code;
            endpoint.registrar.complete(completion(&token_of(&registered), otp.reveal()), &WHO, START).await.unwrap();
            // Each assertion by a provider about that person then requires consent.
            for number in 0..3 {
                let claims = with(assertion_claims(), &json!({"jti": format!("rogue-{number}"), "email": person}));
                let word = registration_request(Identity::Provider(Secret::new(endpoint.signer.assertion(&claims))));
                let Err(RegistrationError::InteractionRequired(registered)) =
                    endpoint.registrar.register(word, &WHO, START).await
                else {
                    panic!("linked without being asked")
                };
                assert!(registered.issued.is_none());
                assert_eq!(
                    code(&endpoint.registrar.redeem(token_of(&registered), START).await),
                    "authorization_pending"
                );
            }
        });
    }
}
