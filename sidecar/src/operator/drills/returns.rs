//! Restores of copies with people who were erased since and registered again.

use secrets::RegistrationId;

use super::*;

const EMAIL: &str = "returned@person.example";

/// Registers a user with this mailbox by a provider's assertion.
fn asserted(config: &Config, clock: &Clock, jti: &str) -> RegistrationId {
    let signer = Signer::es256("key");
    let (runtime, store) = ResolvedConfig::of(config).unwrap().open_store().unwrap();
    let registrar = testing::registrar(&store, 20, Some(verifier(&[&signer])));
    let claims = with(assertion_claims(), &json!({ "jti": jti, "email": EMAIL, "email_verified": true }));
    let word = Secret::new(signer.assertion(&claims));
    let request = RegistrationRequest { identity: Identity::Provider(word), credential: None, locale: Locale::En };
    let registered = runtime.block_on(registrar.register(request, &Caller::Unlimited, clock.now())).unwrap();
    runtime.block_on(store.close());
    registered.id
}

#[test]
fn person_who_registered_again_is_known_by_the_new_registration() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let mailbox = Mailbox::parse(EMAIL).unwrap();
    let personal_data =
        || serving(&config, |runtime, store, _| runtime.block_on(store.personal_data(&mailbox)).unwrap());
    let before = asserted(&config, &clock, "1");
    serving(&config, |runtime, _, registrar| register(registrar, runtime, Identity::Email(mailbox.clone())));
    let kept = personal_data();
    assert_eq!((kept.records.len(), kept.delegations.len(), kept.emails), (2, 1, 1));
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    run(&config, &Task::Store(StoreTask::Erase(EMAIL.to_owned())), &clock).unwrap();
    serving(&config, |runtime, store, _| {
        let registrar = testing::registrar(store, 21, None);
        register(&registrar, runtime, Identity::Email(mailbox.clone()));
    });
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    let kept = personal_data();
    assert!(kept.is_empty(), "{kept:?}");
    serving(&config, |runtime, store, _| {
        assert!(runtime.block_on(store.record(&before)).unwrap().is_none());
        assert_eq!(runtime.block_on(store.population()), (0, 0));
    });
}

#[test]
fn export_shows_provider_statements_and_links() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let mailbox = Mailbox::parse(EMAIL).unwrap();
    asserted(&config, &clock, "1");
    serving(&config, |runtime, _, registrar| {
        let requested = registrar.request_access(&mailbox, Locale::Tr, &Caller::Unlimited, clock.now());
        runtime.block_on(requested).unwrap();
    });
    let export = || -> serde_json::Value {
        let text = run(&config, &Task::Store(StoreTask::Export(EMAIL.to_owned())), &clock).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let user = json!({ "issuer": ISSUER, "tenant": "", "subject": "user-1" });
    let (exported, until) = (export(), "2026-01-02T00:00:00.000Z");
    assert_eq!(exported["registrations"][0]["provider_user"], user);
    assert_eq!(exported["registrations"][0]["asserted"], "2025-12-31T23:59:50.000Z");
    assert_eq!(exported["linked_to"], json!([user]));
    assert_eq!(exported["access_links"], json!([{ "locale": "tr", "expires": "2026-01-01T01:00:00.000Z" }]));
    let statement = |tenant, subject, void| json!({ "issuer": ISSUER, "tenant": tenant, "subject": subject, "void_before": void, "kept_until": until });
    let nothing = json!(null);
    let about_mailbox = statement(nothing.clone(), nothing.clone(), nothing.clone());
    assert_eq!(exported["provider_statements"], json!([about_mailbox, statement(json!(""), json!("user-1"), nothing)]));
    run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::Email(EMAIL.to_owned()))), &clock).unwrap();
    let void = statement(json!(""), json!("user-1"), json!("2026-01-01T00:00:00.000Z"));
    assert_eq!(export()["provider_statements"], json!([about_mailbox, void]));
    run(&config, &Task::Store(StoreTask::Erase(EMAIL.to_owned())), &clock).unwrap();
    let rest = export();
    for name in ["registrations", "linked_to", "access_links", "provider_statements"] {
        assert_eq!(rest[name], json!([]), "{name}");
    }
}

#[test]
fn person_who_was_not_erased_keeps_what_the_present_store_has() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let mailbox = Mailbox::parse(EMAIL).unwrap();
    let id = asserted(&config, &clock, "1");
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    serving(&config, |runtime, _, registrar| register(registrar, runtime, Identity::Email(mailbox.clone())));
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    serving(&config, |runtime, store, _| {
        let kept = runtime.block_on(store.personal_data(&mailbox)).unwrap();
        assert_eq!(kept.delegations.len(), 1);
        assert_eq!(kept.records.iter().map(|record| &record.id).collect::<Vec<_>>(), [&id]);
    });
}
