//! Budgets under attack: no client uses up the budget of others, and no limit is exceeded.

use std::{cell::RefCell, time::Duration};

use providers::testing::{Signer, assertion_claims, verifier, with};
use serde_json::json;

use super::*;
use crate::{
    registrar::Which,
    store::testing::{file, quick_stores, runtime, stores},
};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

fn client(number: u64) -> Caller {
    // Each IPv4 address in a network of its own.
    Caller::Client(if number < 1 << 24 { number << 8 } else { number })
}

/// Creates a registrar with `quotas`.
fn limited(store: &Store, quotas: Quotas, providers: Option<Verifier>) -> Registrar {
    registrar_with(store, 21, quotas, providers)
}

async fn ask(registrar: &Registrar, email: &str, caller: u64, now: Time) -> &'static str {
    code(&registrar.register(registration_request(Identity::Email(mailbox(email))), &client(caller), now).await)
}

async fn access(registrar: &Registrar, email: &str, caller: u64, now: Time) -> &'static str {
    code(&registrar.request_access(&mailbox(email), Locale::En, &client(caller), now).await)
}

/// Returns how many emails to each of `people` would be sent now, and empties the outbox.
async fn count_emails(registrar: &Registrar, people: &[&str], now: Time) -> Vec<usize> {
    let mut count = vec![0; people.len()];
    while let Some(due) = registrar.store().take_email(now).await.unwrap() {
        registrar.store().drop_email(&due.id).await.unwrap();
        let decision = registrar.decide_delivery(due.email.unwrap(), &due.seed, now).await.unwrap();
        if registrar.take_email_budget(&decision, &due.id, due.expires, now).await.unwrap()
            && let Some(email) = decision.into_sent()
            && let Some(index) = people.iter().position(|person| *person == email.to)
        {
            count[index] += 1;
        }
    }
    count
}

#[test]
fn unsent_emails_take_nothing_from_shared_budgets() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas { emails: 30, ..Quotas::default() }, None);
            let mut refused = 0;
            for number in 0..60 {
                let result = access(&registrar, &format!("nobody{number}@person.example"), 1, START).await;
                refused += usize::from(result == "rate_limited");
            }
            assert_eq!(refused, 54, "{}: one network may ask for a fifth of thirty", kept.name);
            for number in 0..60 {
                access(&registrar, &format!("stranger{number}@person.example"), 100 + number, START).await;
            }
            assert_eq!(count_emails(&registrar, &[], START).await, Vec::<usize>::new());
            assert_eq!(ask(&registrar, "honest@person.example", 2, START).await, "200", "{}", kept.name);
            assert_eq!(access(&registrar, "honest@person.example", 2, START).await, "200");
            // Claims count when they are requested; one client cannot use up the budget.
            let mut sent = 0;
            for number in 0..60 {
                let result = ask(&registrar, &format!("invented{number}@d{number}.example"), 3, START).await;
                sent += usize::from(result == "200");
            }
            assert_eq!(sent, 6, "{}", kept.name);
            assert_eq!(ask(&registrar, "other@person.example", 4, START).await, "200");
        });
    }
}

#[test]
fn network_stores_at_most_a_fifth_of_the_links() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas { links: 20, ..Quotas::default() }, None);
            let mut stored = 0;
            for number in 0..20 {
                let result = access(&registrar, &format!("nobody{number}@person.example"), 1, START).await;
                stored += usize::from(result == "200");
            }
            assert_eq!(stored, 4, "{}", kept.name);
            assert_eq!(access(&registrar, "honest@person.example", 2, START).await, "200", "{}", kept.name);
        });
    }
}

