//! Threats to codes, links and claims.

use std::time::Duration;

use forms::EmailContent;

use super::*;
use crate::{
    registrar::ClaimRequest,
    store::testing::{quick_stores, runtime, stores},
};

const HOUR: Duration = Duration::from_hours(1);

/// Registers for a person and shows the code.
async fn register_and_show_code(
    registrar: &Registrar,
    person: &str,
    caller: &Caller,
    now: Time,
) -> Option<(ClaimToken, LinkToken)> {
    let registered =
        registrar.register(registration_request(Identity::Email(mailbox(person))), caller, now).await.ok()?;
    let link = link(registrar, now).await;
    registrar.challenge(&link, now).await.unwrap();
    Some((token_of(&registered), link))
}

/// Returns how many guesses are compared if an attacker registers `times` times, each time with the mailbox and client
/// that `attacker` returns, and guesses until it is refused.
async fn count_guesses(
    registrar: &Registrar,
    now: Time,
    times: u64,
    attacker: impl Fn(u64) -> (String, Caller),
) -> u64 {
    let mut compared = 0;
    for number in 0..times {
        let (person, caller) = attacker(number);
        let Some((token, _)) = register_and_show_code(registrar, &person, &caller, now).await else { continue };
        let mut tries = 0;
        while code(&registrar.complete(completion(&token, WRONG), &caller, now).await) == "otp_invalid" {
            tries += 1;
            assert!(tries <= 5, "guesses at a code are not limited");
        }
        compared += tries;
    }
    compared
}

#[test]
fn spread_guesses_are_limited() {
    for kept in quick_stores() {
        runtime().block_on(async {
            let registrar = limited(&kept.store, 51);
            let hour = |number: u32| START.plus(HOUR * number);
            // One mailbox, many clients: five emails an hour, and five guesses for each code.
            let at_one = |number| ("p@one.example".to_owned(), client(number));
            assert_eq!(count_guesses(&registrar, hour(0), 100, at_one).await, 25, "{}: one mailbox", kept.name);
            // One client, many mailboxes.
            let apart = |number: u64| format!("p{number}@d{number}.example");
            let from_one = |number| (apart(number), client(1));
            assert_eq!(count_guesses(&registrar, hour(1), 100, from_one).await, 20, "{}: one client", kept.name);
            // Many clients and mailboxes: the shared budget, then one guess by each client without a wrong guess so
            // far. Two networks use a fifth of the budget each, twenty use a fiftieth, and twenty use one guess.
            let honest =
                register_and_show_code(&registrar, "honest@person.example", &client(9999), hour(2)).await.unwrap();
            let (clients, who_used_it_up) = (100, 2 + 20 + 20);
            let spread = |number| (apart(number), client(number / 4));
            let bound = 100 + clients - who_used_it_up;
            assert_eq!(
                count_guesses(&registrar, hour(2), 4 * clients, spread).await,
                bound,
                "{}: many clients",
                kept.name
            );
            // An honest person with a code still completes the claim.
            let otp = registrar.challenge(&honest.1, hour(2)).await.unwrap().code;
            assert!(registrar.complete(completion(&honest.0, otp.reveal()), &client(9999), hour(2)).await.is_ok());
        });
    }
}

#[test]
fn guesses_with_one_claim_token_are_limited() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 52, None);
            let registered = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let token = token_of(&registered);
            let (mut compared, mut now) = (0, START);
            // Five guesses at each of five codes, then no further code.
            for round in 0..7 {
                let person = format!("p{round}@person.example");
                let started = registrar.claim(claim_request(&token, &person), &WHO, now).await;
                assert_eq!(code(&started), if round < 5 { "200" } else { "rate_limited" });
                if started.is_ok() {
                    let link = link(&registrar, now).await;
                    registrar.challenge(&link, now).await.unwrap();
                }
                for _ in 0..20 {
                    let guess = registrar.complete(completion(&token, WRONG), &WHO, now).await;
                    compared += usize::from(code(&guess) == "otp_invalid");
                }
                now = now.plus(Duration::from_mins(11));
            }
            assert_eq!(compared, 25, "{}", kept.name);
        });
    }
}

