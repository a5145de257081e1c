//! Registrations by a provider's assertion: immediate access, required consent, and revocation.

use std::path::Path;

use providers::{
    Keys, PresentedClient, Trust,
    testing::{ISSUER, NOW_SECONDS, Signer, assertion_claims, event_claims, verifier, with},
};
use serde_json::{Value, json};

use super::*;
use crate::{
    domain::Issued,
    registrar::Exchange,
    store::testing::{TestStore, runtime, stores},
};

/// A provider, and two replicas that trust it.
struct ProviderScene {
    signer: Signer,
    replicas: [Registrar; 2],
    kept: TestStore,
}

fn scenes() -> impl Iterator<Item = ProviderScene> {
    stores().into_iter().map(|kept| {
        let signer = Signer::es256("key");
        let replicas = [
            registrar(&kept.store, 11, Some(verifier(&[&signer]))),
            registrar(&kept.replica, 12, Some(verifier(&[&signer]))),
        ];
        ProviderScene { signer, replicas, kept }
    })
}

impl ProviderScene {
    fn assertion(&self, changes: &Value) -> Secret {
        Secret::new(self.signer.assertion(&with(assertion_claims(), changes)))
    }

    async fn register(&self, changes: &Value) -> Result<Registered, RegistrationError> {
        let request = registration_request(Identity::Provider(self.assertion(changes)));
        self.replicas[0].register(request, &WHO, START).await
    }

    async fn issued(&self, changes: &Value) -> Issued {
        let registered = self.register(changes).await;
        registered.unwrap_or_else(|refusal| panic!("{}: {refusal:?}", self.kept.name)).issued.unwrap()
    }

    async fn is_live(&self, issued: &Issued) -> bool {
        self.replicas[1].check(&issued.credential.digest(), START).await.unwrap().is_some()
    }

    async fn report(&self, changes: &Value) -> usize {
        let jwt = self.signer.sign(&self.signer.header("secevent+jwt"), &with(event_claims(), changes));
        self.replicas[0].security_event(&jwt, START).await.unwrap()
    }
}

#[test]
fn assertion_is_accepted_once() {
    for scene in scenes() {
        runtime().block_on(async {
            let first = scene.issued(&json!({})).await;
            assert!(scene.is_live(&first).await);
            assert_eq!(code(&scene.register(&json!({})).await), "replay_detected");
            // The user is linked and gets access at once; both credentials are live.
            let second = scene.issued(&json!({"jti": "jti-2"})).await;
            assert!(scene.is_live(&first).await && scene.is_live(&second).await);
        });
    }
}

#[test]
fn reusable_assertion_is_accepted_until_it_expires() {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let keys = json!({"keys": [signer.jwk]});
            let text = format!(
                "[[provider]]\nissuer = '{ISSUER}'\nname = 'A'\nclient_ids = ['agent-7']\nreuse_until_exp = true\n\
                 jwks = '{keys}'\n"
            );
            let trust = Trust::parse(Path::new("trust.toml"), &text).unwrap();
            let verifier = Verifier::new(trust, vec!["https://firm.example".to_owned()], &Keys::over_https());
            let registrar = registrar(&kept.store, 13, Some(verifier));
            let word = || registration_request(Identity::Provider(Secret::new(signer.assertion(&assertion_claims()))));
            for _ in 0..3 {
                assert_eq!(code(&registrar.register(word(), &WHO, START).await), "200", "{}", kept.name);
            }
            let late = START.plus(std::time::Duration::from_secs(351));
            assert_eq!(code(&registrar.register(word(), &WHO, late).await), "expired");
            // An assertion from before a report is void, even a reusable one.
            let jwt = signer.sign(&signer.header("secevent+jwt"), &event_claims());
            assert_eq!(registrar.security_event(&jwt, START).await.unwrap(), 3);
            assert_eq!(code(&registrar.register(word(), &WHO, START).await), "expired");
        });
    }
}

