//! The table of states and operations, cell by cell.

use std::time::Duration;

use super::*;

const START: Time = Time::from_millis(1_000_000);
const DAY: Duration = Duration::from_hours(24);

fn mailbox(text: &str) -> Mailbox {
    Mailbox::parse(text).unwrap()
}

fn seed(text: &str) -> Seed {
    Seed::new(text)
}

fn pepper() -> Pepper {
    Pepper::fixed(1)
}

fn open() -> Claim {
    Claim::open(START.plus(DAY))
}

fn asked(claim: Claim, email: &str, name: &str) -> Claim {
    claim.ask(&mailbox(email), None, (seed(name), Locale::En), &pepper(), START).unwrap().0
}

fn initiated() -> Claim {
    asked(open(), "a@firm.example", "one").send(&seed("one"), START).unwrap()
}

fn shown() -> Claim {
    initiated().show(&seed("one"), START).unwrap()
}

fn locked() -> Claim {
    (0..MAX_TRIES).fold(shown(), |claim, _| claim.guess(|_| false, START).unwrap().0)
}

fn claimed() -> Claim {
    shown().guess(|_| true, START).unwrap().0
}

fn denied() -> Claim {
    initiated().deny(&seed("one"), true, &pepper(), START).unwrap()
}

fn code<T>(result: Result<T, RegistrationError>) -> &'static str {
    match result {
        Ok(_) => "200",
        Err(refusal) => refusal.code().as_str(),
    }
}

