//! Copies of people who were forgotten since, and came again.

use super::*;
use crate::registration::RegistrationId;

const EMAIL: &str = "returned@person.example";

/// A registration on a provider's word for a user whose mailbox this is.
fn asserted(config: &Config, clock: &Clock, jti: &str) -> RegistrationId {
    let signer = Signer::es256("key");
    let (runtime, store) = Means::of(config).unwrap().open_store().unwrap();
    let registrar = tests::registrar(&store, 20, Some(verifier(&[&signer])));
    let claims = with(assertion_claims(), &json!({ "jti": jti, "email": EMAIL, "email_verified": true }));
    let word = Secret::new(signer.assertion(&claims));
    let request = RegistrationRequest { identity: Identity::Provider(word), credential: None, locale: Locale::En };
    let registered = runtime.block_on(registrar.register(request, &Caller::Unlimited, clock.now())).unwrap();
    runtime.block_on(store.close());
    registered.id
}

#[test]
fn who_was_forgotten_and_came_again_is_known_by_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let mailbox = Mailbox::parse(EMAIL).unwrap();
    let dossier = || serving(&config, |runtime, store, _| runtime.block_on(store.dossier(&mailbox)).unwrap());
    let before = asserted(&config, &clock, "1");
    serving(&config, |runtime, _, registrar| register(registrar, runtime, Identity::Email(mailbox.clone())));
    let kept = dossier();
    assert_eq!((kept.records.len(), kept.delegations.len(), kept.letters), (2, 1, 1));
    run(&config, &Task::Backup(copy.clone()), &clock).unwrap();
    run(&config, &Task::Erase(EMAIL.to_owned()), &clock).unwrap();
    serving(&config, |runtime, store, _| {
        let registrar = tests::registrar(store, 21, None);
        register(&registrar, runtime, Identity::Email(mailbox.clone()));
    });
    run(&config, &Task::Restore(copy), &clock).unwrap();
    let kept = dossier();
    assert!(kept.is_empty(), "{kept:?}");
    serving(&config, |runtime, store, _| {
        assert!(runtime.block_on(store.record(&before)).unwrap().is_none());
        assert_eq!(runtime.block_on(store.population()), (0, 0));
    });
}

#[test]
fn who_was_not_forgotten_keeps_what_the_present_has_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let mailbox = Mailbox::parse(EMAIL).unwrap();
    let id = asserted(&config, &clock, "1");
    run(&config, &Task::Backup(copy.clone()), &clock).unwrap();
    serving(&config, |runtime, _, registrar| register(registrar, runtime, Identity::Email(mailbox.clone())));
    run(&config, &Task::Restore(copy), &clock).unwrap();
    serving(&config, |runtime, store, _| {
        let kept = runtime.block_on(store.dossier(&mailbox)).unwrap();
        assert_eq!(kept.delegations.len(), 1);
        assert_eq!(kept.records.iter().map(|record| &record.id).collect::<Vec<_>>(), [&id]);
    });
}
