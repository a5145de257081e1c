//! Drills: attacks on what an operator restores and erases.

mod claims;
mod copies;
mod returns;

use std::{collections::BTreeSet, fs, io::Read as _, os::unix::fs::symlink, path::Path};

use contract::{Locale, agent_auth::CredentialType};
use forms::EmailContent;
use providers::testing::{ISSUER, Signer, assertion_claims, verifier, with};
use registration::{
    registrar::{Caller, ClaimRequest, Completion, Identity, Registrar, RegistrationRequest},
    store::{Store, StoreError},
    testing,
};
use secrets::Secret;
use serde_json::json;
use sqlx::{Connection as _, Executor as _};
use tokio::runtime::Runtime;

use super::{
    tests::{config, register},
    *,
};
use crate::services;

/// Opens the store for `work`, as a service would.
fn serving<T>(config: &Config, work: impl FnOnce(&Runtime, &Store, &Registrar) -> T) -> T {
    let (runtime, store) = ResolvedConfig::of(config).unwrap().open_store().unwrap();
    let done = work(&runtime, &store, &testing::registrar(&store, 9, None));
    runtime.block_on(store.close());
    done
}

fn bytes(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    fs::File::options().read(true).open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn ended_registration_stays_ended_after_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let people = ["kept", "ended", "forgotten"].map(|name| format!("{name}@person.example"));
    // No registration has a credential: two wait for people, and the anonymous one's has expired.
    let waiting = serving(&config, |runtime, _, registrar| {
        let one = |email: &String| register(registrar, runtime, Identity::Email(Mailbox::parse(email).unwrap())).id;
        let access_token = Some(CredentialType::AccessToken);
        let locale = Locale::En;
        let request = RegistrationRequest { identity: Identity::Anonymous, credential: access_token, locale };
        let free = registrar.register(request, &Caller::Unlimited, clock.now());
        (people.each_ref().map(one), runtime.block_on(free).unwrap().id)
    });
    clock.advance(std::time::Duration::from_hours(2));
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::Email(people[1].clone()))), &clock).unwrap();
    run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::Registration(waiting.1.as_str().to_owned()))), &clock)
        .unwrap();
    run(&config, &Task::Store(StoreTask::Erase(people[2].clone())), &clock).unwrap();
    let output = run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    assert!(output.contains("3 registrations were revoked"), "{output}");
    serving(&config, |runtime, store, _| {
        let state = |id| runtime.block_on(store.record(id)).unwrap().map(|record| record.claim.name());
        let states = waiting.0.each_ref().map(state);
        assert_eq!(states, [Some("pending"), Some("revoked"), None]);
        assert_eq!(state(&waiting.1), Some("revoked"));
        let personal_data = runtime.block_on(store.personal_data(&Mailbox::parse(&people[2]).unwrap())).unwrap();
        assert!(personal_data.is_empty(), "an erased person does not come back");
    });
}

#[test]
fn revocation_by_an_operator_outlasts_an_older_assertion() {
    let folder = tempfile::tempdir().unwrap();
    let (mut config, clock) = (config(folder.path()), Clock::manual());
    let trust = folder.path().join("trust.toml");
    fs::write(&trust, "[[provider]]\nissuer = 'https://other.example'\nname = 'Others'\n").unwrap();
    config.registration.trust = Some(trust);
    let signer = Signer::es256("key");
    let registered = |jti: &str| {
        let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
        let registrar = testing::registrar(&store, jti.parse().unwrap(), Some(verifier(&[&signer])));
        let word = Secret::new(signer.assertion(&with(assertion_claims(), &json!({ "jti": jti }))));
        let request = RegistrationRequest { identity: Identity::Provider(word), credential: None, locale: Locale::En };
        let result = runtime.block_on(registrar.register(request, &Caller::Unlimited, clock.now()));
        runtime.block_on(store.close());
        result.is_ok()
    };
    let issuer = ISSUER.to_owned();
    assert!(registered("1") && registered("2"));
    run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::Issuer("https://other.example".to_owned()))), &clock)
        .unwrap();
    assert!(registered("3"));
    assert_eq!(
        run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::Issuer(issuer))), &clock).unwrap(),
        "3 registrations were revoked"
    );
    assert!(!registered("4"));
}

