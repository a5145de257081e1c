//! Registrations by issuer and subject only: of providers that need name neither sign-in nor mailbox.

use std::path::Path;

use providers::{
    Keys, Trust, Verifier,
    testing::{ISSUER, NOW_SECONDS, Signer, assertion_claims, event_claims, trust, with},
};
use serde_json::{Value, json};

use super::*;
use crate::{
    domain::{By, Issued},
    registrar::{
        export,
        overview::{self, RegistrationFilter},
    },
    store::{
        Selection,
        testing::{TestStore, runtime, stores},
    },
};

const OTHER: &str = "https://other.example";

/// Two providers that need name neither, with one key each; and the first with today's rule.
struct Scene {
    signers: [Signer; 2],
    registrar: Registrar,
    strict: Registrar,
    kept: TestStore,
}

fn scenes() -> impl Iterator<Item = Scene> {
    stores().into_iter().map(|kept| {
        let signers = [Signer::es256("one"), Signer::es256("two")];
        let list = [ISSUER, OTHER].into_iter().zip(&signers).map(|(issuer, signer)| {
            let keys = json!({ "keys": [signer.jwk] });
            format!(
                "[[provider]]\nissuer = '{issuer}'\nname = 'Agents'\nclient_ids = ['agent-7']\nrequires = []\n\
                 jwks = '{keys}'\n"
            )
        });
        let lax = Trust::parse(Path::new("trust.toml"), &list.collect::<String>()).unwrap();
        let of = |trust| Verifier::new(trust, vec!["https://firm.example".to_owned()], &Keys::over_https());
        let registrars = [of(lax), of(trust(&[&signers[0]]))].map(|it| registrar(&kept.store, 21, Some(it)));
        let [registrar, strict] = registrars;
        Scene { signers, registrar, strict, kept }
    })
}

/// Changes that leave neither sign-in nor mailbox.
fn bare(changes: &Value) -> Value {
    let bare = json!({ "auth_time": null, "email": null, "email_verified": null });
    with(with(assertion_claims(), &bare), changes)
}

impl Scene {
    async fn register(&self, number: usize, claims: &Value) -> Result<Registered, RegistrationError> {
        let jwt = Secret::new(self.signers[number].assertion(claims));
        self.registrar.register(registration_request(Identity::Provider(jwt)), &WHO, START).await
    }

    async fn issued(&self, number: usize, claims: &Value) -> Issued {
        let registered = self.register(number, claims).await;
        registered.unwrap_or_else(|refusal| panic!("{}: {refusal:?}", self.kept.name)).issued.unwrap()
    }

    async fn report(&self, number: usize, changes: &Value) -> usize {
        let signer = &self.signers[number];
        let jwt = signer.sign(&signer.header("secevent+jwt"), &with(event_claims(), changes));
        self.registrar.security_event(&jwt, START).await.unwrap()
    }

    async fn is_live(&self, issued: &Issued) -> bool {
        self.registrar.check(&issued.credential.digest(), START).await.unwrap().is_some()
    }

    async fn grants(&self, email: &str) -> usize {
        let link = access_link(&self.registrar, &mailbox(email), START).await;
        self.registrar.access(&link, START).await.unwrap().grants.len()
    }
}

#[test]
fn bare_assertion_is_accepted_once_and_by_its_own_issuer() {
    for scene in scenes() {
        runtime().block_on(async {
            let name = scene.kept.name;
            let first = scene.issued(0, &bare(&json!({}))).await;
            assert_eq!(code(&scene.register(0, &bare(&json!({}))).await), "replay_detected", "{name}");
            // Another issuer numbers its assertions separately, but cannot sign for the first.
            let theirs = scene.issued(1, &bare(&json!({ "iss": OTHER }))).await;
            assert_eq!(code(&scene.register(1, &bare(&json!({ "jti": "2" }))).await), "invalid_signature", "{name}");
            assert!(scene.is_live(&first).await && scene.is_live(&theirs).await, "{name}");
        });
    }
}

