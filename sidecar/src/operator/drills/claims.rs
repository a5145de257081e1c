//! Restores of copies with claims that have changed since.

use std::time::Duration;

use clock::Time;
use secrets::{ClaimToken, RegistrationId};

use super::*;

/// The recipient of the claim when the copy is made, and a later one.
const ASKED: &str = "asked@person.example";
const OTHER: &str = "other@person.example";

/// An anonymous registration.
struct Free {
    id: RegistrationId,
    claim_token: ClaimToken,
    credential: Secret,
}

impl Free {
    /// Creates one with a claim request to `email`.
    fn asking(runtime: &Runtime, registrar: &Registrar, email: &str, now: Time) -> Self {
        let free = register(registrar, runtime, Identity::Anonymous);
        let claim_token = free.pending.unwrap().claim_token;
        let free = Self { id: free.id, claim_token, credential: free.issued.unwrap().credential };
        assert!(free.ask(runtime, registrar, email, now));
        free
    }

    /// Requests a claim by `email`; returns whether that is allowed.
    fn ask(&self, runtime: &Runtime, registrar: &Registrar, email: &str, now: Time) -> bool {
        let email = Mailbox::parse(email).unwrap();
        let ask = ClaimRequest { claim_token: self.claim_token.clone(), email, locale: Locale::En };
        runtime.block_on(registrar.claim(ask, &Caller::Unlimited, now)).is_ok()
    }
}

#[test]
fn registration_of_an_erased_recipient_continues_unclaimed() {
    goes_on_without(|_, _, _| {});
}

#[test]
fn registration_continues_without_a_person_who_registered_again() {
    goes_on_without(|runtime, store, now| {
        // Another seed, so that the registration gets another ID.
        let registrar = testing::registrar(store, 8, None);
        runtime.block_on(testing::claim_registration(&registrar, ASKED, now));
    });
}

/// Checks that a registration whose claim is open in a copy continues without the recipient, whatever `comes` since.
fn goes_on_without(comes: impl Fn(&Runtime, &Store, Time)) {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let (copy, now) = (folder.path().join("copy.db"), clock.now());
    let [refused, claimed] =
        serving(&config, |runtime, _, registrar| [1, 2].map(|_| Free::asking(runtime, registrar, ASKED, now)));
    // The person requests an access link before anything is granted.
    serving(&config, |runtime, _, registrar| {
        let email = Mailbox::parse(ASKED).unwrap();
        runtime.block_on(registrar.request_access(&email, Locale::En, &Caller::Unlimited, now)).unwrap();
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        // One registration asks another person, who agrees; the other one is denied.
        assert!(claimed.ask(runtime, registrar, OTHER, now));
        let mut agreed = 0;
        while let Some(due) = runtime.block_on(store.take_email(now)).unwrap() {
            runtime.block_on(store.drop_email(&due.id)).unwrap();
            let link = registrar.pepper().link(&due.seed);
            if due.email.unwrap().to != OTHER {
                let _ = runtime.block_on(registrar.deny(&link, now));
                continue;
            }
            let code = runtime.block_on(registrar.challenge(&link, now)).unwrap().code;
            let done = Completion { claim_token: claimed.claim_token.clone(), otp: code };
            agreed += usize::from(runtime.block_on(registrar.complete(done, &Caller::Unlimited, now)).is_ok());
        }
        assert_eq!(agreed, 1);
        let data = runtime.block_on(store.personal_data(&Mailbox::parse(ASKED).unwrap())).unwrap();
        assert!(data.is_empty(), "no claim is open for the first recipient");
        // Later, when e-mails to the mailbox are allowed again.
        clock.advance(Duration::from_hours(1));
        comes(runtime, store, clock.now());
    });
    let now = clock.now();
    let output = run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    assert!(output.contains("; 0 registrations were revoked"), "{output}");
    serving(&config, |runtime, store, registrar| {
        for free in [&refused, &claimed] {
            let record = runtime.block_on(store.record(&free.id)).unwrap().unwrap();
            assert_eq!(record.claim.name(), "unclaimed");
            assert!(
                runtime.block_on(store.use_credential(&free.credential.digest(), now)).unwrap().is_some(),
                "its key is in force"
            );
        }
        let recipient = Mailbox::parse(ASKED).unwrap();
        assert!(
            runtime.block_on(store.personal_data(&recipient)).unwrap().is_empty(),
            "no data about the recipient is left"
        );
        assert!(runtime.block_on(store.links_of(&recipient)).unwrap().is_empty(), "nor does a link come back");
        // The person who denied since gets no further request; others do.
        assert!(!refused.ask(runtime, registrar, ASKED, now) && refused.ask(runtime, registrar, OTHER, now));
    });
}