#[test]
fn access_link_works_although_attackers_exhaust_budgets() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas::default(), None);
            let victim = "victim@person.example";
            claim_registration(&registrar, victim, START).await;
            // Agents send requests to the victim until the budget of the mailbox is used up.
            for number in 0..6 {
                ask(&registrar, victim, number, START).await;
            }
            assert_eq!(ask(&registrar, victim, 7, START).await, "rate_limited");
            assert_eq!(access(&registrar, victim, 8, START).await, "200", "{}: the victim asks", kept.name);
            // An attacker requests links for the victim until no more are sent: the last link works until the next can
            // be sent.
            let mut links = Vec::new();
            let mut days = [0, 0];
            for hour in 0..30 {
                let now = START.plus(HOUR * hour);
                while access(&registrar, victim, 9, now).await == "200" {
                    let day = &mut days[usize::from(hour >= 24)];
                    *day += 1;
                    assert!(*day <= 20, "{}: in hour {hour} there is no limit", kept.name);
                }
                while let Some(due) = registrar.store().take_email(now).await.unwrap() {
                    registrar.store().drop_email(&due.id).await.unwrap();
                    links.push(registrar.pepper().access(&due.seed));
                }
                let later = now.plus(Duration::from_mins(59));
                assert_eq!(access(&registrar, victim, 10, later).await, "rate_limited", "hour {hour}");
                let mut works = 0;
                for link in &links {
                    works += registrar.access(link, later).await.map_or(0, |view| view.grants.len());
                }
                assert!(works > 0, "{}: in hour {hour} no link works", kept.name);
            }
            assert_eq!(days, [9, 10], "{}", kept.name);
        });
    }
}

#[test]
fn agents_do_not_use_the_budget_of_access_links() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let quotas = Quotas { emails_per_domain: 3, emails: 5, ..Quotas::default() };
            let registrar = limited(&kept.store, quotas, None);
            let victim = "victim@person.example";
            claim_registration(&registrar, victim, START).await;
            let mut requests = Vec::new();
            for number in 0..6 {
                requests.push(ask(&registrar, &format!("x{number}@person.example"), number, START).await);
                requests.push(ask(&registrar, &format!("x@d{number}.example"), 10 + number, START).await);
                if number == 0 {
                    // Sending a link takes nothing from a budget that agents can observe.
                    assert_eq!(access(&registrar, victim, 30, START).await, "200");
                    assert_eq!(count_emails(&registrar, &[victim], START).await, [1]);
                }
            }
            assert_eq!(
                requests.iter().filter(|code| **code == "200").count(),
                4,
                "{}: with the claimed one five",
                kept.name
            );
            count_emails(&registrar, &[], START).await;
            assert_eq!(access(&registrar, victim, 31, START).await, "200");
            assert_eq!(
                count_emails(&registrar, &[victim], START).await,
                [1],
                "{}: nothing is left for agents",
                kept.name
            );
        });
    }
}

#[test]
fn concurrent_guesses_do_not_exceed_the_budget() {
    for kept in stores() {
        runtime().block_on(async {
            let replicas = [&kept.store, &kept.replica]
                .map(|store| limited(store, Quotas { emails_per_client: 1000, ..Quotas::default() }, None));
            let mut tokens = Vec::new();
            for number in 0..12 {
                let identity = Identity::Email(mailbox(&format!("p{number}@d{number}.example")));
                let registered = replicas[0].register(registration_request(identity), &client(1), START).await.unwrap();
                let link = link(&replicas[0], START).await;
                replicas[0].challenge(&link, START).await.unwrap();
                tokens.push(token_of(&registered));
            }
            let tasks: Vec<_> = (0..60)
                .map(|index| {
                    let (registrar, token) = (replicas[index % 2].clone(), tokens[index / 5].clone());
                    runtime().spawn(async move {
                        code(&registrar.complete(completion(&token, WRONG), &client(1), START).await)
                    })
                })
                .collect();
            let mut compared = 0;
            for task in tasks {
                compared += usize::from(task.await.unwrap() == "otp_invalid");
            }
            assert_eq!(compared, 20, "{}: what one client may guess wrong in an hour", kept.name);
        });
    }
}