#[test]
fn bare_assertion_is_rejected_where_the_provider_must_name_more() {
    for scene in scenes() {
        runtime().block_on(async {
            for (changes, expected) in [
                (json!({ "email": "ayse@client.example", "email_verified": true }), "login_required"),
                (json!({ "auth_time": NOW_SECONDS - 60 }), "missing_verified_email"),
            ] {
                let jwt = Secret::new(scene.signers[0].assertion(&bare(&changes)));
                let request = registration_request(Identity::Provider(jwt));
                assert_eq!(code(&scene.strict.register(request, &WHO, START).await), expected, "{}", scene.kept.name);
            }
        });
    }
}

#[test]
fn subject_is_never_linked_to_a_mailbox() {
    for scene in scenes() {
        runtime().block_on(async {
            let name = scene.kept.name;
            // The mailbox belongs to the same subject, by an assertion under the strict rule.
            let strict = Secret::new(scene.signers[0].assertion(&with(assertion_claims(), &json!({ "jti": "s" }))));
            let request = registration_request(Identity::Provider(strict));
            scene.strict.register(request, &WHO, START).await.unwrap();
            assert_eq!(scene.grants("ayse@client.example").await, 1, "{name}");
            // A mailbox that the provider names all the same has no effect: neither a link, nor a request to its reader.
            for (jti, email) in [("1", "ayse@client.example"), ("2", "new@client.example")] {
                let named = json!({ "jti": jti, "email": email, "email_verified": true });
                scene.issued(0, &bare(&named)).await;
            }
            scene.issued(0, &bare(&json!({ "jti": "3", "sub": "user-2" }))).await;
            assert_eq!(scene.grants("ayse@client.example").await, 1, "{name}");
            assert_eq!(scene.grants("new@client.example").await, 0, "{name}");
            let exported = export::export(&scene.kept.store, &mailbox("ayse@client.example")).await.unwrap();
            let exported = serde_json::to_value(&exported).unwrap();
            assert_eq!(exported["registrations"].as_array().unwrap().len(), 1, "{name}");
            // The mailbox of another person is no way in, and the strict rule still asks for consent.
            let word = with(assertion_claims(), &json!({ "jti": "4", "sub": "user-2" }));
            let request = registration_request(Identity::Provider(Secret::new(scene.signers[0].assertion(&word))));
            let asked = scene.strict.register(request, &WHO, START).await;
            assert_eq!(code(&asked), "interaction_required", "{name}");
        });
    }
}

#[test]
fn report_reaches_the_subject_of_its_issuer_only() {
    for scene in scenes() {
        runtime().block_on(async {
            let name = scene.kept.name;
            let ours = scene.issued(0, &bare(&json!({}))).await;
            let theirs = scene.issued(1, &bare(&json!({ "iss": OTHER }))).await;
            assert_eq!(scene.report(1, &json!({ "iss": OTHER, "iat": NOW_SECONDS })).await, 1, "{name}");
            assert!(scene.is_live(&ours).await && !scene.is_live(&theirs).await, "{name}");
            assert_eq!(scene.report(0, &json!({ "iat": NOW_SECONDS })).await, 1, "{name}");
            assert!(!scene.is_live(&ours).await, "{name}");
            assert_eq!(code(&scene.register(0, &bare(&json!({ "jti": "2" }))).await), "expired", "{name}");
        });
    }
}

