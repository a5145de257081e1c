//! Threats by email: its amount, its recipients, and opt-outs.

use std::{collections::HashMap, time::Duration};

use super::*;
use crate::store::testing::{runtime, stores};

/// Returns how many emails each address gets if a crowd of different clients requests emails to `people`.
async fn flood_with_emails(
    registrar: &Registrar,
    people: &[String],
    rounds: u64,
    start: Time,
) -> HashMap<String, usize> {
    for round in 0..rounds {
        for (number, person) in people.iter().enumerate() {
            let caller = client(round * 1000 + number as u64);
            let request = registration_request(Identity::Email(mailbox(person)));
            let _ = registrar.register(request, &caller, start).await;
        }
    }
    let mut counted = HashMap::new();
    for due in emails(registrar, start).await {
        *counted.entry(due.email.unwrap().to).or_default() += 1;
    }
    counted
}

#[test]
fn mail_bombing_is_limited_per_mailbox_domain_and_total() {
    for kept in stores() {
        runtime().block_on(async {
            let quotas = Quotas { emails_per_domain: 12, emails: 30, ..Quotas::default() };
            let registrar = with_quotas(&kept.store, 61, quotas);
            let one = vec!["victim@person.example".to_owned()];
            let counted = flood_with_emails(&registrar, &one, 20, START).await;
            assert_eq!(counted["victim@person.example"], 5, "{}: an hour", kept.name);
            let later = START.plus(Duration::from_hours(1));
            flood_with_emails(&registrar, &one, 20, later).await;
            let third = flood_with_emails(&registrar, &one, 20, START.plus(Duration::from_hours(2))).await;
            assert_eq!(third.get("victim@person.example"), None, "ten in a day");
            // One domain: two more, since one of its mailboxes got ten.
            let house: Vec<_> = (0..20).map(|number| format!("p{number}@person.example")).collect();
            assert_eq!(flood_with_emails(&registrar, &house, 1, later).await.values().sum::<usize>(), 2);
            // All domains together.
            let world: Vec<_> = (0..100).map(|number| format!("p@d{number}.example")).collect();
            assert_eq!(flood_with_emails(&registrar, &world, 1, later).await.values().sum::<usize>(), 30 - 12);
        });
    }
}

#[test]
fn deferred_emails_do_not_delay_others() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 64, None);
            let store = registrar.store();
            for number in 0..3 {
                let mailbox = mailbox(&format!("p{number}@poison.example"));
                registrar.register(registration_request(Identity::Email(mailbox)), &WHO, START).await.unwrap();
                let due = store.take_email(START).await.unwrap().unwrap();
                store.defer_email(&due.id, START.plus(Duration::from_secs(5))).await.unwrap();
            }
            let later = START.plus(Duration::from_mins(1));
            registrar
                .register(registration_request(Identity::Email(mailbox("a@person.example"))), &WHO, later)
                .await
                .unwrap();
            let mut order = Vec::new();
            while let Some(due) = store.take_email(later).await.unwrap() {
                order.push(due.email.unwrap().to);
            }
            assert_eq!(order.len(), 4, "{}: all have their turn", kept.name);
            assert_eq!(order[0], "a@person.example", "{}", kept.name);
        });
    }
}

#[test]
fn opt_out_is_kept_and_cannot_be_observed() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 62, None);
            let person = mailbox("a@person.example");
            let stop = registrar.pepper().stop(&person.digest());
            assert!(registrar.set_email_opt_out(&stop, false, START).await.unwrap());
            let registered =
                registrar.register(registration_request(Identity::Email(person.clone())), &WHO, START).await.unwrap();
            assert!(registered.pending.is_some(), "the answer is the same");
            let due = registrar.store().take_email(START).await.unwrap().unwrap();
            let ready = registrar.decide_delivery(due.email.unwrap(), &due.seed, START).await.unwrap().into_sent();
            assert_eq!(ready, None);
            let other = registrar
                .register(registration_request(Identity::Email(mailbox("b@person.example"))), &WHO, START)
                .await;
            assert!(other.is_ok());
            registrar.store().drop_email(&due.id).await.unwrap();
            let due = registrar.store().take_email(START).await.unwrap().unwrap();
            assert!(
                registrar
                    .decide_delivery(due.email.clone().unwrap(), &due.seed, START)
                    .await
                    .unwrap()
                    .into_sent()
                    .is_some()
            );
            // The link in any earlier email resumes emails.
            assert!(registrar.set_email_opt_out(&stop, true, START).await.unwrap());
            assert_eq!(registrar.gets_emails(&stop).await.unwrap(), Some(true));
        });
    }
}

