//! Copies in which somebody is asked who is no longer asked.

use std::time::Duration;

use clock::Time;
use registration::domain::{ClaimToken, RegistrationId};

use super::*;

/// Somebody who is asked when the copy is made, and somebody who may be asked afterwards.
const ASKED: &str = "asked@person.example";
const OTHER: &str = "other@person.example";

/// An anonymous registration: its name, its claim token, and what it holds.
struct Free {
    id: RegistrationId,
    claim_token: ClaimToken,
    credential: Secret,
}

impl Free {
    /// Makes a new one, which asks `email`.
    fn asking(runtime: &Runtime, registrar: &Registrar, email: &str, now: Time) -> Self {
        let free = register(registrar, runtime, Identity::Anonymous);
        let claim_token = free.pending.unwrap().claim_token;
        let free = Self { id: free.id, claim_token, credential: free.issued.unwrap().credential };
        assert!(free.ask(runtime, registrar, email, now));
        free
    }

    /// Asks `email`; returns whether that is allowed.
    fn ask(&self, runtime: &Runtime, registrar: &Registrar, email: &str, now: Time) -> bool {
        let email = Mailbox::parse(email).unwrap();
        let ask = ClaimRequest { claim_token: self.claim_token.clone(), email, locale: Locale::En };
        runtime.block_on(registrar.claim(ask, &Caller::Unlimited, now)).is_ok()
    }
}

#[test]
fn registration_that_only_asked_an_erased_person_continues_unclaimed() {
    goes_on_without(|_, _, _| {});
}

#[test]
fn registration_continues_without_a_person_who_registered_again() {
    goes_on_without(|runtime, store, now| {
        // A registrar that gives other names to what it registers.
        let registrar = testing::registrar(store, 8, None);
        runtime.block_on(testing::claim_registration(&registrar, ASKED, now));
    });
}

/// Checks that what had asked somebody in a copy continues without them, whatever of theirs `comes` since.
fn goes_on_without(comes: impl Fn(&Runtime, &Store, Time)) {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let (copy, now) = (folder.path().join("copy.db"), clock.now());
    let [refused, claimed] =
        serving(&config, |runtime, _, registrar| [1, 2].map(|_| Free::asking(runtime, registrar, ASKED, now)));
    // The reader of the person's mailbox may see what is held; so far it is nothing.
    serving(&config, |runtime, _, registrar| {
        let email = Mailbox::parse(ASKED).unwrap();
        runtime.block_on(registrar.request_access(&email, Locale::En, &Caller::Unlimited, now)).unwrap();
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone())), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        // One asks somebody else, who agrees; the other is refused.
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
        let asked = runtime.block_on(store.personal_data(&Mailbox::parse(ASKED).unwrap())).unwrap();
        assert!(asked.is_empty(), "nobody is asked there any more");
        // Later, when they may be written to again.
        clock.advance(Duration::from_hours(1));
        comes(runtime, store, clock.now());
    });
    let now = clock.now();
    let said = run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    assert!(said.contains("; 0 registrations were revoked"), "{said}");
    serving(&config, |runtime, store, registrar| {
        for free in [&refused, &claimed] {
            let record = runtime.block_on(store.record(&free.id)).unwrap().unwrap();
            assert_eq!(record.claim.name(), "unclaimed");
            assert!(
                runtime.block_on(store.use_credential(&free.credential.digest(), now)).unwrap().is_some(),
                "its key is in force"
            );
        }
        let asked = Mailbox::parse(ASKED).unwrap();
        assert!(
            runtime.block_on(store.personal_data(&asked)).unwrap().is_empty(),
            "of whom it had asked nothing is left"
        );
        assert!(runtime.block_on(store.links_of(&asked)).unwrap().is_empty(), "nor does a link come back");
        // Somebody who has refused since is not asked again; others are.
        assert!(!refused.ask(runtime, registrar, ASKED, now) && refused.ask(runtime, registrar, OTHER, now));
    });
}

#[test]
fn person_who_denied_is_not_asked_again_after_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let (copy, now) = (folder.path().join("copy.db"), clock.now());
    let (free, link) = serving(&config, |runtime, store, registrar| {
        let free = Free::asking(runtime, registrar, ASKED, now);
        let due = runtime.block_on(store.take_email(now)).unwrap().unwrap();
        // Somebody else is asked instead, in the copy as well.
        assert!(free.ask(runtime, registrar, OTHER, now));
        (free, registrar.pepper().link(&due.seed))
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone())), &clock).unwrap();
    serving(&config, |runtime, _, registrar| runtime.block_on(registrar.deny(&link, now)).unwrap());
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        let record = runtime.block_on(store.record(&free.id)).unwrap().unwrap();
        assert_eq!(record.claim.name(), "pending", "the other is still asked");
        assert!(!free.ask(runtime, registrar, ASKED, now));
    });
}

#[test]
fn person_gets_the_email_of_the_registration_that_still_asks() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let (copy, now, email) = (folder.path().join("copy.db"), clock.now(), Mailbox::parse(ASKED).unwrap());
    let (refused, waiting) = serving(&config, |runtime, _, registrar| {
        let refused = Free::asking(runtime, registrar, ASKED, now).id;
        (refused, register(registrar, runtime, Identity::Email(email.clone())).id)
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone())), &clock).unwrap();
    serving(&config, |runtime, store, registrar| {
        while let Some(due) = runtime.block_on(store.take_email(now)).unwrap() {
            let link = registrar.pepper().link(&due.seed);
            let (asks, _) = runtime.block_on(store.by_link(&link.0.digest())).unwrap().unwrap();
            if asks == refused {
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
fn claim_that_only_the_copy_knows_ends() {
    agreed_to_in_the_copy_alone(|runtime, store, now| {
        let registrar = testing::registrar(store, 8, None);
        runtime.block_on(testing::claim_registration(&registrar, ASKED, now));
    });
}

/// Checks that what is somebody's in a copy but nobody's in the present ends, whatever else of theirs `comes` since.
fn agreed_to_in_the_copy_alone(comes: impl Fn(&Runtime, &Store, Time)) {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let ([before, after], now) = (["before.db", "after.db"].map(|name| folder.path().join(name)), clock.now());
    let free = serving(&config, |runtime, _, registrar| register(registrar, runtime, Identity::Anonymous));
    run(&config, &Task::File(FileTask::Backup(before.clone())), &clock).unwrap();
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
    run(&config, &Task::File(FileTask::Backup(after.clone())), &clock).unwrap();
    // In the earlier store nobody knows whose it is in the later one.
    run(&config, &Task::File(FileTask::Restore(before)), &clock).unwrap();
    serving(&config, |runtime, store, _| comes(runtime, store, now));
    let line = r#""registration.revoked" by="restore""#;
    let (_ear, lines) = testing::listen();
    let said = run(&config, &Task::File(FileTask::Restore(after)), &clock).unwrap();
    assert!(said.contains("; 1 registration was revoked"), "{said}");
    assert_eq!(testing::audit_lines_of(&lines, &free.id), [line]);
    let held = free.issued.unwrap().credential.digest();
    assert!(serving(&config, |runtime, store, _| runtime
        .block_on(store.use_credential(&held, now))
        .unwrap()
        .is_none()));
}