#[test]
fn person_who_denied_gets_no_further_claim_after_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let (copy, now) = (folder.path().join("copy.db"), clock.now());
    let (free, link) = serving(&config, |runtime, store, registrar| {
        let free = Free::asking(runtime, registrar, ASKED, now);
        let due = runtime.block_on(store.take_email(now)).unwrap().unwrap();
        // Another person is asked instead, in the copy as well.
        assert!(free.ask(runtime, registrar, OTHER, now));
        (free, registrar.pepper().link(&due.seed))
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    serving(&config, |runtime, _, registrar| runtime.block_on(registrar.deny(&link, now)).unwrap());
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        let record = runtime.block_on(store.record(&free.id)).unwrap().unwrap();
        assert_eq!(record.claim.name(), "pending", "the other is still asked");
        assert!(!free.ask(runtime, registrar, ASKED, now));
    });
}

#[test]
fn email_of_the_pending_registration_is_sent_after_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let (copy, now, email) = (folder.path().join("copy.db"), clock.now(), Mailbox::parse(ASKED).unwrap());
    let (refused, waiting) = serving(&config, |runtime, _, registrar| {
        let refused = Free::asking(runtime, registrar, ASKED, now).id;
        (refused, register(registrar, runtime, Identity::Email(email.clone())).id)
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        while let Some(due) = runtime.block_on(store.take_email(now)).unwrap() {
            let link = registrar.pepper().link(&due.seed);
            let (requester, _) = runtime.block_on(store.by_link(&link.0.digest())).unwrap().unwrap();
            if requester == refused {
                runtime.block_on(registrar.deny(&link, now)).unwrap();
            }
        }
    });
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        let kept = runtime.block_on(store.personal_data(&email)).unwrap();
        assert!(kept.records.iter().map(|record| &record.id).eq([&waiting]));
        let due = runtime.block_on(store.take_email(now)).unwrap().expect("one email waits");
        let link = registrar.pepper().link(&due.seed);
        assert_eq!(runtime.block_on(store.by_link(&link.0.digest())).unwrap().unwrap().0, waiting);
        assert!(runtime.block_on(store.take_email(now)).unwrap().is_none(), "and no other");
    });
}

#[test]
fn audit_reports_registrations_of_an_erased_person_as_revoked() {
    agreed_to_in_the_copy_alone(|_, _, _| {});
}

#[test]
fn claim_known_only_to_the_copy_is_revoked() {
    agreed_to_in_the_copy_alone(|runtime, store, now| {
        let registrar = testing::registrar(store, 8, None);
        runtime.block_on(testing::claim_registration(&registrar, ASKED, now));
    });
}

/// Checks that a registration claimed in a copy but not in the present store ends, whatever `comes` since.
fn agreed_to_in_the_copy_alone(comes: impl Fn(&Runtime, &Store, Time)) {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let ([before, after], now) = (["before.db", "after.db"].map(|name| folder.path().join(name)), clock.now());
    let free = serving(&config, |runtime, _, registrar| register(registrar, runtime, Identity::Anonymous));
    run(&config, &Task::File(FileTask::Backup(before.clone(), None)), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        let claim_token = free.pending.unwrap().claim_token;
        let email = Mailbox::parse(ASKED).unwrap();
        let ask = ClaimRequest { claim_token: claim_token.clone(), email, locale: Locale::En };
        runtime.block_on(registrar.claim(ask, &Caller::Unlimited, now)).unwrap();
        let due = runtime.block_on(store.take_email(now)).unwrap().unwrap();
        let code = runtime.block_on(registrar.challenge(&registrar.pepper().link(&due.seed), now)).unwrap().code;
        let done = Completion { claim_token, otp: code };
        runtime.block_on(registrar.complete(done, &Caller::Unlimited, now)).unwrap();
    });
    run(&config, &Task::File(FileTask::Backup(after.clone(), None)), &clock).unwrap();
    // In the earlier store the registration is not claimed.
    run(&config, &Task::File(FileTask::Restore(before)), &clock).unwrap();
    serving(&config, |runtime, store, _| comes(runtime, store, now));
    let line = r#""registration.revoked" by="restore""#;
    let (_ear, lines) = testing::listen();
    let output = run(&config, &Task::File(FileTask::Restore(after)), &clock).unwrap();
    assert!(output.contains("; 1 registration was revoked"), "{output}");
    assert_eq!(testing::audit_lines_of(&lines, &free.id), [line]);
    let held = free.issued.unwrap().credential.digest();
    assert!(serving(&config, |runtime, store, _| runtime
        .block_on(store.use_credential(&held, now))
        .unwrap()
        .is_none()));
}