#[test]
fn budget_of_a_domain_does_not_reveal_an_opt_out() {
    for kept in stores() {
        runtime().block_on(async {
            let quotas = Quotas { emails_per_domain: 5, ..Quotas::default() };
            let registrar = with_quotas(&kept.store, 73, quotas);
            let silent = mailbox("victim@silent.example");
            let stop = registrar.pepper().stop(&silent.digest());
            assert!(registrar.set_email_opt_out(&stop, false, START).await.unwrap());
            let mut left = Vec::new();
            for (number, domain) in (0..).zip(["silent.example", "other.example"]) {
                // An agent asks one person and then another instead; the first gets a notice.
                let caller = client(number);
                let free = registrar.register(registration_request(Identity::Anonymous), &caller, START).await.unwrap();
                for email in [format!("victim@{domain}"), format!("own@agent{number}.example")] {
                    registrar.claim(claim_request(&token_of(&free), &email), &caller, START).await.unwrap();
                }
                while let Some(due) = registrar.store().take_email(START).await.unwrap() {
                    let decision = registrar.decide_delivery(due.email.unwrap(), &due.seed, START).await.unwrap();
                    assert!(registrar.take_email_budget(&decision, &due.id, due.expires, START).await.unwrap());
                    registrar.store().drop_email(&due.id).await.unwrap();
                }
                let mut sent = 0;
                while sent < 9 {
                    let nobody = mailbox(&format!("nobody{sent}@{domain}"));
                    let other = client(10 + 10 * number + sent);
                    if registrar.register(registration_request(Identity::Email(nobody)), &other, START).await.is_err() {
                        break;
                    }
                    sent += 1;
                }
                left.push(sent);
            }
            assert_eq!(left, [3, 3], "{}: five less a request and a notice", kept.name);
        });
    }
}

#[test]
fn late_email_costs_the_person_no_time_and_void_email_is_not_sent() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 63, None);
            let registered = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let token = token_of(&registered);
            registrar.claim(claim_request(&token, "a@person.example"), &WHO, START).await.unwrap();
            let first = registrar.store().take_email(START).await.unwrap().unwrap();
            // The mail server is down for three hours; the agent keeps polling, and the person still has an hour.
            let late = START.plus(Duration::from_hours(3));
            assert_eq!(code(&registrar.redeem(token.clone(), late).await), "authorization_pending");
            let ready = registrar
                .decide_delivery(first.email.clone().unwrap(), &first.seed, late)
                .await
                .unwrap()
                .into_sent()
                .unwrap();
            let until = late.plus(Duration::from_hours(1));
            assert!(
                matches!(ready.content, forms::EmailContent::Claim { expires, .. } if expires == until),
                "the email has the expiry"
            );
            registrar.record_sent(&first.seed, late).await.unwrap();
            let link = registrar.pepper().link(&first.seed);
            assert_eq!(
                registrar.view(&link, until.plus(Duration::ZERO)).await.err().map(|refusal| refusal.code().as_str()),
                Some("claim_expired")
            );
            // Another person is asked instead, so the first link is void.
            registrar.claim(claim_request(&token, "b@person.example"), &WHO, late).await.unwrap();
            assert_eq!(
                registrar.decide_delivery(first.email.unwrap(), &first.seed, late).await.unwrap().into_sent(),
                None
            );
        });
    }
}

#[test]
fn revocation_by_a_person_is_confirmed_by_email() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 64, None);
            let registered = registrar
                .register(registration_request(Identity::Email(mailbox("a@person.example"))), &WHO, START)
                .await
                .unwrap();
            let link = link(&registrar, START).await;
            let otp = registrar.challenge(&link, START).await.unwrap().code;
            registrar.complete(completion(&token_of(&registered), otp.reveal()), &WHO, START).await.unwrap();
            registrar.request_access(&mailbox("a@person.example"), Locale::Tr, &WHO, START).await.unwrap();
            let sent = emails(&registrar, START).await;
            let access = registrar.pepper().access(&sent[0].seed);
            let all = crate::registrar::Which::All;
            assert_eq!(registrar.revoke_access(&access, all.clone(), START).await.unwrap(), 1);
            assert_eq!(registrar.revoke_access(&access, all, START).await.unwrap(), 0);
            let notices = emails(&registrar, START).await;
            assert_eq!(notices.len(), 1, "one notice, for the revocation that ended something");
            let email = notices[0].email.as_ref().unwrap();
            assert_eq!((email.to.as_str(), email.locale), ("a@person.example", Locale::Tr));
            assert!(matches!(email.content, forms::EmailContent::Revoked { count: 1, .. }));
        });
    }
}

#[test]
fn revocation_notice_counts_revoked_credentials_only() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 68, None);
            let person = mailbox("a@person.example");
            let claimed = async |now| {
                let registered =
                    registrar.register(registration_request(Identity::Email(person.clone())), &WHO, now).await.unwrap();
                let link = link(&registrar, now).await;
                let otp = registrar.challenge(&link, now).await.unwrap().code;
                registrar.complete(completion(&token_of(&registered), otp.reveal()), &WHO, now).await.unwrap();
            };
            // One credential has expired, one is live, and a third registration is pending.
            claimed(START).await;
            let later = START.plus(Duration::from_hours(24 * 91));
            claimed(later).await;
            registrar.register(registration_request(Identity::Email(person.clone())), &WHO, later).await.unwrap();
            let access = access_link(&registrar, &person, later).await;
            assert_eq!(registrar.access(&access, later).await.unwrap().grants.len(), 1);
            let all = crate::registrar::Which::All;
            assert_eq!(registrar.revoke_access(&access, all.clone(), later).await.unwrap(), 1, "{}", kept.name);
            let notices = emails(&registrar, later).await;
            let notices = notices.last().unwrap().email.as_ref().unwrap();
            assert!(matches!(notices.content, forms::EmailContent::Revoked { count: 1, .. }), "{}", kept.name);
            // Without a live credential there is no notice.
            registrar.register(registration_request(Identity::Email(person.clone())), &WHO, later).await.unwrap();
            assert_eq!(registrar.revoke_access(&access, all, later).await.unwrap(), 0, "{}", kept.name);
        });
    }
}