#[test]
fn text_without_the_form_of_a_code_is_no_guess() {
    for kept in stores() {
        runtime().block_on(async {
            // No wrong code is allowed at all.
            let quotas = Quotas { wrong_codes_per_client: 0, wrong_codes: 0, ..Quotas::default() };
            let registrar = with_quotas(&kept.store, 57, quotas);
            let (token, link) =
                register_and_show_code(&registrar, "a@person.example", &client(1), START).await.unwrap();
            for slip in
                ["", "12345", "1234567", "12345a", " 123456", "１２３４５６", "Your code: 123456", "-12345", "12\n456"]
            {
                let answer = registrar.complete(completion(&token, slip), &client(1), START).await;
                let is_free = matches!(answer, Err(RegistrationError::NoCode { attempts_remaining: 5 }));
                assert!(is_free, "{}: {slip:?} {}", kept.name, code(&answer));
            }
            let guess = registrar.complete(completion(&token, WRONG), &client(1), START).await;
            assert_eq!(code(&guess), "rate_limited", "{}: a guess counts", kept.name);
            assert!(registrar.view(&link, START).await.is_ok());
        });
    }
}

#[test]
fn impossible_requests_take_no_write_permit() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 58, None);
            let registered = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let (claimed, link) = register_and_show_code(&registrar, "a@person.example", &WHO, START).await.unwrap();
            let otp = registrar.challenge(&link, START).await.unwrap().code;
            registrar.complete(completion(&claimed, otp.reveal()), &WHO, START).await.unwrap();
            // The replica holds the lock that registrations and guesses take.
            let busy = kept.replica.begin_locking_registrations().await;
            let guess = async |token: &ClaimToken, now| {
                code(&registrar.complete(completion(token, WRONG), &client(1), now).await)
            };
            let unasked = token_of(&registered);
            assert_eq!(guess(&unasked, START).await, "otp_not_generated", "{}", kept.name);
            assert_eq!(guess(&unasked, START.plus(HOUR * 24)).await, "claim_expired", "{}", kept.name);
            assert_eq!(guess(&claimed, START).await, "previously_claimed", "{}", kept.name);
            busy.end().await;
        });
    }
}

#[test]
fn link_scanners_do_not_use_up_a_code() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 53, None);
            let registered = registrar
                .register(registration_request(Identity::Email(mailbox("a@person.example"))), &WHO, START)
                .await
                .unwrap();
            let link = link(&registrar, START).await;
            for _ in 0..50 {
                registrar.view(&link, START).await.unwrap();
            }
            let early = registrar.complete(completion(&token_of(&registered), WRONG), &WHO, START).await;
            assert_eq!(code(&early), "otp_not_generated", "viewing does not show the code");
            // A scanner that submits forms sees the code; the person then sees the same code, which works.
            let scanned = registrar.challenge(&link, START).await.unwrap().code;
            let seen = registrar.challenge(&link, START).await.unwrap().code;
            assert_eq!(scanned, seen);
            assert!(registrar.complete(completion(&token_of(&registered), seen.reveal()), &WHO, START).await.is_ok());
        });
    }
}

#[test]
fn concurrent_agents_have_different_match_phrases() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 60, None);
            let mut phrases = Vec::new();
            for _ in 0..2 {
                let identity = Identity::Email(mailbox("a@person.example"));
                let registered = registrar.register(registration_request(identity), &WHO, START).await.unwrap();
                let words = registered.pending.as_ref().unwrap().match_phrase.unwrap().to_string();
                let due = registrar.store().take_email(START).await.unwrap().unwrap();
                let email =
                    registrar.decide_delivery(due.email.unwrap(), &due.seed, START).await.unwrap().into_sent().unwrap();
                registrar.store().drop_email(&due.id).await.unwrap();
                assert!(
                    matches!(email.content, EmailContent::Claim { match_phrase: Some(phrase), .. } if phrase == words),
                    "{}: {words}",
                    kept.name
                );
                let link = registrar.pepper().link(&due.seed);
                assert_eq!(registrar.view(&link, START).await.unwrap().match_phrase.as_ref(), Some(&words));
                let otp = registrar.challenge(&link, START).await.unwrap().code;
                registrar.complete(completion(&token_of(&registered), otp.reveal()), &WHO, START).await.unwrap();
                phrases.push(words);
            }
            assert_ne!(phrases[0], phrases[1], "{}", kept.name);
            let link = access_link(&registrar, &mailbox("a@person.example"), START).await;
            let grants = registrar.access(&link, START).await.unwrap().grants;
            let mut listed: Vec<_> = grants.into_iter().filter_map(|grant| grant.match_phrase).collect();
            listed.sort();
            phrases.sort();
            assert_eq!(listed, phrases, "{}", kept.name);
        });
    }
}

