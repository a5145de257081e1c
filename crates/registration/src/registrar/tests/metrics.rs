//! The metrics: how many of each kind and outcome, without personal data.

use std::time::Duration;

use providers::testing::{Signer, assertion_claims, verifier, with};
use secrets::Digest;
use serde_json::json;

use super::*;
use crate::store::testing::{keep_journal, runtime, stores};

/// Checks that the metrics at `now` contain `rows`; returns all metrics.
async fn assert_rows(registrar: &Registrar, now: Time, rows: &[&str]) -> String {
    let text = registrar.metrics(now).await;
    for row in rows {
        assert!(text.lines().any(|line| line == *row), "{row}\n{text}");
    }
    text
}

#[test]
fn registrations_claims_and_codes_are_counted_by_kind_and_outcome() {
    for kept in stores() {
        runtime().block_on(async {
            let quotas = Quotas { anonymous_per_client: 1, ..Quotas::default() };
            let signer = Signer::es256("key");
            let registrar = registrar_with(&kept.store, 23, quotas, Some(verifier(&[&signer])));
            let client = Caller::Client(7 << 8);
            let free = registrar.register(registration_request(Identity::Anonymous), &client, START).await.unwrap();
            let limited = registrar.register(registration_request(Identity::Anonymous), &client, START).await;
            assert_eq!(code(&limited), "rate_limited");
            let claims = with(assertion_claims(), &json!({"jti": "counted"}));
            let word = || registration_request(Identity::Provider(Secret::new(signer.assertion(&claims))));
            registrar.register(word(), &client, START).await.unwrap();
            assert_eq!(code(&registrar.register(word(), &client, START).await), "replay_detected");

            let token = token_of(&free);
            registrar.claim(claim_request(&token, "a@person.example"), &client, START).await.unwrap();
            let late = START.plus(Duration::from_secs(90));
            let waiting = ["mecelle_mail_waiting 1", "mecelle_mail_oldest_seconds 90"];
            assert_rows(&registrar, late, &waiting).await;
            let link = link(&registrar, START).await;
            assert_rows(&registrar, late, &["mecelle_mail_waiting 0", "mecelle_mail_oldest_seconds 0"]).await;
            let otp = registrar.challenge(&link, START).await.unwrap().code;
            registrar.complete(completion(&token, "no code"), &client, START).await.unwrap_err();
            registrar.complete(completion(&token, WRONG), &client, START).await.unwrap_err();
            registrar.complete(completion(&token, otp.reveal()), &client, START).await.unwrap();
            registrar.deny(&link, START).await.unwrap_err();

            let held = free.issued.unwrap().credential.digest();
            assert!(registrar.check(&held, START).await.unwrap().is_some());
            assert!(registrar.check(&Digest::of(b"unknown"), START).await.unwrap().is_none());
            let rows = [
                r#"mecelle_registrations_total{kind="anonymous",outcome="accepted"} 1"#,
                r#"mecelle_registrations_total{kind="anonymous",outcome="limited"} 1"#,
                r#"mecelle_registrations_total{kind="provider",outcome="accepted"} 1"#,
                r#"mecelle_registrations_total{kind="provider",outcome="refused"} 1"#,
                r#"mecelle_registrations_total{kind="email",outcome="accepted"} 0"#,
                r#"mecelle_claims_total{kind="requested",outcome="accepted"} 1"#,
                r#"mecelle_claims_total{kind="completed",outcome="accepted"} 1"#,
                r#"mecelle_claims_total{kind="completed",outcome="refused"} 2"#,
                r#"mecelle_claims_total{kind="denied",outcome="refused"} 1"#,
                "mecelle_codes_shown_total 1",
                r#"mecelle_codes_compared_total{outcome="right"} 1"#,
                r#"mecelle_codes_compared_total{outcome="wrong"} 1"#,
                r#"mecelle_credentials_checked_total{outcome="valid"} 1"#,
                r#"mecelle_credentials_checked_total{outcome="invalid"} 1"#,
                r#"mecelle_store_errors_total{kind="failed"} 0"#,
            ];
            let text = assert_rows(&registrar, START, &rows).await;
            for secret in ["person", "example", token.0.reveal()] {
                assert!(!text.contains(secret), "{}: {secret}\n{text}", kept.name);
            }
            let limit = text.lines().find_map(|line| line.strip_prefix("mecelle_store_connections_limit "));
            assert!(limit.is_some_and(|limit| ["4", "8"].contains(&limit)), "{text}");
        });
    }
}

#[test]
fn missing_store_is_counted_and_its_metrics_are_omitted() {
    keep_journal();
    let nowhere = Location::Postgres("postgres://mecelle@localhost/none?host=/nonexistent".to_owned());
    runtime().block_on(async {
        let store = Store::open_with_retries(&nowhere, runtime().handle().clone()).await.unwrap();
        let registrar = registrar(&store, 24, None);
        assert!(registrar.check(&Digest::of(b"any"), START).await.is_err());
        registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap_err();
        registrar.metrics(START).await;
        let rows = [
            r#"mecelle_credentials_checked_total{outcome="failed"} 1"#,
            r#"mecelle_registrations_total{kind="anonymous",outcome="failed"} 1"#,
        ];
        let text = assert_rows(&registrar, START, &rows).await;
        assert!(!text.contains("\nmecelle_mail_waiting "), "{text}");
        let errors = text.lines().filter_map(|line| line.strip_prefix("mecelle_store_errors_total{")?.split_once("} "));
        let errors: u64 = errors.map(|(_, count)| count.parse::<u64>().unwrap()).sum();
        // A failure of the collection itself counts, too.
        assert!(errors >= 3, "{text}");
    });
}

#[test]
fn email_of_an_earlier_version_has_waited_for_no_time() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 25, None);
            kept.execute(
                "INSERT INTO outbox (id, seed, recipient, letter, tries, due_at, expires_at)
                    VALUES ('old', 'seed', 'a@person.example', '{}', 0, 0, 0)",
            )
            .await;
            assert_rows(&registrar, START, &["mecelle_mail_waiting 1", "mecelle_mail_oldest_seconds 0"]).await;
        });
    }
}