#[test]
fn claim_window_begins_when_its_email_is_sent() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 67, None);
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let ask = async |now| {
                let request = claim_request(&token_of(&free), "a@person.example");
                registrar.claim(request, &WHO, now).await.unwrap().expires
            };
            let life = Duration::from_hours(1);
            // The mail server is down, and the attempt stays open.
            for minutes in [0, 61, 600] {
                let now = START.plus(Duration::from_mins(minutes));
                assert_eq!(ask(now).await, now.plus(life), "{}", kept.name);
            }
            let sent = START.plus(Duration::from_mins(700));
            let link = link(&registrar, sent).await;
            let later = sent.plus(Duration::from_mins(3));
            assert_eq!(ask(later).await, sent.plus(life));
            assert_eq!(registrar.view(&link, later).await.unwrap().expires, sent.plus(life));
        });
    }
}

/// Returns the counts in the revocation notices since the last call.
async fn revocation_counts(registrar: &Registrar) -> Vec<usize> {
    let count = |due: crate::store::Due| match due.email.unwrap().content {
        forms::EmailContent::Revoked { count, .. } => Some(count),
        _ => None,
    };
    emails(registrar, START).await.into_iter().filter_map(count).collect()
}

#[test]
fn revocation_by_a_person_is_stored_only_with_its_email() {
    let kept = crate::store::testing::file();
    runtime().block_on(async {
        let registrar = registrar(&kept.store, 69, None);
        let (_, credential) = claim_registration(&registrar, "a@person.example", START).await;
        let access = access_link(&registrar, &mailbox("a@person.example"), START).await;
        // The store fails within the transaction.
        kept.execute("CREATE TRIGGER gone BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'gone'); END").await;
        let all = crate::registrar::Which::All;
        assert!(registrar.revoke_access(&access, all.clone(), START).await.is_err());
        assert!(registrar.check(&credential.digest(), START).await.unwrap().is_some());
        kept.execute("DROP TRIGGER gone").await;
        assert_eq!(registrar.revoke_access(&access, all, START).await.unwrap(), 1);
        assert_eq!(revocation_counts(&registrar).await, [1]);
    });
}

#[test]
fn revoking_more_than_a_batch_writes_one_email() {
    const MANY: usize = 51;
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 70, None);
            for _ in 0..MANY {
                claim_registration(&registrar, "a@person.example", START).await;
            }
            let access = access_link(&registrar, &mailbox("a@person.example"), START).await;
            let all = crate::registrar::Which::All;
            assert_eq!(registrar.revoke_access(&access, all, START).await.unwrap(), MANY, "{}", kept.name);
            assert_eq!(revocation_counts(&registrar).await, [MANY], "{}", kept.name);
        });
    }
}

#[test]
fn revocation_notice_is_due_only_after_the_last_batch() {
    // One full batch, and one more.
    for many in [50, 51] {
        let kept = crate::store::testing::file();
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 72, None);
            for _ in 0..many {
                claim_registration(&registrar, "a@person.example", START).await;
            }
            let access = access_link(&registrar, &mailbox("a@person.example"), START).await;
            // A worker between the two transactions would send it.
            let early = format!("WHEN NEW.due_at <= {} BEGIN SELECT RAISE(ABORT, 'early'); END", START.millis());
            kept.execute(&format!("CREATE TRIGGER early AFTER INSERT ON outbox {early}")).await;
            let all = crate::registrar::Which::All;
            assert_eq!(registrar.revoke_access(&access, all, START).await.unwrap(), many);
            assert_eq!(revocation_counts(&registrar).await, [many]);
        });
    }
}

#[test]
fn revocation_notice_takes_budget_only_when_stored() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = with_quotas(&kept.store, 71, Quotas { emails_per_mailbox: 1, ..Quotas::default() });
            let person = mailbox("a@person.example");
            let all = crate::registrar::Which::All;
            let mut notices = Vec::new();
            for is_held in [false, false, false, true, true] {
                let access = access_link(&registrar, &person, START).await;
                if is_held {
                    claim_registration(&registrar, "a@person.example", START).await;
                }
                let ended = registrar.revoke_access(&access, all.clone(), START).await.unwrap();
                assert_eq!(ended, usize::from(is_held), "{}", kept.name);
                notices.push(revocation_counts(&registrar).await.len());
            }
            assert_eq!(notices, [0, 0, 0, 1, 0], "{}: one in an hour", kept.name);
        });
    }
}