#[test]
fn match_phrase_is_kept_for_another_person_and_absent_in_older_registrations() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 61, None);
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            // An earlier version wrote no such member.
            let stored = serde_json::to_value(kept.store.record(&free.id).await.unwrap().unwrap()).unwrap();
            assert!(stored.get("match_phrase").is_none(), "{stored}");
            let ask = async |person: &str, locale| {
                let request = ClaimRequest { locale, ..claim_request(&token_of(&free), person) };
                registrar.claim(request, &WHO, START).await.unwrap().match_phrase.unwrap()
            };
            let first = ask("a@person.example", Locale::En).await;
            assert_eq!(ask("a@person.example", Locale::Tr).await, first, "the email has been written");
            assert_eq!(ask("b@person.example", Locale::Tr).await, first.in_locale(Locale::Tr));
            // A request of an earlier version has no match phrase.
            let mut stored = serde_json::to_value(kept.store.record(&free.id).await.unwrap().unwrap()).unwrap();
            stored.as_object_mut().unwrap().remove("match_phrase").unwrap();
            let old: crate::domain::RegistrationRecord = serde_json::from_value(stored).unwrap();
            assert_eq!(old.match_phrase, None);
        });
    }
}

#[test]
fn stolen_claim_token_does_not_take_over_a_claim() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 54, None);
            // A thief of the claim token names another address. A registration bound to a person does not change.
            let bound = registrar
                .register(registration_request(Identity::Email(mailbox("a@person.example"))), &WHO, START)
                .await
                .unwrap();
            let theft = registrar.claim(claim_request(&token_of(&bound), "thief@person.example"), &WHO, START).await;
            assert_eq!(code(&theft), "claimed_or_in_flight");
            emails(&registrar, START).await;
            // Without such a binding, the person asked first gets a notice, and their link is void.
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            registrar.claim(claim_request(&token_of(&free), "a@person.example"), &WHO, START).await.unwrap();
            let first = link(&registrar, START).await;
            let then = START.plus(Duration::from_mins(1));
            registrar.claim(claim_request(&token_of(&free), "thief@person.example"), &WHO, then).await.unwrap();
            let written = emails(&registrar, then).await;
            let emails_to = |to: &str| {
                let emails = written.iter().filter_map(|due| due.email.as_ref());
                emails.filter(|email| email.to == to).map(|email| &email.content).collect::<Vec<_>>()
            };
            // The time at which the request was superseded, not when it was made.
            let void = emails_to("a@person.example");
            assert!(matches!(&*void, [EmailContent::Superseded { at, .. }] if *at == then), "{void:?}");
            assert!(matches!(&*emails_to("thief@person.example"), [EmailContent::Claim { .. }]));
            assert_eq!(code(&registrar.challenge(&first, START).await), "claim_superseded");
            // A copy of the key from before the claim is void once the agent polls for a new one.
            let second = written.iter().find(|due| {
                due.email.as_ref().is_some_and(|email| matches!(email.content, EmailContent::Claim { .. }))
            });
            let second = registrar.pepper().link(&second.unwrap().seed);
            let otp = registrar.challenge(&second, START).await.unwrap().code;
            registrar.complete(completion(&token_of(&free), otp.reveal()), &WHO, START).await.unwrap();
            let copied = free.issued.as_ref().unwrap().credential.digest();
            assert!(is_live(&registrar, &copied, START).await);
            let then = START.plus(GRACE);
            let fresh = registrar.redeem(token_of(&free), then).await.unwrap().issued.credential;
            assert!(!is_live(&registrar, &copied, then).await && is_live(&registrar, &fresh.digest(), then).await);
            assert_eq!(code(&registrar.redeem(token_of(&free), then).await), "invalid_grant");
        });
    }
}