#[test]
fn erased_person_does_not_return_with_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let people = ["ended", "asked", "stays"].map(|name| Mailbox::parse(&format!("{name}@person.example")).unwrap());
    serving(&config, |runtime, store, registrar| {
        let now = clock.now();
        let stays = register(registrar, runtime, Identity::Email(people[2].clone()));
        // An ended registration no longer names its person.
        let free = register(registrar, runtime, Identity::Anonymous);
        let claim_token = free.pending.unwrap().claim_token;
        let ask = ClaimRequest { claim_token: claim_token.clone(), email: people[0].clone(), locale: Locale::En };
        runtime.block_on(registrar.claim(ask, &Caller::Unlimited, now)).unwrap();
        let mut claimed = false;
        while let Some(due) = runtime.block_on(store.take_email(now)).unwrap() {
            let link = registrar.pepper().link(&due.seed);
            if due.email.unwrap().to != people[0].as_str() {
                continue;
            }
            let code = runtime.block_on(registrar.challenge(&link, now)).unwrap().code;
            let done = Completion { claim_token: claim_token.clone(), otp: code };
            claimed = runtime.block_on(registrar.complete(done, &Caller::Unlimited, now)).is_ok();
        }
        assert!(claimed);
        runtime.block_on(registrar.revoke_token(&free.issued.unwrap().credential, now)).unwrap();
        // A person without registrations has requested a link.
        runtime.block_on(registrar.request_access(&people[1], Locale::En, &Caller::Unlimited, now)).unwrap();
        stays
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    for person in &people[..2] {
        run(&config, &Task::Store(StoreTask::Erase(person.as_str().to_owned())), &clock).unwrap();
    }
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    let mut known = BTreeSet::new();
    serving(&config, |runtime, store, _| {
        let note = async |mailbox| {
            known.insert(mailbox);
            Ok::<_, StoreError>(())
        };
        runtime.block_on(store.each_mailbox(note)).unwrap();
    });
    assert!(known.iter().eq(&people[2..]), "{}", known.len());
}

#[test]
fn undeletable_log_stops_a_restore() {
    let [made, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (of_copy, config, clock) = (config(made.path()), config(folder.path()), Clock::manual());
    let [store, log] = ["store.db", "store.db-wal"].map(|name| folder.path().join(name));
    let copy = made.path().join("copy.db");
    serving(&of_copy, |runtime, _, registrar| drop(register(registrar, runtime, Identity::Anonymous)));
    run(&of_copy, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    fs::create_dir(&log).unwrap();
    let result = run(&config, &Task::File(FileTask::Restore(copy.clone())), &clock);
    assert!(matches!(&result, Err(TaskError::File(path, _)) if *path == log), "{result:?}");
    assert!(!store.exists(), "nothing is put in place beside it");
    fs::remove_dir(&log).unwrap();
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
}

#[test]
fn restore_accepts_only_a_whole_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let kept = serving(&config, |runtime, _, registrar| {
        for number in 0..300 {
            let mailbox = Mailbox::parse(&format!("p{number}@person.example")).unwrap();
            register(registrar, runtime, Identity::Email(mailbox));
        }
        register(registrar, runtime, Identity::Anonymous).id
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    let store = folder.path().join("store.db");
    let (before, whole) = (bytes(&store), bytes(&copy));
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    // One or several pages in the middle of the file are damaged.
    let [torn, shred] = [1, 8].map(|pages| {
        let mut torn = whole.clone();
        let middle = torn.len() / 2 / 4096 * 4096;
        torn[middle..middle + pages * 4096].fill(0xa5);
        torn
    });
    let other = folder.path().join("other.db");
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        use sqlx::{Connection as _, Executor as _};
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&other).create_if_missing(true);
        let mut connection = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        connection.execute("CREATE TABLE note (text TEXT)").await.unwrap();
        connection.close().await.unwrap();
    });
    for path in [
        put("empty.db", b""),
        put("text.db", &b"no database, and long enough to look like one".repeat(100)),
        other,
        folder.path().to_owned(),
        PathBuf::from("/dev/null"),
        put("beginning.db", &whole[..whole.len() / 8]),
        put("half.db", &whole[..whole.len() / 2]),
        put("short.db", &whole[..whole.len() - 4096]),
        put("torn.db", &torn),
        put("shred.db", &shred),
    ] {
        let result = run(&config, &Task::File(FileTask::Restore(path.clone())), &clock);
        assert!(matches!(&result, Err(TaskError::Damaged(told)) if *told == path), "{path:?} {result:?}");
        assert!(!folder.path().join("store.restored").exists());
        assert!(bytes(&store) == before, "{}: nothing was changed", path.display());
    }
    assert!(serving(&config, |runtime, store, _| runtime.block_on(store.record(&kept)).unwrap().is_some()));
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
}

#[test]
fn opt_out_survives_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let [before, since] = ["a@person.example", "b@person.example"].map(|text| Mailbox::parse(text).unwrap().digest());
    serving(&config, |runtime, store, _| {
        runtime.block_on(store.set_email_opt_out(&before, false, clock.now())).unwrap();
    });
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    serving(&config, |runtime, store, _| {
        runtime.block_on(store.set_email_opt_out(&before, true, clock.now())).unwrap();
        runtime.block_on(store.set_email_opt_out(&since, false, clock.now())).unwrap();
    });
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    serving(&config, |runtime, store, _| {
        let silent = [&before, &since].map(|digest| runtime.block_on(store.has_opted_out(digest)).unwrap());
        assert_eq!(silent, [false, true]);
    });
}

