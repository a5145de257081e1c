//! Floods of registrations and of access links: what many rows cost later requests.
//!
//! Runs with a hundredth of the ceiling, in seconds; `benches/rows_bench.py` measures the ceiling itself. The cost of a
//! credential check does not depend on the number of rows, because each statement finds its rows by an index
//! (`store/plans.rs`).

use std::time::Duration;

use providers::testing::{Signer, assertion_claims, verifier, with};

use super::*;
use crate::{
    domain::By,
    registrar::tests::models::models,
    store::testing::{TestStore, runtime, stores},
};

/// Registrations without an identity, waiting for a person, and by a provider.
const CROWD: [u32; 3] = [1_800, 100, 100];
/// Limit for the size on disk of a registration with all its rows, in bytes.
const BYTES: i64 = 4_000;
/// Limit for the rows that one step of a sweep deletes: a batch of registrations with all their rows.
const STEP: u64 = 1_200;

/// Sweeps to the end. Returns the number of deleted rows, and the most in one step.
async fn sweep(kept: &TestStore, now: Time) -> (u64, u64) {
    let (mut rows, mut most) = (0, 0);
    loop {
        let swept = kept.store.sweep(now).await.unwrap();
        (rows, most) = (rows + swept.rows, most.max(swept.rows));
        if !swept.is_more {
            return (rows, most);
        }
    }
}

#[test]
fn many_registrations_do_not_slow_later_ones() {
    for kept in stores() {
        runtime().block_on(async {
            let (name, models) = (kept.name, models(&kept).await);
            let now = START.plus(Duration::from_hours(1));
            let empty = kept.bytes().await;
            let mut first = 1;
            let crowd = CROWD.map(|count| count * u32::try_from(journal::times()).unwrap());
            for (model, count) in models.iter().zip(crowd) {
                kept.multiply(model, first, count).await;
                first += count;
            }
            kept.settle().await;
            let (all, full) = (crowd.iter().sum::<u32>(), kept.bytes().await);
            let each = (full - empty) / i64::from(all);
            assert!(each < BYTES, "{name}: {each} bytes for each registration");
            registrations_of_others_continue_after_a_restore(&kept, u64::from(all) + 3, now).await;
            // All have expired and are deleted in small steps.
            let late = START.plus(Duration::from_hours(24 * 150));
            let (rows, most) = sweep(&kept, late).await;
            assert!(rows > u64::from(all), "{name}: {rows}");
            assert!(most <= STEP, "{name}: {most} rows in one step");
            kept.settle().await;
            // The next flood reuses the freed space.
            kept.multiply(&models_again(&kept).await, first, all).await;
            let again = kept.bytes().await;
            assert!(again < full + full / 2, "{name}: {full} bytes became {again}");
            println!(
                "{name}: {all} registrations of {each} bytes ({full}, then {again}), {rows} rows swept, {most} at most"
            );
        });
    }
}

/// Requests an access link.
async fn access(registrar: &Registrar, email: &str, caller: u64, now: Time) -> &'static str {
    code(&registrar.request_access(&mailbox(email), Locale::En, &client(caller), now).await)
}

#[test]
fn access_links_do_not_exceed_their_limit() {
    for kept in stores() {
        runtime().block_on(async {
            let name = kept.name;
            let registrar = with_quotas(&kept.store, 78, Quotas { links: 12, ..Quotas::default() });
            claim_registration(&registrar, "known@person.example", START).await;
            for number in 0..12 {
                let requested = access(&registrar, &format!("x{number}@d{number}.example"), number, START).await;
                assert_eq!(requested, "200", "{name}");
            }
            let counters = kept.store.links().await.2;
            // Nothing is stored, and the answer does not depend on whether the address is known.
            for (number, email) in (20..).zip(["known@person.example", "unknown@person.example"]) {
                let refused =
                    registrar.request_access(&mailbox(email), Locale::En, &client(number), START).await.unwrap_err();
                assert!(matches!(refused, RegistrationError::Unavailable { retry_after: 3600 }), "{name}: {email}");
            }
            assert_eq!(kept.store.links().await, (12, 12, counters), "{name}");
            // Erasure and expiry free space.
            kept.store.erase(&mailbox("x1@d1.example"), By::Operator, START).await.unwrap();
            assert_eq!(access(&registrar, "known@person.example", 30, START).await, "200", "{name}");
            assert_eq!(access(&registrar, "known@person.example", 31, START).await, "temporarily_unavailable");
            let later = START.plus(Duration::from_mins(61));
            while kept.store.sweep(later).await.unwrap().is_more {}
            let (links, counted, _) = kept.store.links().await;
            assert_eq!((links, counted), (0, 0), "{name}");
            assert_eq!(access(&registrar, "known@person.example", 32, later).await, "200", "{name}");
            // A sweep corrects the count, because sidecars of an earlier version do not count.
            kept.store.miscount_links(12).await;
            assert_eq!(access(&registrar, "known@person.example", 33, later).await, "temporarily_unavailable");
            kept.store.sweep(later).await.unwrap();
            assert_eq!(access(&registrar, "known@person.example", 33, later).await, "200", "{name}");
        });
    }
}

