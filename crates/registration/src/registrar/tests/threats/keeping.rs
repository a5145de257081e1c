//! Threats to stored data: its amount, its keys, and failures of the store.

use std::time::Duration;

use providers::testing::{NOW_SECONDS, Signer, assertion_claims, event_claims, verifier, with};

use super::*;
use crate::{
    domain::By,
    store::testing::{TestStore, file, quick_stores, runtime, stores},
};

#[test]
fn anonymous_registrations_are_limited_in_rate_and_number() {
    for kept in stores() {
        runtime().block_on(async {
            // A limit per hour for all networks together.
            let registrar = with_quotas(&kept.store, 71, Quotas { anonymous: 12, ..Quotas::default() });
            let mut registered = 0;
            for number in 0..100 {
                let result =
                    registrar.register(registration_request(Identity::Anonymous), &client(number), START).await;
                registered += usize::from(result.is_ok());
                assert!(["200", "rate_limited"].contains(&code(&result)));
            }
            assert_eq!(registered, 12, "{}", kept.name);
            // A limit for the number of anonymous registrations.
            let full = with_quotas(&kept.store, 72, Quotas { registrations: 12, ..Quotas::default() });
            let later = START.plus(Duration::from_hours(1));
            let refused = full.register(registration_request(Identity::Anonymous), &client(7), later).await;
            assert!(matches!(refused, Err(RegistrationError::Unavailable { retry_after: 60.. })), "{}", kept.name);
            let person = registration_request(Identity::Email(mailbox("a@person.example")));
            assert!(full.register(person, &client(7), later).await.is_ok(), "others still register");
            // Deleted registrations free space.
            let month = START.plus(Duration::from_hours(24 * 40));
            while kept.store.sweep(month).await.unwrap().is_more {}
            assert!(full.register(registration_request(Identity::Anonymous), &client(7), month).await.is_ok());
        });
    }
}

#[test]
fn sweep_works_in_small_steps_and_leaves_nothing_of_a_person() {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 73, Some(verifier(&[&signer])));
            let first = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            kept.multiply(&first.id, 1, 1100).await;
            let word = |jti: &str, sub: &str, email: &str| {
                let claims = serde_json::json!({"jti": jti, "sub": sub, "email": email});
                registration_request(Identity::Provider(Secret::new(
                    signer.assertion(&with(assertion_claims(), &claims)),
                )))
            };
            registrar.register(word("one", "gone", "gone@person.example"), &WHO, START).await.unwrap();
            registrar.register(word("two", "stays", "stays@person.example"), &WHO, START).await.unwrap();
            // One of the two registers again.
            let later = START.plus(Duration::from_mins(5));
            registrar.register(word("three", "stays", "stays@person.example"), &WHO, later).await.unwrap();
            let month = START.plus(Duration::from_hours(24 * 40));
            let mut steps = Vec::new();
            while steps.last().is_none_or(|rows| *rows >= 250) {
                steps.push(kept.store.sweep(month).await.unwrap().rows);
            }
            // A batch of registrations with as many credentials.
            assert!(steps.len() >= 5 && steps.iter().all(|rows| *rows <= 520), "{}: {steps:?}", kept.name);
            // A key lives for 90 days, and an ended registration is kept for 30.
            let known =
                async |email: &str| kept.store.personal_data(&mailbox(email)).await.unwrap().known_since.is_some();
            let between = START.plus(Duration::from_hours(24 * 120) + Duration::from_mins(2));
            while kept.store.sweep(between).await.unwrap().is_more {}
            assert!(!known("gone@person.example").await && known("stays@person.example").await, "{}", kept.name);
            while kept.store.sweep(between.plus(Duration::from_mins(5))).await.unwrap().is_more {}
            assert!(!known("stays@person.example").await);
        });
    }
}