#[test]
fn right_code_is_not_counted_as_a_guess() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let quotas =
                Quotas { wrong_codes_per_client: 1, wrong_codes: 1, emails_per_client: 99, ..Quotas::default() };
            let registrar = limited(&kept.store, quotas, None);
            for number in 0..4 {
                let identity = Identity::Email(mailbox(&format!("p{number}@person.example")));
                let registered = registrar.register(registration_request(identity), &client(1), START).await.unwrap();
                let token = token_of(&registered);
                // A code that comes before one is shown does not count.
                let early = registrar.complete(completion(&token, WRONG), &client(1), START).await;
                assert_eq!(code(&early), "otp_not_generated", "{}", kept.name);
                let link = link(&registrar, START).await;
                let otp = registrar.challenge(&link, START).await.unwrap().code;
                let done = registrar.complete(completion(&token, otp.reveal()), &client(1), START).await;
                assert_eq!(code(&done), "200", "{}", kept.name);
            }
        });
    }
}

#[test]
fn wrong_guesses_do_not_stop_honest_claims() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas::default(), None);
            let show_code = async |person: String, caller: u64| {
                let identity = Identity::Email(mailbox(&person));
                let registered =
                    registrar.register(registration_request(identity), &client(caller), START).await.unwrap();
                let link = link(&registrar, START).await;
                let otp = registrar.challenge(&link, START).await.unwrap().code;
                (token_of(&registered), otp)
            };
            let complete = async |token: &ClaimToken, otp: &str, caller: u64| {
                code(&registrar.complete(completion(token, otp), &client(caller), START).await)
            };
            let honest = show_code("honest@person.example".to_owned(), 150).await;
            let hasty = show_code("hasty@person.example".to_owned(), 151).await;
            // Two networks use a fifth each, twenty use two guesses each, and twenty new clients use the rest.
            let mut compared = 0;
            for attacker in 0..42 {
                for round in 0..if attacker < 2 { 4 } else { 1 } {
                    let (token, _) = show_code(format!("own{round}@a{attacker}.example"), attacker).await;
                    for _ in 0..5 {
                        compared += usize::from(complete(&token, WRONG, attacker).await == "otp_invalid");
                    }
                }
            }
            assert_eq!(compared, 100, "{}", kept.name);
            let (token, _) = show_code("own@a.example".to_owned(), 106).await;
            assert_eq!(complete(&token, WRONG, 106).await, "otp_invalid", "a first guess");
            assert_eq!(complete(&token, WRONG, 106).await, "rate_limited", "{}: no second guess", kept.name);
            assert_eq!(complete(&token, WRONG, 107).await, "rate_limited", "nor by another client");
            assert_eq!(complete(&hasty.0, WRONG, 151).await, "otp_invalid");
            assert_eq!(complete(&hasty.0, hasty.1.reveal(), 151).await, "rate_limited");
            assert_eq!(complete(&honest.0, honest.1.reveal(), 150).await, "200", "{}", kept.name);
        });
    }
}