/// The states of the table, each with the time of the operation.
fn states() -> [(&'static str, Claim, Time); 9] {
    [
        ("unclaimed", open(), START),
        ("initiated", initiated(), START),
        ("shown", shown(), START),
        ("locked", locked(), START),
        ("over", shown(), START.plus(attempt::CODE)),
        ("claimed", claimed(), START.plus(DAY)),
        ("expired", shown(), START.plus(DAY)),
        ("denied", denied(), START),
        ("revoked", shown().revoke(START).unwrap(), START),
    ]
}

#[track_caller]
fn row(expected: [&str; 9], operation: impl Fn(Claim, Time) -> &'static str) {
    for ((name, claim, now), expected) in states().into_iter().zip(expected) {
        assert_eq!(operation(claim, now), expected, "{name}");
    }
}

#[test]
fn ask_in_every_state() {
    let expected =
        ["200", "200", "200", "200", "200", "claimed_or_in_flight", "claim_expired", "access_denied", "claim_expired"];
    row(expected, |claim, now| {
        code(claim.ask(&mailbox("a@firm.example"), None, (seed("two"), Locale::En), &pepper(), now))
    });
    row(expected, |claim, now| {
        code(claim.ask(&mailbox("b@firm.example"), None, (seed("two"), Locale::En), &pepper(), now))
    });
}

#[test]
fn show_in_every_state() {
    let expected = [
        "claim_superseded",
        "200",
        "200",
        "claim_expired",
        "claim_expired",
        "claim_completed",
        "claim_expired",
        "claim_expired",
        "claim_expired",
    ];
    row(expected, |claim, now| code(claim.show(&seed("one"), now)));
}

#[test]
fn deny_in_every_state() {
    let expected = [
        "claim_superseded",
        "200",
        "200",
        "200",
        "200",
        "claim_completed",
        "claim_expired",
        "claim_expired",
        "claim_expired",
    ];
    for is_bound in [false, true] {
        row(expected, |claim, now| {
            let denied = claim.deny(&seed("one"), is_bound, &pepper(), now);
            if let Ok(claim) = &denied {
                let again =
                    claim.clone().ask(&mailbox("a@firm.example"), None, (seed("x"), Locale::En), &pepper(), now);
                assert_eq!(code(again), "access_denied");
                assert_eq!(claim.name(), if is_bound { "denied" } else { "unclaimed" });
            }
            code(denied)
        });
    }
}

#[test]
fn guess_in_every_state() {
    let expected = [
        "otp_not_generated",
        "otp_not_generated",
        "200",
        "otp_expired",
        "otp_expired",
        "previously_claimed",
        "claim_expired",
        "access_denied",
        "claim_expired",
    ];
    row(expected, |claim, now| code(claim.guess(|_| true, now)));
}

#[test]
fn revoke_in_every_state() {
    let expected = ["ended", "ended", "ended", "ended", "ended", "ended", "-", "-", "-"];
    row(expected, |claim, now| if claim.revoke(now).is_some() { "ended" } else { "-" });
}

#[test]
fn same_person_gets_one_claim_request_at_a_time() {
    let (claim, started) =
        shown().ask(&mailbox("a@firm.example"), None, (seed("two"), Locale::En), &pepper(), START).unwrap();
    assert_eq!((claim, started), (shown(), AskOutcome::Echo));
}

#[test]
fn attempt_for_another_person_voids_the_first_link() {
    let (claim, what) =
        initiated().ask(&mailbox("b@firm.example"), None, (seed("two"), Locale::En), &pepper(), START).unwrap();
    assert!(
        matches!(what, AskOutcome::New { superseded: Some(attempt) } if attempt.email == mailbox("a@firm.example"))
    );
    assert_eq!(code(claim.clone().show(&seed("one"), START)), "claim_superseded");
    assert_eq!(code(claim.show(&seed("two"), START)), "200");
}

#[test]
fn recipient_of_an_earlier_claim_may_still_deny() {
    let ask = |claim: &Claim, email: &str| {
        code(claim.clone().ask(&mailbox(email), None, (seed("x"), Locale::En), &pepper(), START))
    };
    let second = asked(initiated(), "b@firm.example", "two");
    let denied = second.deny(&seed("one"), false, &pepper(), START).unwrap();
    assert!(matches!(denied.status(START), ClaimPhase::Initiated(attempt) if attempt.seed == seed("two")));
    assert_eq!((ask(&denied, "a@firm.example"), ask(&denied, "c@firm.example")), ("access_denied", "200"));
    assert_eq!(denied.clone().deny(&seed("one"), false, &pepper(), START).unwrap(), denied, "twice is once");
    let both = denied.deny(&seed("two"), false, &pepper(), START).unwrap();
    assert_eq!(
        (both.name(), ask(&both, "b@firm.example"), ask(&both, "c@firm.example")),
        ("unclaimed", "access_denied", "200")
    );
    // By the link of an expired code, while another code for the same person is pending.
    for (is_bound, name) in [(false, "unclaimed"), (true, "denied")] {
        let again = asked(locked(), "a@firm.example", "two");
        assert_eq!(again.deny(&seed("one"), is_bound, &pepper(), START).unwrap().name(), name);
    }
}

#[test]
fn bound_registration_is_for_one_person_only() {
    let bound = mailbox("a@firm.example");
    let ask = |email: &str| code(open().ask(&mailbox(email), Some(&bound), (seed("x"), Locale::En), &pepper(), START));
    assert_eq!((ask("a@firm.example"), ask("b@firm.example")), ("200", "claimed_or_in_flight"));
}

#[test]
fn person_who_denied_gets_no_further_claim_but_others_do() {
    let claim = initiated().deny(&seed("one"), false, &pepper(), START).unwrap();
    assert_eq!(claim.status(START), ClaimPhase::Unclaimed);
    let ask = |email: &str| code(claim.clone().ask(&mailbox(email), None, (seed("x"), Locale::En), &pepper(), START));
    assert_eq!((ask("a@firm.example"), ask("b@firm.example")), ("access_denied", "200"));
    // The stored mask does not reveal the person to a reader of the store who guesses addresses.
    let kept = serde_json::to_string(&claim).unwrap();
    assert!(kept.contains(pepper().mask(&mailbox("a@firm.example")).as_str()));
    assert!(!kept.contains(mailbox("a@firm.example").digest().as_str()));
}

#[test]
fn tries_are_counted_down_and_the_fifth_wrong_one_is_the_last() {
    let mut claim = shown();
    for left in [4, 3, 2, 1, 0] {
        let (next, guess) = claim.guess(|_| false, START).unwrap();
        assert_eq!(guess, Guess::Wrong(left));
        claim = next;
    }
    let mut compared = false;
    let refused = claim.guess(
        |_| {
            compared = true;
            true
        },
        START,
    );
    assert_eq!((code(refused), compared), ("otp_expired", false));
}

#[test]
fn registration_uses_up_five_codes_at_most() {
    let mut claim = open();
    for round in 0..MAX_ATTEMPTS {
        claim = asked(claim, &format!("a{round}@firm.example"), "x");
    }
    let sixth = claim.ask(&mailbox("z@firm.example"), None, (seed("x"), Locale::En), &pepper(), START);
    assert!(matches!(sixth, Err(RegistrationError::NoCodesLeft { retry_after: 86_400 })));
}

#[test]
fn time_limit_starts_with_the_email_and_again_with_the_code() {
    let minutes = |minutes| START.plus(Duration::from_mins(minutes));
    let waiting = asked(open(), "a@firm.example", "one");
    assert!(matches!(waiting.status(minutes(600)), ClaimPhase::Initiated(_)), "the message has not left");
    let sent = waiting.clone().send(&seed("one"), minutes(600)).unwrap();
    assert!(matches!(sent.status(minutes(659)), ClaimPhase::Initiated(_)));
    assert!(matches!(sent.status(minutes(660)), ClaimPhase::Over(_)));
    let with_code = sent.show(&seed("one"), minutes(659)).unwrap();
    assert!(matches!(with_code.status(minutes(668)), ClaimPhase::Shown(_)), "ten minutes for the code itself");
    assert!(matches!(with_code.status(minutes(669)), ClaimPhase::Over(_)));
    assert_eq!(with_code.send(&seed("one"), minutes(668)), None, "a message that is late again gives no more time");
    assert_eq!(waiting.clone().send(&seed("two"), START), None);
    assert!(matches!(waiting.status(START.plus(DAY)), ClaimPhase::Expired));
}

#[test]
fn attempt_ends_with_its_claim_at_the_latest() {
    let end_of = |claim: &Claim, now: Time| claim.end_of(claim.attempt().unwrap(), now);
    let life = attempt::LINK;
    assert_eq!(end_of(&shown(), START), START.plus(attempt::CODE));
    assert_eq!(end_of(&asked(open(), "a@firm.example", "one"), START.plus(life * 3)), START.plus(life * 4));
    let last = START.plus(Duration::from_secs(24 * 60 * 60 - 1));
    let late = asked(open(), "a@firm.example", "one");
    assert_eq!(end_of(&late, last), START.plus(DAY));
    assert_eq!(end_of(&late.show(&seed("one"), last).unwrap(), last), START.plus(DAY));
}

#[test]
fn showing_the_code_again_changes_nothing() {
    let later = START.plus(Duration::from_secs(1));
    assert_eq!(shown().show(&seed("one"), later).unwrap(), shown());
}