#[test]
fn revoked_registration_leaves_nothing_of_the_person_after_retention() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 75, None);
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let person = mailbox("a@person.example");
            registrar.claim(claim_request(&token_of(&free), person.as_str()), &WHO, START).await.unwrap();
            let link = link(&registrar, START).await;
            let otp = registrar.challenge(&link, START).await.unwrap().code;
            registrar.complete(completion(&token_of(&free), otp.reveal()), &WHO, START).await.unwrap();
            let own = access_link(&registrar, &person, START).await;
            let all = crate::registrar::Which::All;
            assert_eq!(registrar.revoke_access(&own, all, START).await.unwrap(), 1);
            emails(&registrar, START).await;
            let known = async || !kept.store.personal_data(&person).await.unwrap().is_empty();
            assert!(known().await, "{}: for a while", kept.name);
            let later = START.plus(Duration::from_hours(24 * 130));
            while kept.store.sweep(later).await.unwrap().is_more {}
            assert!(!known().await, "{}", kept.name);
        });
    }
}

/// How the last row that refers to a person ceases to do so.
#[derive(Clone, Copy, Debug)]
enum Leaving {
    Denied,
    AskedElsewhere,
    LinkedElsewhere,
}

#[test]
fn person_is_deleted_with_the_last_row_that_refers_to_them() {
    for kept in stores() {
        for leaving in [Leaving::Denied, Leaving::AskedElsewhere, Leaving::LinkedElsewhere] {
            runtime().block_on(leave(&kept, leaving));
        }
    }
}

async fn leave(kept: &TestStore, leaving: Leaving) {
    let signer = Signer::es256("key");
    let registrar = registrar(&kept.store, 81 + leaving as u64, Some(verifier(&[&signer])));
    let email = |name: &str| format!("{name}@{}.example", format!("{leaving:?}").to_lowercase());
    let (person, other) = (mailbox(&email("a")), mailbox(&email("b")));
    // A key lives for 90 days, and an ended registration is kept for 30.
    let end = START.plus(Duration::from_hours(24 * 120));
    let word = |sub: &str, email: &str, now: Time| {
        let seconds = now.millis() / 1000;
        let claims = serde_json::json!({
            "jti": format!("{email} {seconds}"), "sub": format!("{sub} {email}"), "email": email,
            "iat": seconds - 10, "exp": seconds + 290, "auth_time": seconds - 600,
        });
        with(assertion_claims(), &claims)
    };
    let registered = async |claims: &serde_json::Value, now: Time| {
        let identity = Identity::Provider(Secret::new(signer.assertion(claims)));
        registrar.register(registration_request(identity), &WHO, now).await
    };
    let known = word("user", person.as_str(), START);
    registered(&known, START).await.unwrap();
    let later = end.plus(Duration::from_mins(1));
    let pending = match leaving {
        Leaving::Denied | Leaving::AskedElsewhere => {
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, end).await.unwrap();
            registrar.claim(claim_request(&token_of(&free), person.as_str()), &WHO, end).await.unwrap();
            token_of(&free)
        }
        Leaving::LinkedElsewhere => {
            registered(&word("another", other.as_str(), end), end).await.unwrap();
            let same = with(word("", other.as_str(), later), &serde_json::json!({"sub": known["sub"]}));
            let Err(RegistrationError::InteractionRequired(pending)) = registered(&same, later).await else {
                unreachable!("this mailbox belongs to another person")
            };
            token_of(&pending)
        }
    };
    while kept.store.sweep(later).await.unwrap().is_more {}
    let is_known = async || kept.store.personal_data(&person).await.unwrap().known_since.is_some();
    assert!(is_known().await, "{}, {leaving:?}: a row still refers to them", kept.name);
    match leaving {
        Leaving::Denied => registrar.deny(&link(&registrar, later).await, later).await.unwrap(),
        Leaving::AskedElsewhere => {
            registrar.claim(claim_request(&pending, other.as_str()), &WHO, later).await.map(drop).unwrap();
        }
        Leaving::LinkedElsewhere => {
            let otp = registrar.challenge(&link(&registrar, later).await, later).await.unwrap().code;
            registrar.complete(completion(&pending, otp.reveal()), &WHO, later).await.map(drop).unwrap();
        }
    }
    assert!(!is_known().await, "{}, {leaving:?}", kept.name);
}

