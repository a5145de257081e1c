//! The audit: each change has a line, even if the client does not wait for the answer.

use std::time::Duration;

use providers::testing::{NOW_SECONDS, Signer, assertion_claims, event_claims, verifier, with};
use serde_json::json;

use super::*;
use crate::{
    domain::By,
    registrar::Which,
    store::testing::{postgres_with_relay, runtime, stores},
};

/// Longer than any step takes.
const TIMEOUT: Duration = Duration::from_mins(1);

#[test]
fn audit_has_a_line_for_each_change_in_order() {
    for kept in stores() {
        let (_ear, lines) = listen();
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 91, None);
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let created = [r#""registration.created" kind="anonymous""#, r#""credential.issued""#];
            assert_eq!(audit_lines_of(&lines, &free.id), created, "{}", kept.name);
            let token = token_of(&free);
            registrar.claim(claim_request(&token, "a@person.example"), &WHO, START).await.unwrap();
            registrar.claim(claim_request(&token, "a@person.example"), &WHO, START).await.unwrap();
            let link = link(&registrar, START).await;
            let otp = registrar.challenge(&link, START).await.unwrap().code;
            registrar.challenge(&link, START).await.unwrap();
            registrar.complete(completion(&token, WRONG), &WHO, START).await.unwrap_err();
            registrar.complete(completion(&token, otp.reveal()), &WHO, START).await.unwrap();
            registrar.redeem(token.clone(), START.plus(GRACE)).await.unwrap();
            registrar.redeem(token.clone(), START.plus(GRACE)).await.unwrap();
            let access = access_link(&registrar, &mailbox("a@person.example"), START).await;
            registrar.revoke_access(&access, Which::All, START).await.unwrap();
            let expected = [
                r#""claim.requested""#,
                r#""code.shown""#,
                r#""code.refused" attempts_remaining=4"#,
                r#""claim.confirmed""#,
                r#""credential.issued""#,
                r#""credential.issued""#,
                r#""registration.revoked" by="user""#,
            ];
            assert_eq!(audit_lines_of(&lines, &free.id), expected, "{}", kept.name);
        });
    }
}

#[test]
fn audit_names_the_party_that_ended_a_registration() {
    for kept in stores() {
        let (_ear, lines) = listen();
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 92, Some(verifier(&[&signer])));
            let ended = |id: &RegistrationId| audit_lines_of(&lines, id).pop().unwrap_or_default();
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            registrar.revoke_token(&token_of(&free).0, START).await.unwrap();
            assert_eq!(ended(&free.id), r#""registration.revoked" by="holder""#, "{}", kept.name);

            let claims = with(assertion_claims(), &json!({"jti": "audit"}));
            let word = registration_request(Identity::Provider(Secret::new(signer.assertion(&claims))));
            let vouched = registrar.register(word, &WHO, START).await.unwrap();
            let logged = audit_lines_of(&lines, &vouched.id);
            assert_eq!(logged, [r#""registration.created" kind="agent-provider""#, r#""credential.issued""#]);
            let report = json!({"sub": claims["sub"], "jti": "report", "iat": NOW_SECONDS});
            let report = signer.sign(&signer.header("secevent+jwt"), &with(event_claims(), &report));
            assert_eq!(registrar.security_event(&report, START).await.unwrap(), 1);
            assert_eq!(ended(&vouched.id), r#""registration.revoked" by="provider""#);

            let person = mailbox("b@person.example");
            let registered =
                registrar.register(registration_request(Identity::Email(person.clone())), &WHO, START).await.unwrap();
            kept.store.erase(&person, By::Operator, START).await.unwrap();
            assert_eq!(ended(&registered.id), r#""registration.revoked" by="operator""#);

            let late = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            for _ in 0..2 {
                crate::registrar::tidy(&kept.store, START.plus(Duration::from_hours(24))).await.unwrap();
            }
            let logged = audit_lines_of(&lines, &late.id);
            let created = [r#""registration.created" kind="anonymous""#, r#""credential.issued""#];
            assert_eq!(logged, [created[0], created[1], r#""registration.expired""#]);
        });
    }
}

#[test]
fn audit_does_not_name_the_person() {
    for kept in stores() {
        let (_ear, lines) = listen();
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 94, None);
            let person = mailbox("a@person.example");
            registrar.request_access(&person, Locale::En, &WHO, START).await.unwrap();
            let stop = registrar.pepper().stop(&person.digest());
            for again in [false, true] {
                assert!(registrar.set_email_opt_out(&stop, again, START).await.unwrap());
            }
            let expected = ["access.requested", "letters.stopped", "letters.resumed"];
            assert_eq!(
                audit_lines(&lines).collect::<Vec<_>>(),
                expected.map(|event| format!("event={event:?}")),
                "{}",
                kept.name
            );
        });
    }
}

#[test]
fn change_of_unknown_outcome_is_audited() {
    // Longer than the store waits for an answer.
    const LATE: Duration = Duration::from_millis(4_300);
    let Some((kept, relay)) = postgres_with_relay() else { return println!("no PostgreSQL") };
    let (_ear, lines) = listen();
    let next = |event: &str| {
        let logged = std::iter::from_fn(|| lines.recv_timeout(TIMEOUT).ok());
        logged.filter(|line| line.contains("audit: ")).find(|line| line.contains(event)).expect("a line")
    };
    runtime().block_on(async {
        let registrar = registrar(&kept.store, 95, None);
        let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
        assert!(!next("credential.issued").contains("outcome"));
        let key = free.issued.unwrap().credential;
        relay.delay_answer("COMMIT", LATE);
        assert!(registrar.revoke_token(&key, START).await.is_err());
        let revoked = next("registration.revoked");
        assert!(revoked.contains(r#"outcome="unknown""#) && revoked.contains(free.id.as_str()), "{revoked}");
        assert!(kept.replica.use_credential(&key.digest(), START).await.unwrap().is_none(), "the change took effect");
        // A change by a person has a line, too.
        let stop = registrar.pepper().stop(&mailbox("a@person.example").digest());
        relay.delay_answer("COMMIT", LATE);
        assert!(registrar.set_email_opt_out(&stop, false, START).await.is_err());
        assert!(next("letters.stopped").contains(r#"outcome="unknown""#));
        // A change that the database rejects has no line.
        kept.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
            CREATE CONSTRAINT TRIGGER refused AFTER DELETE ON silence DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION refuse()",
        )
        .await;
        assert!(registrar.set_email_opt_out(&stop, true, START).await.is_err());
        assert_eq!(audit_lines(&lines).collect::<Vec<_>>(), [""; 0]);
    });
}

#[test]
fn change_is_audited_after_the_client_has_gone() {
    for kept in stores() {
        let (_ear, lines) = listen();
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 93, None);
            // The client disconnects as soon as the store has begun.
            let request = registrar.register(registration_request(Identity::Anonymous), &WHO, START);
            let _ = tokio::time::timeout(Duration::ZERO, request).await;
        });
        let logged = std::iter::from_fn(|| lines.recv_timeout(TIMEOUT).ok()).find(|line| line.contains("audit: "));
        let logged = logged.expect("a line");
        assert!(logged.contains(r#"event="registration.created""#), "{}: {logged}", kept.name);
        // The audited registration exists.
        let id = logged.split_once("registration=").and_then(|(_, rest)| rest.split(' ').next()).unwrap();
        assert!(runtime().block_on(kept.store.record(&RegistrationId::new(id))).unwrap().is_some(), "{}", kept.name);
    }
}
