//! Rows about what is kept: how much, under which key, and what a failure does to it.

use std::time::Duration;

use super::*;
use crate::{
    registration::providers::tests::{NOW_SECONDS, Signer, assertion_claims, event_claims, verifier, with},
    store::testing::{file, runtime, stores},
};

#[test]
fn anonymous_dos_storage_growth() {
    for kept in stores() {
        runtime().block_on(async {
            // Five an hour from one client, and so many in all, whoever asks.
            let registrar = with_quotas(&kept.store, 71, Quotas { anonymous: 12, ..Quotas::default() });
            let mut registered = 0;
            for number in 0..100 {
                let result = registrar.register(asking(Identity::Anonymous), &client(number / 20), START).await;
                registered += usize::from(result.is_ok());
                assert!(["200", "rate_limited"].contains(&code(&result)));
            }
            assert_eq!(registered, 12, "{}: 5 + 5 + 2", kept.name);
            // No more rows than were allowed, of anybody without an identity.
            let full = with_quotas(&kept.store, 72, Quotas { registrations: 12, ..Quotas::default() });
            let later = START.plus(Duration::from_hours(1));
            let refused = full.register(asking(Identity::Anonymous), &client(7), later).await;
            assert!(matches!(refused, Err(Refusal::Unavailable { retry_after: 60.. })), "{}", kept.name);
            let person = asking(Identity::Email(mailbox("a@person.example")));
            assert!(full.register(person, &client(7), later).await.is_ok(), "others still register");
            // What is forgotten makes room.
            let month = START.plus(Duration::from_hours(24 * 40));
            while kept.store.sweep(month).await.unwrap().is_more {}
            assert!(full.register(asking(Identity::Anonymous), &client(7), month).await.is_ok());
        });
    }
}

#[test]
fn a_sweep_takes_little_at_a_time() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 73, None);
            for _ in 0..1100 {
                registrar.register(asking(Identity::Anonymous), &WHO, START).await.unwrap();
            }
            let month = START.plus(Duration::from_hours(24 * 40));
            let mut steps = Vec::new();
            loop {
                let swept = kept.store.sweep(month).await.unwrap();
                steps.push(swept.rows);
                if !swept.is_more {
                    break;
                }
            }
            assert!(steps.len() == 3 && steps.iter().all(|rows| *rows <= 510), "{}: {steps:?}", kept.name);
        });
    }
}

#[test]
fn key_rotation() {
    for kept in stores() {
        runtime().block_on(async {
            let most = Quotas { letters_per_mailbox: 1000, ..Quotas::default() };
            // First every process knows the new key, then it is used, then the old one is forgotten.
            let peppers: [&[u8]; 5] = [&[1], &[1, 2], &[2, 1], &[2, 1], &[2]];
            let mut started = Vec::new();
            for (step, keys) in peppers.into_iter().enumerate() {
                let registrar = with_parts(&kept.store, 80 + step as u64, most, Pepper::of(keys));
                // Whatever began under the key before goes on under this one.
                for (token, link) in started.drain(..) {
                    let otp = registrar.challenge(&link, &WHO, START).await.unwrap().code;
                    let shown = registrar.challenge(&link, &WHO, START).await.unwrap().code;
                    assert_eq!(otp, shown);
                    let done = registrar.complete(completion(&token, otp.reveal()), &WHO, START).await;
                    assert_eq!(code(&done), "200", "{}: step {step}", kept.name);
                }
                // A letter that waits is sent by a process that knows more keys.
                let person = format!("p{step}@person.example");
                let registered =
                    registrar.register(asking(Identity::Email(mailbox(&person))), &WHO, START).await.unwrap();
                let next = peppers.get(step + 1).unwrap_or(&keys);
                let sender = with_parts(&kept.store, 90 + step as u64, most, Pepper::of(next));
                started.push((token_of(&registered), link(&sender, START).await));
            }
        });
    }
}

#[test]
fn an_event_about_very_many_registrations_ends_them_all_and_is_answered_the_same_again() {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 74, Some(verifier(&[&signer])));
            let mut held = Vec::new();
            for number in 0..430 {
                let claims = with(assertion_claims(), &serde_json::json!({"jti": format!("jti-{number}")}));
                let word = asking(Identity::Provider(Secret::new(signer.assertion(&claims))));
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
fn everything_about_a_person_is_erased_however_much_it_is() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 75, None);
            let person = mailbox("a@person.example");
            for _ in 0..450 {
                registrar.register(asking(Identity::Email(person.clone())), &WHO, START).await.unwrap();
            }
            let refused = registrar.register(asking(Identity::Anonymous), &WHO, START).await.unwrap();
            letters(&registrar, START).await;
            registrar.claim(claim_request(&token_of(&refused), "a@person.example"), &WHO, START).await.unwrap();
            let link = link(&registrar, START).await;
            registrar.deny(&link, START).await.unwrap();
            let record = kept.store.record(&refused.id).await.unwrap().unwrap();
            assert!(!serde_json::to_string(&record).unwrap().contains("person.example"), "who refused is not named");
            assert_eq!(kept.store.erase(&person, START).await.unwrap(), 450, "{}", kept.name);
            assert_eq!(kept.store.erase(&person, START).await.unwrap(), 0);
            assert!(kept.store.dossier(&person).await.unwrap().records.is_empty());
            // The ones that are left are counted.
            let full = with_quotas(&kept.store, 76, Quotas { registrations: 2, ..Quotas::default() });
            assert!(full.register(asking(Identity::Anonymous), &client(1), START).await.is_ok());
            assert_eq!(
                code(&full.register(asking(Identity::Anonymous), &client(1), START).await),
                "temporarily_unavailable"
            );
        });
    }
}

#[test]
fn store_failure() {
    let kept = file();
    runtime().block_on(async {
        let registrar = registrar(&kept.store, 77, None);
        let registered = registrar.register(asking(Identity::Anonymous), &WHO, START).await.unwrap();
        let credential = registered.issued.as_ref().unwrap().credential.clone();
        kept.store.close().await;
        let down = "temporarily_unavailable";
        assert!(registrar.check(&credential.digest(), START).await.is_err(), "nobody knows, which is no refusal");
        assert_eq!(code(&registrar.revoke_token(&credential, START).await), down, "no success that is none");
        assert_eq!(code(&registrar.redeem(token_of(&registered), &WHO, START).await), down);
        assert_eq!(code(&registrar.register(asking(Identity::Anonymous), &WHO, START).await), down);
        let asked = registrar.claim(claim_request(&token_of(&registered), "a@person.example"), &WHO, START).await;
        assert_eq!(code(&asked), down);
        assert_eq!(code(&registrar.complete(completion(&token_of(&registered), "000000"), &WHO, START).await), down);
        assert!(kept.store.probe().await.is_err(), "and the service says that it is not ready");
    });
}