#[test]
fn assertion_posted_64_times_to_two_replicas_is_accepted_once() {
    for scene in scenes() {
        let assertion = scene.assertion(&json!({}));
        let results = runtime().block_on(async {
            let tasks: Vec<_> = (0..64)
                .map(|index| {
                    let (registrar, assertion) = (scene.replicas[index % 2].clone(), assertion.clone());
                    runtime().spawn(async move {
                        registrar.register(registration_request(Identity::Provider(assertion)), &WHO, START).await
                    })
                })
                .collect();
            let mut results = Vec::new();
            for task in tasks {
                results.push(code(&task.await.unwrap()));
            }
            results
        });
        // On a busy machine the store may be late; another request then shows whether the assertion was accepted.
        let known = ["200", "replay_detected", "temporarily_unavailable"];
        assert!(results.iter().all(|code| known.contains(code)), "{results:?}");
        let accepted = results.iter().filter(|code| **code == "200").count();
        runtime().block_on(async {
            let again = async || code(&scene.register(&json!({})).await);
            until("the store answers", async || again().await != "temporarily_unavailable").await;
            until("it is refused", async || again().await == "replay_detected").await;
            let (kept, _) = scene.kept.store.population().await;
            assert_eq!((accepted <= 1, kept), (true, 1), "{}: {results:?}", scene.kept.name);
        });
    }
}

#[test]
fn known_mailbox_must_agree_to_another_subject() {
    for scene in scenes() {
        runtime().block_on(async {
            scene.issued(&json!({})).await;
            let stranger = json!({"sub": "user-2", "jti": "jti-2"});
            let Err(RegistrationError::InteractionRequired(registered)) = scene.register(&stranger).await else {
                panic!("a stranger got in")
            };
            assert!(registered.issued.is_none());
            let claim_token = token_of(&registered);
            let link = link(&scene.replicas[0], START).await;
            let view = scene.replicas[1].view(&link, START).await.unwrap();
            assert_eq!((view.agent.as_str(), view.provider.as_deref()), ("agent-7", Some("Example Agents")));
            let otp = scene.replicas[1].challenge(&link, START).await.unwrap().code;
            let completed =
                scene.replicas[0].complete(completion(&claim_token, otp.reveal()), &WHO, START).await.unwrap();
            assert!(completed.credential.is_some());
            // The subject is linked now.
            scene.issued(&json!({"sub": "user-2", "jti": "jti-3"})).await;
        });
    }
}

#[test]
fn link_to_one_mailbox_does_not_cover_another() {
    for scene in scenes() {
        runtime().block_on(async {
            let name = scene.kept.name;
            let first = scene.issued(&json!({})).await;
            scene.issued(&json!({"sub": "user-2", "jti": "2", "email": "can@client.example"})).await;
            // The first subject is not linked to this mailbox, which belongs to another person.
            let other = scene.register(&json!({"jti": "3", "email": "can@client.example"})).await;
            assert_eq!(code(&other), "interaction_required", "{name}");
            // This mailbox is unknown: it becomes the person's current one, whose access link lists the grants.
            let renamed = scene.issued(&json!({"jti": "4", "email": "ayse.can@client.example"})).await;
            let registrar = &scene.replicas[1];
            let now = mailbox("ayse.can@client.example");
            let link = access_link(registrar, &now, START).await;
            assert_eq!(registrar.access(&link, START).await.unwrap().grants.len(), 1, "{name}");
            let about = |email: &str, jti: &str| {
                json!({"sub": null, "sub_id": {"format": "email", "email": email}, "jti": jti, "iat": NOW_SECONDS})
            };
            assert_eq!(scene.report(&about("ayse.can@client.example", "e1")).await, 1, "{name}");
            assert!(!scene.is_live(&renamed).await && scene.is_live(&first).await, "{name}");
            // An assertion without an address counts for the linked one, with its reports.
            let phone = json!({
                "email": null, "phone_number": "+905321234567", "phone_number_verified": true,
                "iat": NOW_SECONDS + 1, "exp": NOW_SECONDS + 300
            });
            scene.issued(&with(phone.clone(), &json!({"jti": "5"}))).await;
            let link = access_link(registrar, &now, START).await;
            assert_eq!(registrar.access(&link, START).await.unwrap().grants.len(), 1, "{name}");
        });
    }
}

#[test]
fn older_assertion_without_mailbox_is_void_with_the_linked_mailbox() {
    for scene in scenes() {
        runtime().block_on(async {
            let name = scene.kept.name;
            let phone = json!({"email": null, "phone_number": "+905321234567", "phone_number_verified": true});
            let held = [
                scene.issued(&json!({})).await,
                scene.issued(&with(phone.clone(), &json!({"jti": "2"}))).await,
                scene.issued(&with(phone.clone(), &json!({"sub": "user-2", "jti": "3"}))).await,
            ];
            let about = json!({
                "sub": null, "sub_id": {"format": "email", "email": "ayse@client.example"}, "jti": "e",
                "iat": NOW_SECONDS
            });
            assert_eq!(scene.report(&about).await, 2, "{name}");
            let [first, second, other] = &held;
            assert!(!scene.is_live(first).await && !scene.is_live(second).await, "{name}");
            let old = scene.register(&with(phone.clone(), &json!({"jti": "4"}))).await;
            assert_eq!(code(&old), "expired", "{name}: the assertion is older than the report");
            let anew = json!({"jti": "5", "iat": NOW_SECONDS + 1, "exp": NOW_SECONDS + 300});
            assert!(scene.is_live(&scene.issued(&with(phone.clone(), &anew)).await).await, "{name}");
            // The report does not cover a user without a known mailbox.
            assert!(scene.is_live(other).await, "{name}");
            scene.issued(&with(phone, &json!({"sub": "user-2", "jti": "6"}))).await;
        });
    }
}