#[test]
fn exhausted_budget_is_logged_once_a_window() {
    let kept = file();
    let (_listener, lines) = listen();
    let lines = RefCell::new((lines, Vec::new()));
    runtime().block_on(async {
        let registrar = limited(&kept.store, Quotas { anonymous: 2, ..Quotas::default() }, None);
        let logged = |what: &str| {
            let (lines, seen) = &mut *lines.borrow_mut();
            seen.extend(lines.try_iter());
            let what = format!("what=\"{what}\"");
            seen.iter().filter(|line: &&String| line.contains("budget.exhausted") && line.contains(&what)).count()
        };
        for (now, expected) in [(START, 1), (START.plus(HOUR), 2)] {
            for number in 0..9 {
                let _ = registrar.register(registration_request(Identity::Anonymous), &client(number), now).await;
            }
            assert_eq!(logged("anonymous"), expected);
        }
        let full = limited(&kept.store, Quotas { registrations: 2, links: 0, ..Quotas::default() }, None);
        for (now, expected) in [(START, 1), (START.plus(HOUR), 2)] {
            for number in 20..25 {
                let refused = full.register(registration_request(Identity::Anonymous), &client(number), now).await;
                assert_eq!(code(&refused), "temporarily_unavailable");
                assert_eq!(access(&full, "a@person.example", number, now).await, "temporarily_unavailable");
            }
            assert_eq!((logged("registrations"), logged("links")), (expected, expected));
        }
        let metrics = registrar.metrics(START.plus(HOUR)).await;
        for row in [
            "# TYPE mecelle_budget_used gauge",
            "mecelle_budget_used{kind=\"anonymous\"} 2",
            "mecelle_budget_used{kind=\"domain\"} 0",
            "mecelle_budget_limit{kind=\"anonymous\"} 2",
            "mecelle_budget_limit{kind=\"code\"} 100",
            "# TYPE mecelle_budget_exhausted_total counter",
            "mecelle_budget_exhausted_total{kind=\"anonymous\"} 2",
            "mecelle_budget_exhausted_total{kind=\"registrations\"} 2",
            "mecelle_budget_exhausted_total{kind=\"letter\"} 0",
        ] {
            assert!(metrics.lines().any(|line| line == row), "{row}\n{metrics}");
        }
        let later = registrar.metrics(START.plus(HOUR * 2)).await;
        assert!(later.contains("mecelle_budget_used{kind=\"anonymous\"} 0\n"), "{later}");
        // One client that uses up its own budget raises no alarm.
        for number in 0..30 {
            access(&registrar, &format!("p{number}@person.example"), 1, START).await;
        }
        assert_eq!(logged("letter"), 0);
    });
}

#[test]
fn domain_budget_is_logged_when_nearly_and_when_wholly_used_up() {
    let kept = file();
    let (_listener, lines) = listen();
    runtime().block_on(async {
        let registrar = limited(&kept.store, Quotas { emails_per_domain: 10, ..Quotas::default() }, None);
        let mut logged = Vec::new();
        for number in 0..13 {
            ask(&registrar, &format!("p{number}@bigmail.example"), number, START).await;
            logged.extend(lines.try_iter().filter(|line| line.contains("budget.")).map(|line| (number, line)));
        }
        let [(8, nearly), (9, exhausted)] = &logged[..] else { panic!("{logged:?}") };
        assert!(nearly.contains("event=\"budget.nearly_exhausted\""), "{nearly}");
        assert!(exhausted.contains("event=\"budget.exhausted\""), "{exhausted}");
        for line in [nearly, exhausted] {
            assert!(line.contains("what=\"domain\" domain=\"***@b***.example\" seconds=86400"), "{line}");
            assert!(!line.contains("bigmail"), "{line}");
        }
        let metrics = registrar.metrics(START).await;
        assert!(metrics.contains("mecelle_budget_used{kind=\"domain\"} 10\n"), "{metrics}");
        assert!(metrics.contains("mecelle_budget_exhausted_total{kind=\"domain\"} 1\n"), "{metrics}");
        // Each domain has its own budget.
        assert_eq!(ask(&registrar, "p@other.example", 20, START).await, "200");
    });
}

#[test]
fn retry_after_ends_exactly_with_the_window() {
    let kept = file();
    runtime().block_on(async {
        let registrar = limited(&kept.store, Quotas { anonymous_per_client: 1, ..Quotas::default() }, None);
        let now = START.plus(Duration::from_millis(1_234_567));
        let register = async |now| registrar.register(registration_request(Identity::Anonymous), &client(1), now).await;
        register(now).await.unwrap();
        let Err(RegistrationError::Limited { retry_after }) = register(now).await else { panic!() };
        assert_eq!(retry_after, 2366, "until the hour is over");
        assert!(register(now.plus(Duration::from_secs(retry_after - 1))).await.is_err());
        assert!(register(now.plus(Duration::from_secs(retry_after))).await.is_ok());
    });
}