#[test]
fn unclaimed_registration_expires_once() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 78, None);
            let mut waiting = Vec::new();
            for identity in [Identity::Anonymous, Identity::Email(mailbox("a@person.example"))] {
                waiting.push(registrar.register(registration_request(identity), &WHO, START).await.unwrap().id);
            }
            let revoked = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            registrar.revoke_token(&revoked.issued.unwrap().credential, START).await.unwrap();
            let deadline = START.plus(Duration::from_hours(24));
            assert!(kept.store.expire_batch(Time::from_millis(deadline.millis() - 1)).await.unwrap().is_empty());
            let (one, other) = tokio::join!(kept.store.expire_batch(deadline), kept.replica.expire_batch(deadline));
            let mut batches = [one.unwrap(), other.unwrap()].concat();
            batches.sort();
            waiting.sort();
            assert_eq!(batches, waiting, "{}: each by one process", kept.name);
            assert!(kept.store.expire_batch(deadline).await.unwrap().is_empty());
        });
    }
}

#[test]
fn key_rotation_keeps_links_and_codes_valid() {
    for kept in stores() {
        runtime().block_on(async {
            let most = Quotas { emails_per_mailbox: 1000, ..Quotas::default() };
            // Every process first gets the new key, then uses it, then drops the old one.
            let peppers: [&[u8]; 5] = [&[1], &[1, 2], &[2, 1], &[2, 1], &[2]];
            let mut started = Vec::new();
            for (step, keys) in peppers.into_iter().enumerate() {
                let registrar = with_parts(&kept.store, 80 + step as u64, most, Pepper::of(keys));
                // Claims begun under the previous key continue.
                for (token, link) in started.drain(..) {
                    let otp = registrar.challenge(&link, START).await.unwrap().code;
                    let challenge = registrar.challenge(&link, START).await.unwrap();
                    assert_eq!(otp, challenge.code);
                    let done = registrar.complete(completion(&token, otp.reveal()), &WHO, START).await;
                    assert_eq!(code(&done), "200", "{}: step {step}", kept.name);
                }
                // A process with the next keys sends the email.
                let person = format!("p{step}@person.example");
                let registered = registrar
                    .register(registration_request(Identity::Email(mailbox(&person))), &WHO, START)
                    .await
                    .unwrap();
                let next = peppers.get(step + 1).unwrap_or(&keys);
                let sender = with_parts(&kept.store, 90 + step as u64, most, Pepper::of(next));
                started.push((token_of(&registered), link(&sender, START).await));
            }
        });
    }
}