#[test]
fn person_known_by_telephone_first_is_linked_to_their_mailbox_later() {
    for scene in scenes() {
        runtime().block_on(async {
            let phone = json!({"email": null, "phone_number": "+905321234567", "phone_number_verified": true});
            scene.issued(&phone).await;
            let issued = scene.issued(&json!({"jti": "2"})).await;
            let registrar = &scene.replicas[0];
            let link = access_link(registrar, &mailbox("ayse@client.example"), START).await;
            assert_eq!(registrar.access(&link, START).await.unwrap().grants.len(), 1, "{}", scene.kept.name);
            assert_eq!(registrar.revoke_access(&link, crate::registrar::Which::All, START).await.unwrap(), 1);
            assert!(!scene.is_live(&issued).await);
            // The mailbox belongs to another person, so consent is required whatever the telephone number.
            scene.issued(&with(phone.clone(), &json!({"sub": "user-2", "jti": "3"}))).await;
            let other = scene.register(&json!({"sub": "user-2", "jti": "4"})).await;
            assert_eq!(code(&other), "interaction_required", "{}", scene.kept.name);
        });
    }
}

#[test]
fn revocation_by_a_person_voids_older_assertions() {
    for scene in scenes() {
        runtime().block_on(async {
            let name = scene.kept.name;
            let other = json!({"sub": "user-2", "jti": "2", "email": "can@client.example"});
            let (issued, kept) = (scene.issued(&json!({})).await, scene.issued(&other).await);
            let registrar = &scene.replicas[1];
            let link = access_link(registrar, &mailbox("ayse@client.example"), START).await;
            let grant = registrar.access(&link, START).await.unwrap().grants.remove(0);
            // A revocation of another person's registration has no effect.
            let foreign = access_link(registrar, &mailbox("can@client.example"), START).await;
            let one = crate::registrar::Which::One(grant.id);
            assert_eq!(registrar.revoke_access(&foreign, one.clone(), START).await.unwrap(), 0, "{name}");
            scene.issued(&json!({"jti": "3"})).await;
            assert_eq!(registrar.revoke_access(&link, one, START).await.unwrap(), 1, "{name}");
            assert!(!scene.is_live(&issued).await && scene.is_live(&kept).await, "{name}");
            assert_eq!(code(&scene.register(&json!({"jti": "4"})).await), "expired", "{name}");
            let anew = json!({"jti": "5", "iat": NOW_SECONDS + 1, "exp": NOW_SECONDS + 300});
            assert!(scene.is_live(&scene.issued(&anew).await).await, "{name}: a new assertion");
            scene.issued(&with(other, &json!({"jti": "6"}))).await;
        });
    }
}

#[test]
fn letter_case_of_a_mailbox_does_not_make_another_person() {
    for scene in scenes() {
        runtime().block_on(async {
            // Providers keep the letter case that the user typed.
            let mixed = scene.issued(&json!({"email": "Ayse@Client.example"})).await;
            for (sub, email) in [("user-2", "ayse@client.example"), ("user-3", "AYSE@CLIENT.EXAMPLE")] {
                let result = scene.register(&json!({"sub": sub, "jti": sub, "email": email})).await;
                assert_eq!(code(&result), "interaction_required", "{}: {email}", scene.kept.name);
            }
            assert!(scene.is_live(&mixed).await);
            let about = json!({
                "sub": null, "sub_id": {"format": "email", "email": "ayse@CLIENT.example"}, "jti": "e", "iat": NOW_SECONDS
            });
            assert_eq!(scene.report(&about).await, 3, "{}", scene.kept.name);
            assert!(!scene.is_live(&mixed).await);
        });
    }
}