#[test]
fn restore_replaces_the_store_behind_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (itself, clock) = (config(folder.path()), Clock::manual());
    let (copy, links) = (folder.path().join("copy.db"), folder.path().join("links"));
    fs::create_dir(&links).unwrap();
    symlink("../store.db", links.join("near.db")).unwrap();
    symlink(links.join("near.db"), links.join("store.db")).unwrap();
    let linked = config(&links);
    // Opened by a link, the store is created at its target, and its lock files beside that.
    let id = serving(&linked, |runtime, _, registrar| register(registrar, runtime, Identity::Anonymous).id);
    run(&linked, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    let later = serving(&itself, |runtime, store, _| {
        let refused = run(&linked, &Task::File(FileTask::Restore(copy.clone())), &clock);
        assert!(matches!(refused, Err(TaskError::InUse)), "{refused:?}");
        register(&testing::registrar(store, 11, None), runtime, Identity::Anonymous).id
    });
    run(&linked, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    serving(&itself, |runtime, store, _| {
        let is_there = |id| runtime.block_on(store.record(id)).unwrap().is_some();
        assert_eq!([&id, &later].map(is_there), [true, false]);
    });
    let names: BTreeSet<_> = links.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().eq(["near.db", "store.db"]), "{names:?}");
    assert!(fs::symlink_metadata(links.join("store.db")).unwrap().is_symlink());
}

#[test]
fn audit_has_a_line_for_what_a_restore_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    let [kept, gone] =
        serving(&config, |runtime, _, registrar| [1, 2].map(|_| register(registrar, runtime, Identity::Anonymous).id));
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::Registration(gone.as_str().to_owned()))), &clock)
        .unwrap();
    let line = r#""registration.revoked" by="restore""#;
    let (_ear, lines) = testing::listen();
    run(&config, &Task::File(FileTask::Restore(copy.clone())), &clock).unwrap();
    assert_eq!(
        (testing::audit_lines_of(&lines, &gone), testing::audit_lines_of(&lines, &kept)),
        (vec![line.to_owned()], Vec::new())
    );
    // Without a store to compare with, each registration of the copy has a line.
    fs::remove_file(folder.path().join("store.db")).unwrap();
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    let mut lines_of_audit: Vec<String> = testing::audit_lines(&lines).collect();
    lines_of_audit.sort();
    let mut expected =
        [&kept, &gone].map(|id| format!(r#"event="registration.revoked" registration={id} by="restore""#));
    expected.sort();
    assert_eq!(lines_of_audit, expected);
}

#[test]
fn unreadable_store_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let copy = folder.path().join("copy.db");
    serving(&config, |_, _, _| ());
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    let id = serving(&config, |runtime, _, registrar| register(registrar, runtime, Identity::Anonymous).id);
    // Another program holds an exclusive lock, as a database tool may.
    let runtime = services::runtime().unwrap();
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.path().join("store.db"));
    let mut other = runtime.block_on(sqlx::SqliteConnection::connect_with(&options)).unwrap();
    for sql in ["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"] {
        runtime.block_on(other.execute(sql)).unwrap();
    }
    let result = run(&config, &Task::File(FileTask::Restore(copy)), &clock);
    assert!(matches!(result, Err(TaskError::Unread(_))), "{result:?}");
    runtime.block_on(other.execute("ROLLBACK")).unwrap();
    runtime.block_on(other.close()).unwrap();
    serving(&config, |runtime, store, _| assert!(runtime.block_on(store.record(&id)).unwrap().is_some()));
}

#[test]
fn files_hold_nothing_of_an_erased_person() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let (email, now) = ("forgotten@person.example", clock.now());
    let mailbox = Mailbox::parse(email).unwrap();
    // A service has the store open meanwhile.
    let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
    let registrar = testing::registrar(&store, 10, None);
    for _ in 0..30 {
        register(&registrar, &runtime, Identity::Email(mailbox.clone()));
        runtime.block_on(registrar.request_access(&mailbox, Locale::En, &Caller::Unlimited, now)).unwrap();
    }
    // An anonymous registration asks them and is denied: it continues without them.
    let free = register(&registrar, &runtime, Identity::Anonymous);
    let claim_token = free.pending.unwrap().claim_token;
    let ask = ClaimRequest { claim_token, email: mailbox, locale: Locale::En };
    runtime.block_on(registrar.claim(ask, &Caller::Unlimited, now)).unwrap();
    let mut denied = 0;
    while let Some(due) = runtime.block_on(store.take_email(now)).unwrap() {
        if matches!(due.email.unwrap().content, EmailContent::Claim { .. }) {
            let link = registrar.pepper().link(&due.seed);
            denied += usize::from(runtime.block_on(registrar.deny(&link, now)).is_ok());
        }
    }
    assert_eq!(denied, 31);
    let places = || {
        let count = |path: PathBuf| {
            let bytes = bytes(&path);
            bytes.windows(email.len()).filter(|part| *part == email.as_bytes()).count()
        };
        folder.path().read_dir().unwrap().map(|entry| count(entry.unwrap().path())).sum::<usize>()
    };
    assert!(places() > 0);
    let output = run(&config, &Task::Store(StoreTask::Erase(email.to_owned())), &clock).unwrap();
    assert_eq!(places(), 0, "{output}");
    assert!(runtime.block_on(store.record(&free.id)).unwrap().is_some(), "and what is not theirs stays");
}