#[test]
fn expired_credential_revokes_nothing() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 59, None);
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let (token, copied) = (token_of(&free), free.issued.unwrap().credential);
            registrar.claim(claim_request(&token, "a@person.example"), &WHO, START).await.unwrap();
            let link = link(&registrar, START).await;
            let otp = registrar.challenge(&link, START).await.unwrap().code;
            registrar.complete(completion(&token, otp.reveal()), &WHO, START).await.unwrap();
            let fresh = registrar.redeem(token.clone(), START.plus(GRACE)).await.unwrap().issued.credential;
            // A thief has the earlier key, and later the claim token; the agent continues.
            let late = START.plus(Duration::from_mins(10));
            for (stolen, now) in [(&copied, START), (&copied, late), (&token.0, late)] {
                registrar.revoke_token(stolen, now).await.unwrap();
                assert!(is_live(&registrar, &fresh.digest(), now).await, "{}", kept.name);
            }
            registrar.revoke_token(&fresh, late).await.unwrap();
            assert!(!is_live(&registrar, &fresh.digest(), late).await, "{}", kept.name);
            // A claim token revokes a registration only while it can still bring a credential; an expired access token
            // revokes nothing.
            let request = RegistrationRequest {
                credential: Some(CredentialType::AccessToken),
                ..registration_request(Identity::Anonymous)
            };
            let waiting = registrar.register(request, &WHO, START).await.unwrap();
            let token = token_of(&waiting);
            registrar.revoke_token(&waiting.issued.unwrap().credential, START.plus(HOUR)).await.unwrap();
            let polled = async |seconds| {
                code(&registrar.redeem(token.clone(), START.plus(HOUR + Duration::from_secs(seconds))).await)
            };
            assert_eq!(polled(0).await, "authorization_pending", "{}", kept.name);
            registrar.revoke_token(&token.0, START.plus(HOUR)).await.unwrap();
            assert_eq!(polled(60).await, "invalid_grant", "{}", kept.name);
        });
    }
}

#[test]
fn poll_leaves_the_credential_of_the_code_in_place_for_two_minutes() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 60, None);
            let after = |seconds| START.plus(Duration::from_secs(seconds));
            for is_used in [false, true] {
                let person = format!("{is_used}@person.example");
                let identity = Identity::Email(mailbox(&person));
                let registered = registrar.register(registration_request(identity), &WHO, START).await.unwrap();
                let token = token_of(&registered);
                let otp = registrar.challenge(&link(&registrar, START).await, START).await.unwrap().code;
                // The agent polls in the background, and its user types the code.
                assert_eq!(code(&registrar.redeem(token.clone(), START).await), "authorization_pending");
                let completed = registrar.complete(completion(&token, otp.reveal()), &WHO, after(1)).await.unwrap();
                let digest = completed.credential.unwrap().digest();
                assert_eq!(code(&registrar.redeem(token.clone(), after(2)).await), "slow_down", "{}", kept.name);
                for seconds in [30, 60, 120] {
                    let answer = registrar.redeem(token.clone(), after(seconds)).await;
                    assert_eq!(code(&answer), "authorization_pending", "{}: after {seconds} s", kept.name);
                }
                if is_used {
                    assert!(registrar.check(&digest, after(120)).await.unwrap().is_some());
                    for seconds in [120, 121] {
                        let answer = registrar.redeem(token.clone(), after(seconds)).await;
                        assert_eq!(code(&answer), "invalid_grant", "{}: used, after {seconds} s", kept.name);
                    }
                    assert!(is_live(&registrar, &digest, after(121)).await);
                } else {
                    // The reply was lost: the agent has polled until it got another credential.
                    let second = registrar.redeem(token, after(121)).await.unwrap().issued.credential.digest();
                    assert!(!is_live(&registrar, &digest, after(121)).await, "{}", kept.name);
                    assert!(is_live(&registrar, &second, after(121)).await, "{}", kept.name);
                }
            }
        });
    }
}

#[test]
fn claim_token_is_invalid_ten_minutes_after_the_claim() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 55, None);
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            registrar.claim(claim_request(&token_of(&free), "a@person.example"), &WHO, START).await.unwrap();
            let link = link(&registrar, START).await;
            let otp = registrar.challenge(&link, START).await.unwrap().code;
            registrar.complete(completion(&token_of(&free), otp.reveal()), &WHO, START).await.unwrap();
            let late = START.plus(Duration::from_mins(10));
            assert_eq!(code(&registrar.redeem(token_of(&free), late).await), "invalid_grant");
            let key = free.issued.unwrap().credential.digest();
            assert!(is_live(&registrar, &key, late).await, "and the key that is in use stays");
        });
    }
}