#[test]
fn person_sees_and_revokes_registrations_asserted_in_capitals() {
    for scene in scenes() {
        runtime().block_on(async {
            let mixed = scene.issued(&json!({"email": "Ayse@Client.example"})).await;
            let registrar = &scene.replicas[1];
            let person = mailbox("ayse@client.example");
            let link = access_link(registrar, &person, START).await;
            assert_eq!(registrar.access(&link, START).await.unwrap().grants.len(), 1, "{}", scene.kept.name);
            assert_eq!(registrar.revoke_access(&link, crate::registrar::Which::All, START).await.unwrap(), 1);
            assert!(!scene.is_live(&mixed).await);
        });
    }
}

#[test]
fn person_known_by_telephone_is_revocable_by_the_provider_only() {
    for scene in scenes() {
        runtime().block_on(async {
            let phone = json!({"email": null, "phone_number": "+905321234567", "phone_number_verified": true});
            let issued = scene.issued(&phone).await;
            let link = access_link(&scene.replicas[0], &mailbox("ayse@client.example"), START).await;
            assert!(scene.replicas[0].access(&link, START).await.unwrap().grants.is_empty());
            assert_eq!(scene.report(&json!({"jti": "e", "iat": NOW_SECONDS})).await, 1, "{}", scene.kept.name);
            assert!(!scene.is_live(&issued).await);
        });
    }
}

#[test]
fn subject_named_like_a_mailbox_row_does_not_collide_with_it() {
    for scene in scenes() {
        runtime().block_on(async {
            let person = scene.issued(&json!({})).await;
            let odd = "mailbox ayse@client.example";
            let other = scene.issued(&json!({"sub": odd, "email": "other@client.example", "jti": "o"})).await;
            assert_eq!(scene.report(&json!({"sub": odd, "jti": "e", "iat": NOW_SECONDS})).await, 1);
            assert!(!scene.is_live(&other).await && scene.is_live(&person).await, "{}", scene.kept.name);
            let again = json!({"jti": "again", "iat": NOW_SECONDS - 1, "exp": NOW_SECONDS + 60});
            assert!(scene.register(&again).await.is_ok(), "{}: the person's word is not void", scene.kept.name);
        });
    }
}

#[test]
fn credential_without_scopes_is_not_issued() {
    use contract::scopes::Scope;
    for scene in scenes() {
        runtime().block_on(async {
            for claims in [json!({"scope": "admin"}), json!({"scope": "Content.Read"})] {
                assert_eq!(code(&scene.register(&claims).await), "invalid_scope", "{}: {claims}", scene.kept.name);
            }
            let disjoint = Exchange {
                assertion: scene.assertion(&json!({"scope": "openid"})),
                scopes: Some(vec![Scope::ContentRead]),
                client: PresentedClient::default(),
                resource: None,
                locale: Locale::En,
            };
            assert_eq!(code(&scene.replicas[0].exchange(disjoint, &WHO, START).await), "invalid_scope");
            // The refusal did not use up the assertion.
            scene.issued(&json!({"scope": "openid"})).await;
        });
    }
}

#[test]
fn report_ends_earlier_assertions_only() {
    for scene in scenes() {
        runtime().block_on(async {
            let other = scene.issued(&json!({"sub": "user-9", "email": "other@client.example", "jti": "o"})).await;
            let first = scene.issued(&json!({"iat": NOW_SECONDS - 120, "exp": NOW_SECONDS + 60})).await;
            let at = NOW_SECONDS - 60;
            assert_eq!(scene.report(&json!({"iat": at})).await, 1);
            assert!(!scene.is_live(&first).await, "the very next call, on the other replica");
            assert!(scene.is_live(&other).await);
            // An assertion from before the report is void; a later one is accepted.
            let old = scene.register(&json!({"jti": "old", "iat": at - 1, "exp": NOW_SECONDS + 60})).await;
            assert_eq!(code(&old), "expired");
            let new = scene.issued(&json!({"jti": "new", "iat": at + 50, "exp": NOW_SECONDS + 60})).await;
            // A repeated report gets the same answer and has no effect.
            assert_eq!(scene.report(&json!({"iat": at})).await, 1);
            assert!(scene.is_live(&new).await);
        });
    }
}