#[test]
fn key_rotation_under_load_keeps_claims_valid() {
    /// Concurrent claims at each step of the rotation.
    const CROWD: u64 = 24;
    for kept in stores() {
        runtime().block_on(async {
            let most = Quotas { assertions: u32::MAX, emails: u32::MAX, ..Quotas::default() };
            let peppers: [&[u8]; 5] = [&[1], &[1, 2], &[2, 1], &[2, 1], &[2]];
            for (step, keys) in peppers.windows(2).enumerate() {
                // One of two replicas was restarted with the next keys; requests reach both.
                let replicas = [(&kept.store, 0), (&kept.replica, 1)].map(|(store, which)| {
                    with_parts(store, 200 + (step * 2 + which) as u64, most, Pepper::of(keys[which]))
                });
                let registered = (0..CROWD).map(|number| {
                    let registrar = replicas[number as usize % 2].clone();
                    runtime().spawn(async move {
                        let person = format!("p{number}@s{step}.example");
                        let request = registration_request(Identity::Email(mailbox(&person)));
                        let registered = registrar.register(request, &client(number), START).await.unwrap();
                        (person, token_of(&registered))
                    })
                });
                let mut tokens = std::collections::BTreeMap::new();
                for registered in registered.collect::<Vec<_>>() {
                    tokens.extend([registered.await.unwrap()]);
                }
                let mut claims = Vec::new();
                // A process with the newer keys sends the email, and both answer.
                for due in emails(&replicas[1], START).await {
                    let link = replicas[1].pepper().link(&due.seed);
                    let token = tokens.remove(&due.email.unwrap().to).unwrap();
                    let [one, other] = replicas.clone();
                    claims.push(runtime().spawn(async move {
                        let otp = one.challenge(&link, START).await.unwrap().code;
                        assert_eq!(other.challenge(&link, START).await.unwrap().code, otp);
                        let done = other.complete(completion(&token, otp.reveal()), &WHO, START).await.unwrap();
                        let key = done.credential.unwrap().digest();
                        assert!(is_live(&one, &key, START).await && is_live(&other, &key, START).await);
                    }));
                }
                assert_eq!((claims.len() as u64, tokens.len()), (CROWD, 0), "{}: step {step}", kept.name);
                for claim in claims {
                    claim.await.unwrap();
                }
            }
        });
    }
}

#[test]
fn restored_store_rejects_earlier_assertions() {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 79, Some(verifier(&[&signer])));
            let word = |jti: &str, iat: i64| {
                let claims = with(assertion_claims(), &serde_json::json!({"jti": jti, "iat": iat}));
                registration_request(Identity::Provider(Secret::new(signer.assertion(&claims))))
            };
            assert_eq!(code(&registrar.register(word("one", NOW_SECONDS - 5), &WHO, START).await), "200");
            kept.store.void_all_assertions(START).await.unwrap();
            assert_eq!(code(&registrar.register(word("two", NOW_SECONDS), &WHO, START).await), "expired");
            assert_eq!(code(&registrar.register(word("three", NOW_SECONDS + 1), &WHO, START).await), "200");
        });
    }
}

#[test]
fn event_ends_very_many_registrations_and_its_repetition_has_the_same_answer() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 74, Some(verifier(&[&signer])));
            let mut held = Vec::new();
            for number in 0..430 {
                let claims = with(assertion_claims(), &serde_json::json!({"jti": format!("jti-{number}")}));
                let word = registration_request(Identity::Provider(Secret::new(signer.assertion(&claims))));
                held.push(registrar.register(word, &WHO, START).await.unwrap().issued.unwrap().credential.digest());
            }
            let about = with(event_claims(), &serde_json::json!({"iat": NOW_SECONDS}));
            let jwt = signer.sign(&signer.header("logout+jwt"), &about);
            for _ in 0..3 {
                assert_eq!(registrar.logout(&jwt, START).await.unwrap(), 430, "{}", kept.name);
            }
            for digest in &held {
                assert!(!is_live(&registrar, digest, START).await);
            }
        });
    }
}

#[test]
fn erase_removes_everything_about_a_person_however_much_it_is() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 75, None);
            let person = mailbox("a@person.example");
            for _ in 0..450 {
                registrar.register(registration_request(Identity::Email(person.clone())), &WHO, START).await.unwrap();
            }
            let refused = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            emails(&registrar, START).await;
            registrar.claim(claim_request(&token_of(&refused), "a@person.example"), &WHO, START).await.unwrap();
            let link = link(&registrar, START).await;
            registrar.deny(&link, START).await.unwrap();
            let record = kept.store.record(&refused.id).await.unwrap().unwrap();
            assert!(
                !serde_json::to_string(&record).unwrap().contains("person.example"),
                "the record does not name the person"
            );
            assert_eq!(kept.store.erase(&person, By::Operator, START).await.unwrap(), 450, "{}", kept.name);
            assert_eq!(kept.store.erase(&person, By::Operator, START).await.unwrap(), 0);
            assert!(kept.store.personal_data(&person).await.unwrap().records.is_empty());
            // The remaining registrations are counted.
            let full = with_quotas(&kept.store, 76, Quotas { registrations: 2, ..Quotas::default() });
            assert!(full.register(registration_request(Identity::Anonymous), &client(1), START).await.is_ok());
            assert_eq!(
                code(&full.register(registration_request(Identity::Anonymous), &client(1), START).await),
                "temporarily_unavailable"
            );
        });
    }
}