#[test]
fn network_triggers_no_more_emails_than_fifty_clients() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = with_quotas(&kept.store, 79, Quotas { emails_per_client: 2, ..Quotas::default() });
            // Clients in different /64 networks of 2001:db8:7::/48.
            let network = 0x2001_0db8_0007_0000;
            let mut sent = 0;
            for host in 0..60 {
                for number in 0..2 {
                    let email = format!("x{number}@d{host}.example");
                    sent += usize::from(access(&registrar, &email, network + host, START).await == "200");
                }
            }
            assert_eq!(sent, 100, "{}", kept.name);
            // Other networks, and each IPv4 address, have their own budget.
            for other in [network + 0x1_0000, 0xcb00_7101, 0xcb00_7102] {
                assert_eq!(access(&registrar, &format!("x@e{other}.example"), other, START).await, "200");
            }
        });
    }
}

/// Returns a registration to copy, since the first ones were deleted.
async fn models_again(kept: &TestStore) -> RegistrationId {
    registrar(&kept.store, 76, None).register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap().id
}

/// Checks that at the limit of `most` registrations only anonymous registration is refused.
async fn registrations_of_others_continue_after_a_restore(kept: &TestStore, most: u64, now: Time) {
    let signer = Signer::es256("key");
    let quotas = Quotas { registrations: most + 1, ..Quotas::default() };
    let registrar = registrar_with(&kept.store, 77, quotas, Some(verifier(&[&signer])));
    let (who, name) = (client(1), kept.name);
    let last = registrar.register(registration_request(Identity::Anonymous), &who, now).await.unwrap();
    let refused = registrar.register(registration_request(Identity::Anonymous), &client(2), now).await;
    assert!(matches!(refused, Err(RegistrationError::Unavailable { retry_after: 60.. })), "{name}: {}", code(&refused));
    // Existing registrations can be claimed, used and revoked; registrations with an identity are created.
    registrar.register(registration_request(Identity::Email(mailbox("new@person.example"))), &who, now).await.unwrap();
    let claims = serde_json::json!({"sub": "another", "email": "other@person.example", "jti": "late"});
    let word = signer.assertion(&with(assertion_claims(), &claims));
    registrar.register(registration_request(Identity::Provider(Secret::new(word))), &who, START).await.unwrap();
    let token = token_of(&last);
    registrar.claim(claim_request(&token, "last@person.example"), &who, now).await.unwrap();
    let mut link = None;
    for due in emails(&registrar, now).await {
        if due.email.is_some_and(|email| email.to == "last@person.example") {
            link = Some(registrar.pepper().link(&due.seed));
        }
    }
    let otp = registrar.challenge(&link.unwrap(), now).await.unwrap().code;
    registrar.complete(completion(&token, otp.reveal()), &who, now).await.unwrap();
    let key = registrar.redeem(token, now.plus(GRACE)).await.unwrap().issued.credential;
    assert!(is_live(&registrar, &key.digest(), now).await);
    registrar.revoke_token(&key, now).await.unwrap();
    assert!(!is_live(&registrar, &key.digest(), now).await, "{name}");
    kept.store.probe().await.unwrap();
}