#[test]
fn report_without_tenant_applies_to_the_user_in_every_tenant() {
    for scene in scenes() {
        runtime().block_on(async {
            let name = scene.kept.name;
            let first = scene.issued(&json!({"tenant": "t-1"})).await;
            let second = scene.issued(&json!({"tenant": "t-2", "email": "b@client.example", "jti": "2"})).await;
            let free = scene.issued(&json!({"email": "c@client.example", "jti": "3"})).await;
            let other = json!({"tenant": "t-1", "sub": "user-2", "email": "d@client.example", "jti": "4"});
            let kept = scene.issued(&other).await;
            assert_eq!(scene.report(&json!({"tenant": "t-2", "jti": "e1", "iat": NOW_SECONDS})).await, 1, "{name}");
            assert!(!scene.is_live(&second).await, "{name}");
            assert!(scene.is_live(&first).await && scene.is_live(&free).await, "{name}: another tenant was named");
            let about = json!({
                "sub": null, "sub_id": {"format": "iss_sub", "iss": ISSUER, "sub": "user-1"}, "jti": "e2",
                "iat": NOW_SECONDS
            });
            assert_eq!(scene.report(&about).await, 2, "{name}");
            assert!(!scene.is_live(&first).await && !scene.is_live(&free).await, "{name}");
            assert!(scene.is_live(&kept).await, "{name}: another user");
            // Earlier assertions are void in every tenant, even a new one.
            for tenant in ["t-1", "t-2", "t-3"] {
                let old = scene.register(&json!({"tenant": tenant, "jti": tenant})).await;
                assert_eq!(code(&old), "expired", "{name}: {tenant}");
            }
            assert_eq!(code(&scene.register(&json!({"jti": "old"})).await), "expired", "{name}");
            let anew = json!({"tenant": "t-1", "jti": "new", "iat": NOW_SECONDS + 1, "exp": NOW_SECONDS + 300});
            assert!(scene.is_live(&scene.issued(&anew).await).await, "{name}");
            scene.issued(&with(other, &json!({"jti": "5"}))).await;
            assert_eq!(scene.report(&about).await, 2, "{name}: the same answer");
        });
    }
}

#[test]
fn logout_token_ends_more_registrations_than_a_batch() {
    const TENANTS: usize = 60;
    for scene in scenes() {
        runtime().block_on(async {
            let mut issued = Vec::new();
            for number in 0..TENANTS {
                let tenant = format!("t-{number}");
                let email = format!("p{number}@client.example");
                issued.push(scene.issued(&json!({"tenant": tenant, "jti": tenant, "email": email})).await);
            }
            let jwt = scene.signer.sign(&scene.signer.header("logout+jwt"), &event_claims());
            assert_eq!(scene.replicas[0].logout(&jwt, START).await.unwrap(), TENANTS, "{}", scene.kept.name);
            for issued in &issued {
                assert!(!scene.is_live(issued).await, "{}", scene.kept.name);
            }
        });
    }
}

#[test]
fn report_about_a_mailbox_reaches_the_registrations_of_its_provider_only() {
    for scene in scenes() {
        runtime().block_on(async {
            let asserted = scene.issued(&json!({})).await;
            let about = json!({
                "sub": null, "sub_id": {"format": "email", "email": "ayse@client.example"}, "jti": "e",
                "iat": NOW_SECONDS
            });
            assert_eq!(scene.report(&about).await, 1, "{}", scene.kept.name);
            assert!(!scene.is_live(&asserted).await);
            assert_eq!(code(&scene.register(&json!({"jti": "again"})).await), "expired");
        });
    }
}

#[test]
fn token_endpoint_narrows_scopes_and_checks_the_resource() {
    for scene in scenes() {
        runtime().block_on(async {
            let exchange = |changes: Value, resource: &str| Exchange {
                assertion: scene.assertion(&changes),
                scopes: Some(vec![contract::scopes::Scope::ContentRead]),
                client: PresentedClient::default(),
                resource: Some(resource.to_owned()),
                locale: Locale::En,
            };
            let elsewhere = exchange(json!({}), "https://elsewhere.example");
            assert_eq!(code(&scene.replicas[0].exchange(elsewhere, &WHO, START).await), "invalid_target");
            let here = exchange(json!({}), "https://firm.example");
            let token = scene.replicas[0].exchange(here, &WHO, START).await.unwrap();
            assert_eq!(token.issued.scopes, [contract::scopes::Scope::ContentRead]);
            assert!(scene.is_live(&token.issued).await);
            // A service that does not offer access tokens for assertions issues none.
            let mut rules = (*scene.replicas[0].rules()).clone();
            rules.offers = Offers { credentials: vec![CredentialType::ApiKey], identity: false, ..rules.offers };
            scene.replicas[0].set_rules(rules);
            let here = exchange(json!({"jti": "again"}), "https://firm.example");
            assert_eq!(code(&scene.replicas[0].exchange(here, &WHO, START).await), "unsupported_grant_type");
            assert_eq!(scene.issued(&json!({"jti": "key"})).await.credential_type, CredentialType::ApiKey);
        });
    }
}