#[test]
fn erase_removes_a_person_asserted_by_a_provider() {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 78, Some(verifier(&[&signer])));
            let admit = |changes: serde_json::Value| {
                let word = Secret::new(signer.assertion(&with(assertion_claims(), &changes)));
                registrar.register(registration_request(Identity::Provider(word)), &WHO, START)
            };
            let report =
                |about: serde_json::Value| signer.sign(&signer.header("secevent+jwt"), &with(event_claims(), &about));
            // A user in two tenants, a user whose mailbox changes, and a user who is not erased.
            for (sub, tenant, email, jti) in [
                ("gone", "t-1", "ayse@client.example", "1"),
                ("gone", "t-2", "ayse@client.example", "2"),
                ("moved", "t-1", "ayse@client.example", "3"),
                ("moved", "t-1", "can@client.example", "4"),
                ("other", "t-1", "veli@client.example", "5"),
            ] {
                let asserted = admit(serde_json::json!({"sub": sub, "tenant": tenant, "email": email, "jti": jti}));
                assert!(["200", "interaction_required"].contains(&code(&asserted.await)), "{}: {jti}", kept.name);
            }
            for (sub, ended) in [("gone", 2), ("moved", 2), ("other", 1)] {
                let about = serde_json::json!({"sub": sub, "jti": sub, "iat": NOW_SECONDS});
                assert_eq!(registrar.security_event(&report(about), START).await.unwrap(), ended, "{}", kept.name);
            }
            assert_eq!(kept.store.erase(&mailbox("ayse@client.example"), By::Operator, START).await.unwrap(), 3);
            let texts = kept.store.texts().await;
            let is_left = |word: &str| texts.iter().any(|text| text.contains(word));
            assert!(!is_left("ayse") && !is_left("gone"), "{}: {texts:?}", kept.name);
            // The other users' voided assertions stay void.
            for (sub, email) in [("moved", "can@client.example"), ("other", "veli@client.example")] {
                for tenant in ["t-1", "t-3"] {
                    let jti = format!("{sub}-{tenant}");
                    let word = serde_json::json!({"sub": sub, "tenant": tenant, "email": email, "jti": jti});
                    assert_eq!(code(&admit(word).await), "expired", "{}: {sub} {tenant}", kept.name);
                }
            }
        });
    }
}

#[test]
fn store_failure_answers_temporarily_unavailable() {
    let kept = file();
    runtime().block_on(async {
        let registrar = registrar(&kept.store, 77, None);
        let registered = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
        let credential = registered.issued.as_ref().unwrap().credential.clone();
        kept.store.close().await;
        let down = "temporarily_unavailable";
        assert!(registrar.check(&credential.digest(), START).await.is_err(), "an unknown outcome is no refusal");
        assert_eq!(code(&registrar.revoke_token(&credential, START).await), down, "no false success");
        assert_eq!(code(&registrar.redeem(token_of(&registered), START).await), down);
        assert_eq!(code(&registrar.register(registration_request(Identity::Anonymous), &WHO, START).await), down);
        let claimed = registrar.claim(claim_request(&token_of(&registered), "a@person.example"), &WHO, START).await;
        assert_eq!(code(&claimed), down);
        assert_eq!(code(&registrar.complete(completion(&token_of(&registered), WRONG), &WHO, START).await), down);
        assert!(kept.store.probe().await.is_err(), "the service is not ready");
    });
}