#[test]
fn address_with_a_suffix_shares_the_budget_of_its_mailbox() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas::default(), None);
            let mut sent = 0;
            for number in 0..65 {
                let result = ask(&registrar, &format!("victim+{number}@person.example"), number, START).await;
                sent += usize::from(result == "200");
            }
            assert_eq!(sent, 5, "{}", kept.name);
            // For everything else the address is another mailbox.
            let known = claim_registration(&registrar, "ayse+agents@person.example", START).await;
            let link = access_link(&registrar, &mailbox("ayse@person.example"), START).await;
            assert!(registrar.access(&link, START).await.unwrap().grants.is_empty());
            assert!(registrar.check(&known.1.digest(), START).await.unwrap().is_some());
        });
    }
}

#[test]
fn superseded_notices_are_counted_per_mailbox() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas { emails_per_client: 999, ..Quotas::default() }, None);
            let mut received = 0;
            for number in 0..10 {
                let free = registrar
                    .register(registration_request(Identity::Anonymous), &client(number), START)
                    .await
                    .unwrap();
                for email in ["victim@person.example", "other@person.example"] {
                    let request = claim_request(&token_of(&free), email);
                    let _ = registrar.claim(request, &client(number), START).await;
                }
                received += count_emails(&registrar, &["victim@person.example"], START).await[0];
            }
            // Five requests, less those that were superseded before they were sent, and at most five notices of that.
            assert!((5..=10).contains(&received), "{}: {received}", kept.name);
            let before = received;
            for number in 10..20 {
                let free = registrar
                    .register(registration_request(Identity::Anonymous), &client(number), START)
                    .await
                    .unwrap();
                for email in ["victim@person.example", "third@person.example"] {
                    let _ = registrar.claim(claim_request(&token_of(&free), email), &client(number), START).await;
                }
                received += count_emails(&registrar, &["victim@person.example"], START).await[0];
            }
            assert_eq!(received, before, "{}", kept.name);
        });
    }
}

#[test]
fn invalid_and_replayed_assertions_take_nothing_from_the_shared_budget() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let quotas = Quotas { assertions: 20, ..Quotas::default() };
            let registrar = limited(&kept.store, quotas, Some(verifier(&[&signer])));
            let word = |jti: &str| {
                let claims = json!({"jti": jti, "sub": jti, "email": format!("{jti}@person.example")});
                Secret::new(signer.assertion(&with(assertion_claims(), &claims)))
            };
            let post = async |token: Secret, caller: u64| {
                code(&registrar.register(registration_request(Identity::Provider(token)), &client(caller), START).await)
            };
            let (one, forged) = (word("one"), Signer::es256("key").assertion(&assertion_claims()));
            assert_eq!(post(one.clone(), 0).await, "200");
            for number in 0..60 {
                assert_eq!(post(Secret::new("a.b.c"), number).await, "invalid_request");
                assert_eq!(post(Secret::new(&*forged), number).await, "invalid_signature");
                assert_eq!(post(one.clone(), number).await, "replay_detected");
            }
            assert_eq!(post(word("honest"), 99).await, "200", "{}", kept.name);
            assert_eq!(ask(&registrar, "honest@person.example", 99, START).await, "200");
            // One client that sends too many assertions has to wait.
            let mut refused = 0;
            for _ in 0..70 {
                refused += usize::from(post(Secret::new("a.b.c"), 98).await == "rate_limited");
            }
            assert_eq!(refused, 10, "{}", kept.name);
            // Valid assertions are limited in total.
            let mut admitted = 0;
            for number in 0..30 {
                admitted += usize::from(post(word(&format!("n{number}")), 200 + number).await == "200");
            }
            assert_eq!(admitted, 18, "{}", kept.name);
            assert_eq!(ask(&registrar, "other@person.example", 97, START).await, "200", "by e-mail there is room");
        });
    }
}