#[test]
fn operator_revokes_one_subject_in_every_tenant() {
    for scene in scenes() {
        runtime().block_on(async {
            let (name, store) = (scene.kept.name, &scene.kept.store);
            let mut held = Vec::new();
            for tenant in ["t-1", "t-2"] {
                held.push(scene.issued(0, &bare(&json!({ "tenant": tenant, "jti": tenant }))).await);
            }
            held.push(scene.issued(0, &bare(&json!({ "jti": "3" }))).await);
            let others = [
                scene.issued(0, &bare(&json!({ "sub": "user-2", "jti": "4" }))).await,
                scene.issued(1, &bare(&json!({ "iss": OTHER }))).await,
            ];
            assert!(store.has_user(ISSUER, "user-1").await.unwrap(), "{name}");
            assert!(!store.has_user(OTHER, "user-2").await.unwrap(), "{name}");
            let one = Selection::User { issuer: ISSUER.to_owned(), name: "user-1".to_owned() };
            for ended in [3, 0] {
                assert_eq!(store.revoke(&one, By::Operator, START).await.unwrap().all, ended, "{name}");
            }
            for issued in &held {
                assert!(!scene.is_live(issued).await, "{name}");
            }
            for issued in &others {
                assert!(scene.is_live(issued).await, "{name}");
            }
            // Assertions made before are void.
            assert_eq!(code(&scene.register(0, &bare(&json!({ "jti": "5" }))).await), "expired", "{name}");
        });
    }
}

#[test]
fn operator_revokes_more_registrations_of_a_subject_than_a_batch() {
    for scene in scenes() {
        runtime().block_on(async {
            for number in 0..60 {
                let tenant = format!("t-{number}");
                scene.issued(0, &bare(&json!({ "tenant": tenant, "jti": tenant }))).await;
            }
            let one = Selection::User { issuer: ISSUER.to_owned(), name: "user-1".to_owned() };
            let ended = scene.kept.store.revoke(&one, By::Operator, START).await.unwrap();
            assert_eq!(ended.all, 60, "{}", scene.kept.name);
        });
    }
}

#[test]
fn operator_sees_that_no_mailbox_is_known() {
    for scene in scenes() {
        runtime().block_on(async {
            let registered = scene.register(0, &bare(&json!({}))).await.unwrap();
            let store = &scene.kept.store;
            let listed = overview::list(store, &RegistrationFilter::default(), START).await.unwrap();
            assert!(listed.table().contains("no mailbox known  Agents"), "{}", listed.table());
            let shown = overview::show(store, registered.id.as_str(), START).await.unwrap().unwrap();
            let table = overview::table(&shown);
            assert!(
                table.lines().any(|line| line.starts_with("email ") && line.ends_with("no mailbox known")),
                "{table}"
            );
            // The access token expires like any other.
            assert_eq!(serde_json::to_value(&shown).unwrap()["email"], Value::Null);
            let late = START.plus(std::time::Duration::from_hours(24 * 91));
            let digest = registered.issued.unwrap().credential.digest();
            assert!(scene.registrar.check(&digest, late).await.unwrap().is_none());
        });
    }
}

#[test]
fn rejected_assertion_of_a_trusted_provider_is_logged_once() {
    let (_ear, lines) = listen();
    for scene in scenes() {
        runtime().block_on(async {
            scene.issued(0, &bare(&json!({}))).await;
            let rejections = || {
                lines.try_iter().filter(|line| line.contains("of a trusted provider is rejected")).collect::<Vec<_>>()
            };
            rejections();
            for (number, claims, expected) in [
                (0, bare(&json!({})), Some("replay_detected")),
                (0, bare(&json!({ "jti": "2", "aud": "https://elsewhere.example" })), Some("InvalidAudience")),
                (0, bare(&json!({ "jti": "3", "client_id": "agent-8" })), Some("InvalidClientId")),
                // What no trusted provider has signed would let anybody fill the log.
                (1, bare(&json!({ "jti": "4" })), None),
                (0, bare(&json!({ "jti": "5", "iss": "https://unknown.example" })), None),
            ] {
                assert!(scene.register(number, &claims).await.is_err(), "{claims}");
                let logged = rejections();
                assert_eq!(logged.len(), usize::from(expected.is_some()), "{claims}: {logged:?}");
                if let (Some(expected), [line]) = (expected, &logged[..]) {
                    assert!(line.contains(expected) && line.contains(ISSUER), "{line}");
                    assert!(!line.contains("user-1"), "{line}");
                }
            }
        });
    }
}