#[test]
fn client_has_one_budget_for_both_kinds_of_assertions() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let providers = Some(verifier(&[&Signer::es256("key")]));
            let registrar = limited(&kept.store, Quotas { assertions_per_client: 3, ..Quotas::default() }, providers);
            let assert = async |caller| {
                let request = registration_request(Identity::Provider(Secret::new("a.b.c")));
                code(&registrar.register(request, &client(caller), START).await)
            };
            assert_eq!(ask(&registrar, "a@person.example", 1, START).await, "200");
            assert_eq!((assert(1).await, assert(1).await), ("invalid_request", "invalid_request"));
            assert_eq!((assert(1).await, assert(2).await), ("rate_limited", "invalid_request"), "{}", kept.name);
            assert_eq!(ask(&registrar, "b@person.example", 1, START).await, "rate_limited", "{}", kept.name);
            assert_eq!(ask(&registrar, "b@person.example", 2, START).await, "200", "{}", kept.name);
        });
    }
}

#[test]
fn store_writes_the_same_for_a_known_and_an_unknown_address() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas::default(), None);
            claim_registration(&registrar, "known@person.example", START).await;
            let people = ["known@person.example", "unknown@person.example"];
            for person in people {
                access(&registrar, person, 1, START).await;
                let due = registrar.store().take_email(START).await.unwrap();
                let due = due.unwrap_or_else(|| panic!("{}: no email for {person}", kept.name));
                let ready = registrar.decide_delivery(due.email.unwrap(), &due.seed, START).await.unwrap().into_sent();
                assert_eq!(ready.is_some(), person == people[0], "and one email is sent");
                registrar.store().drop_email(&due.id).await.unwrap();
            }
        });
    }
}

#[test]
fn claim_token_does_not_renew_expired_credentials() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, Quotas::default(), None);
            for kind in [CredentialType::AccessToken, CredentialType::ApiKey] {
                let request =
                    RegistrationRequest { credential: Some(kind), ..registration_request(Identity::Anonymous) };
                let free = registrar.register(request, &WHO, START).await.unwrap();
                let token = token_of(&free);
                registrar.claim(claim_request(&token, "a@person.example"), &WHO, START).await.unwrap();
                let link = link(&registrar, START).await;
                let otp = registrar.challenge(&link, START).await.unwrap().code;
                registrar.complete(completion(&token, otp.reveal()), &WHO, START).await.unwrap();
                for late in [Duration::from_mins(11), HOUR * 2, DAY * 80, DAY * 91] {
                    let result = registrar.redeem(token.clone(), START.plus(late)).await;
                    assert_eq!(code(&result), "invalid_grant", "{}: {kind:?} after {late:?}", kept.name);
                }
            }
            // Repeated polling without using the credential does not extend the time.
            let (token, _) = claim_registration(&registrar, "c@person.example", START).await;
            for (minutes, expected) in [(4, "200"), (9, "200"), (10, "invalid_grant"), (18, "invalid_grant")] {
                let result = registrar.redeem(token.clone(), START.plus(Duration::from_mins(minutes))).await;
                assert_eq!(code(&result), expected, "{}: after {minutes} minutes", kept.name);
            }
            // The person sees what can still be obtained, and can revoke it.
            let (token, _) = claim_registration(&registrar, "b@person.example", START).await;
            let link = access_link(&registrar, &mailbox("b@person.example"), START).await;
            assert_eq!(registrar.access(&link, START).await.unwrap().grants.len(), 1);
            registrar.revoke_access(&link, Which::All, START).await.unwrap();
            assert_eq!(code(&registrar.redeem(token, START).await), "invalid_grant");
        });
    }
}
