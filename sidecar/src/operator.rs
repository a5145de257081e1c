//! Commands of the operator: back up, restore, list, show, export, erase, purge, revoke.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::ValueEnum;
use clock::Clock;
use registration::{
    domain::By,
    registrar::{
        Sweeper,
        export::export,
        overview::{self, RegistrationFilter},
        tidy,
    },
    store::{Location, Selection, Store},
};
use secrets::{Mailbox, RegistrationId};
use serde::Serialize;
use settings::nearest;

use crate::{Config, services::ResolvedConfig};

mod backup;
pub(crate) mod diagnose;
#[cfg(test)]
mod drills;
mod error;
mod place;
mod report;
mod restore;

use self::error::TaskError;
pub(crate) use self::report::ReportRequest;

#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Only for a store in a file; PostgreSQL has its own tools.
    File(FileTask),
    /// For both kinds of store.
    Store(StoreTask),
    /// Reports on the log of a host, without the store.
    Log(ReportRequest, PathBuf),
}

#[derive(Clone, Debug)]
pub(crate) enum FileTask {
    /// Copies the store into a file that does not exist yet or, with a number, into a folder that keeps that number of copies.
    Backup(PathBuf, Option<NonZeroUsize>),
    /// Replaces the store with a copy.
    Restore(PathBuf),
}

#[derive(Clone, Debug)]
pub(crate) enum StoreTask {
    List(RegistrationFilter, ReportFormat),
    Show(String, ReportFormat),
    Stats(ReportFormat),
    /// Prints all data about a mailbox.
    Export(String),
    /// Revokes the registrations of a mailbox and deletes all data about it.
    Erase(String),
    /// Deletes expired rows and messages.
    Purge,
    Revoke(RevokeTarget),
    Report(ReportRequest),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Table,
    Json,
}

#[derive(Clone, Debug)]
pub(crate) enum RevokeTarget {
    All,
    Registration(String),
    Email(String),
    Issuer(String),
    /// The user of a provider, in every tenant.
    User {
        issuer: String,
        subject: String,
    },
}

/// Carries out `task` and returns its output.
pub(crate) fn run(config: &Config, task: &Task, clock: &Clock) -> Result<String, TaskError> {
    if let Task::Log(request, log) = task {
        return request.of_log(log, clock.now());
    }
    let resolved = ResolvedConfig::of(config)?;
    match task {
        Task::Log(request, log) => request.of_log(log, clock.now()),
        Task::File(FileTask::Restore(copy)) => restore::run(&resolved, copy, clock.now()),
        Task::File(FileTask::Backup(path, keep)) => {
            check_store_exists(&resolved)?;
            match keep {
                None => backup::run(&resolved, path),
                Some(keep) => backup::rotate(&resolved, path, *keep, clock.now()),
            }
        }
        Task::Store(task) => {
            check_store_exists(&resolved)?;
            run_in_store(&resolved, task, clock)
        }
    }
}

/// Checks that the store exists: opening a missing one would create it.
fn check_store_exists(resolved: &ResolvedConfig) -> Result<(), TaskError> {
    if let Location::File(path) = resolved.location()
        && !path.try_exists().map_err(|error| TaskError::File(path.clone(), error))?
    {
        return Err(TaskError::NoStore(path.clone()));
    }
    Ok(())
}

fn run_in_store(resolved: &ResolvedConfig, task: &StoreTask, clock: &Clock) -> Result<String, TaskError> {
    let now = clock.now();
    let (runtime, store) = resolved.open_store()?;
    match task {
        StoreTask::List(filter, format) => {
            let listed = runtime.block_on(overview::list(&store, filter, now))?;
            if listed.left_off > 0 {
                tracing::warn!(
                    left_off = listed.left_off,
                    "older registrations are not shown; raise --limit to show them"
                );
            }
            if *format == ReportFormat::Table { Ok(listed.table()) } else { json(&listed) }
        }
        StoreTask::Show(id, format) => {
            let registration = runtime.block_on(overview::show(&store, id, now))?;
            format.show(&registration.ok_or(TaskError::Unknown("registration"))?)
        }
        StoreTask::Stats(format) => format.show(&runtime.block_on(overview::stats(&store, now))?),
        StoreTask::Export(email) => json(&runtime.block_on(export(&store, &mailbox(email)?))?),
        StoreTask::Erase(email) => {
            let mailbox = mailbox(email)?;
            let gone = runtime.block_on(store.erase(&mailbox, By::Operator, now))?;
            // Messages that were written to files are deleted too.
            if let Some(folder) = resolved.mail_folder() {
                mail::remove_messages_to(folder, mailbox.as_str())
                    .map_err(|error| TaskError::File(folder.to_owned(), error))?;
            }
            let rest = if runtime.block_on(store.scrub())? {
                ""
            } else {
                "; another process is reading the store, so its write-ahead log is not empty yet: run the command \
                 again"
            };
            let gone = count_phrase(gone, "registration");
            Ok(format!("{gone} revoked and deleted, with all other data about the address{rest}"))
        }
        StoreTask::Report(request) => request.of_store(&runtime, &store, now),
        StoreTask::Purge => {
            // A wrong clock would delete rows that are still needed.
            if let Some(difference) = runtime.block_on(Sweeper::new(store.clone(), clock.clone()).check_clocks())? {
                return Err(TaskError::Clock(difference + ", so nothing was deleted"));
            }
            let rows = runtime.block_on(tidy(&store, now))?;
            if let Some(folder) = resolved.mail_folder() {
                mail::prune(folder, now).map_err(|error| TaskError::File(folder.to_owned(), error))?;
            }
            Ok(format!("{} deleted", count_phrase(rows, "row")))
        }
        StoreTask::Revoke(target) => {
            runtime.block_on(check_known(resolved, &store, target))?;
            let selection = match target {
                RevokeTarget::All => Selection::All,
                RevokeTarget::Registration(id) => Selection::One(RegistrationId::new(id)),
                RevokeTarget::Email(email) => Selection::Email(mailbox(email)?),
                RevokeTarget::Issuer(issuer) => Selection::Issuer(issuer.clone()),
                RevokeTarget::User { issuer, subject } => {
                    Selection::User { issuer: issuer.clone(), name: subject.clone() }
                }
            };
            let ended = runtime.block_on(store.revoke(&selection, By::Operator, now))?.all;
            Ok(format!("{} revoked", count_phrase(ended as u64, "registration")))
        }
    }
}

/// Rejects an unknown registration or issuer: an operator who mistypes the name must not believe it revoked. A mailbox
/// may be unknown, because any person may request revocation.
async fn check_known(resolved: &ResolvedConfig, store: &Store, target: &RevokeTarget) -> Result<(), TaskError> {
    match target {
        RevokeTarget::Registration(id) if store.record(&RegistrationId::new(id)).await?.is_none() => {
            Err(TaskError::Unknown("registration"))
        }
        RevokeTarget::User { issuer, subject } if store.has_user(issuer, subject).await? => Ok(()),
        RevokeTarget::Issuer(issuer) | RevokeTarget::User { issuer, .. } => {
            let kept = store.issuers().await?;
            let known: Vec<_> = resolved.trust().issuers().chain(kept.iter().map(String::as_str)).collect();
            let is_known = known.contains(&issuer.as_str());
            if is_known && matches!(target, RevokeTarget::Issuer(_)) {
                return Ok(());
            }
            if is_known {
                return Err(TaskError::Unknown("subject"));
            }
            Err(match nearest(issuer, known.into_iter()) {
                Some(near) => TaskError::Misspelt("issuer", near.to_owned()),
                None => TaskError::Unknown("issuer"),
            })
        }
        RevokeTarget::All | RevokeTarget::Registration(_) | RevokeTarget::Email(_) => Ok(()),
    }
}

impl ReportFormat {
    fn show(self, value: &impl Serialize) -> Result<String, TaskError> {
        if self == Self::Table { Ok(overview::table(value)) } else { json(value) }
    }
}

/// Returns the beginning of a sentence: `1 row was`, `2 rows were`.
fn count_phrase(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what} was") } else { format!("{count} {what}s were") }
}

fn json(value: &impl Serialize) -> Result<String, TaskError> {
    serde_json::to_string_pretty(value).map_err(|_| TaskError::Store)
}

fn mailbox(text: &str) -> Result<Mailbox, TaskError> {
    Mailbox::parse(text).ok_or(TaskError::Email)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use registration::{
        domain::Registered,
        registrar::{Caller, Identity, Registrar, RegistrationRequest},
        store::testing::database,
        testing,
    };
    use tokio::runtime::Runtime;

    use super::*;
    use crate::RegistrationSettings;

    /// Returns a configuration with a store in a new folder.
    pub(super) fn config(folder: &Path) -> Config {
        let store = format!("sqlite://{}/store.db", folder.display());
        Config {
            registration: RegistrationSettings { store: Some(store), ..RegistrationSettings::default() },
            ..Config::default()
        }
    }

    pub(super) fn register(registrar: &Registrar, runtime: &Runtime, identity: Identity) -> Registered {
        let request = RegistrationRequest { identity, credential: None, locale: contract::Locale::En };
        runtime.block_on(registrar.register(request, &Caller::Unlimited, Clock::manual().now())).unwrap()
    }

    #[test]
    fn restored_copy_does_not_revive_revoked_registrations() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let copy = folder.path().join("copy.db");
        let digests = {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            let registrar = testing::registrar(&store, 1, None);
            let issued = [1, 2].map(|_| register(&registrar, &runtime, Identity::Anonymous).issued.unwrap().credential);
            run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
            for (taken, helps) in [(copy.as_path(), "choose another name"), (folder.path(), "name a file in it")] {
                let refused = run(&config, &Task::File(FileTask::Backup(taken.to_owned(), None)), &clock).unwrap_err();
                assert!(refused.to_string().contains(helps), "{refused}");
            }
            runtime.block_on(registrar.revoke_token(&issued[0], clock.now())).unwrap();
            runtime.block_on(store.close());
            issued.map(|secret| secret.digest())
        };
        run(&config, &Task::File(FileTask::Restore(copy.clone())), &clock).unwrap();
        let live = |digest| {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            let held = runtime.block_on(store.use_credential(digest, clock.now())).unwrap().is_some();
            runtime.block_on(store.close());
            held
        };
        assert_eq!(digests.each_ref().map(live), [false, true]);
        // Without the store, revocations since the copy are unknown, so everything is revoked.
        fs::remove_file(folder.path().join("store.db")).unwrap();
        run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
        assert_eq!(digests.each_ref().map(live), [false, false]);
    }

    #[test]
    fn rotated_backups_are_counted_and_only_the_newest_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            let registrar = testing::registrar(&store, 6, None);
            register(&registrar, &runtime, Identity::Anonymous);
        }
        let copies = folder.path().join("copies");
        let backup = |keep| {
            let task = Task::File(FileTask::Backup(copies.clone(), NonZeroUsize::new(keep)));
            run(&config, &task, &clock)
        };
        let refused = backup(2).unwrap_err().to_string();
        assert!(refused.contains("name a folder that exists"), "{refused}");
        fs::create_dir(&copies).unwrap();
        for name in ["notes.txt", "registrations-2026.db", "registrations-20250101T000000Z.db.part"] {
            fs::write(copies.join(name), "").unwrap();
        }
        for made in 1..=4 {
            let report = backup(2).unwrap();
            assert!(report.starts_with("1 registration was copied to ") && report.contains("opened"), "{report}");
            assert!(report.ends_with(&format!("; {} kept", made.min(2))), "{report}");
            clock.advance(std::time::Duration::from_hours(24));
        }
        let mut names: Vec<_> =
            fs::read_dir(&copies).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        let (third, fourth) = ("registrations-20260103T000000Z.db", "registrations-20260104T000000Z.db");
        assert_eq!(names, ["notes.txt", "registrations-2026.db", third, fourth]);
        // Each is a store.
        run(&config, &Task::File(FileTask::Restore(copies.join(fourth))), &clock).unwrap();
    }

    #[test]
    fn open_store_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let copy = folder.path().join("copy.db");
        let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
        let registrar = testing::registrar(&store, 4, None);
        // A backup works while the store is open.
        run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
        assert!(matches!(run(&config, &Task::File(FileTask::Restore(copy.clone())), &clock), Err(TaskError::InUse)));
        let kept = register(&registrar, &runtime, Identity::Anonymous).issued.unwrap().credential.digest();
        drop((registrar, store, runtime));
        let output = run(&config, &Task::File(FileTask::Restore(copy.clone())), &clock).unwrap();
        assert!(output.contains("0 registrations were revoked"), "{output}");
        let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
        assert!(
            runtime.block_on(store.use_credential(&kept, clock.now())).unwrap().is_none(),
            "it is not part of the copy"
        );
    }

    #[test]
    fn credentials_revoked_since_a_copy_stay_revoked_across_batches() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let copy = folder.path().join("copy.db");
        {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            let registrar = testing::registrar(&store, 5, None);
            let issued: Vec<_> =
                (0..1200).map(|_| register(&registrar, &runtime, Identity::Anonymous).issued.unwrap()).collect();
            run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
            for one in issued.iter().step_by(2) {
                runtime.block_on(registrar.revoke_token(&one.credential, clock.now())).unwrap();
            }
        }
        // The file of an interrupted attempt is overwritten.
        fs::write(folder.path().join("store.restored"), "half a copy").unwrap();
        let output = run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
        assert!(output.contains("600 registrations were revoked"), "{output}");
    }

    #[test]
    fn person_is_exported_and_erased() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let email = "ayse@person.example";
        {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            let registrar = testing::registrar(&store, 2, None);
            register(&registrar, &runtime, Identity::Email(Mailbox::parse(email).unwrap()));
        }
        let exported = run(&config, &Task::Store(StoreTask::Export("AYSE@person.example".to_owned())), &clock).unwrap();
        assert!(exported.contains("email-verification") && exported.contains("\"letters_waiting\": 1"), "{exported}");
        let outbox = folder.path().join("outbox");
        fs::create_dir(&outbox).unwrap();
        for (name, to) in [("001767225600000-a.eml", email), ("001767225600000-b.eml", "can@person.example")] {
            fs::write(outbox.join(name), format!("To: {to}\r\n\r\n")).unwrap();
        }
        run(&config, &Task::Store(StoreTask::Erase(email.to_owned())), &clock).unwrap();
        assert!(!outbox.join("001767225600000-a.eml").exists() && outbox.join("001767225600000-b.eml").exists());
        let exported = run(&config, &Task::Store(StoreTask::Export(email.to_owned())), &clock).unwrap();
        assert!(
            exported.contains("\"registrations\": []") && exported.contains("\"letters_waiting\": 0"),
            "{exported}"
        );
        assert!(matches!(
            run(&config, &Task::Store(StoreTask::Erase("nobody".to_owned())), &clock),
            Err(TaskError::Email)
        ));
    }

    #[test]
    fn revoke_refuses_unknown_targets() {
        let folder = tempfile::tempdir().unwrap();
        let trust = folder.path().join("trust.toml");
        fs::write(&trust, "[[provider]]\nissuer = 'https://agents.example'\nname = 'Agents'\n").unwrap();
        let mut config = config(folder.path());
        config.registration.trust = Some(trust);
        let id = {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            register(&testing::registrar(&store, 5, None), &runtime, Identity::Anonymous).id
        };
        let revoke = |target| {
            let done = run(&config, &Task::Store(StoreTask::Revoke(target)), &Clock::manual());
            done.map_err(|error| error.to_string())
        };
        for known in ["1 registration was revoked", "0 registrations were revoked"] {
            assert_eq!(revoke(RevokeTarget::Registration(id.as_str().to_owned())).unwrap(), known);
        }
        let output = revoke(RevokeTarget::Registration("reg_nope".to_owned())).unwrap_err();
        assert!(output.starts_with("unknown registration"), "{output}");
        assert!(revoke(RevokeTarget::Issuer("https://agents.example".to_owned())).is_ok(), "it is trusted");
        let output = revoke(RevokeTarget::Issuer("https://agents.example/".to_owned())).unwrap_err();
        assert_eq!(output, "unknown issuer; did you mean `https://agents.example`?");
        let user = |issuer: &str| RevokeTarget::User { issuer: issuer.to_owned(), subject: "user-1".to_owned() };
        let output = revoke(user("https://agents.example")).unwrap_err();
        assert!(output.starts_with("unknown subject"), "{output}");
        let output = revoke(user("https://agents.example/")).unwrap_err();
        assert!(output.starts_with("unknown issuer"), "{output}");
        assert!(revoke(RevokeTarget::Email("nobody@person.example".to_owned())).is_ok(), "a mailbox may be any");
    }

    #[test]
    fn commands_refuse_a_missing_store() {
        let folder = tempfile::tempdir().unwrap();
        let (config, copy) = (config(folder.path()), folder.path().join("copy.db"));
        let email = || "a@person.example".to_owned();
        let tasks = [
            Task::Store(StoreTask::Revoke(RevokeTarget::All)),
            Task::Store(StoreTask::Erase(email())),
            Task::Store(StoreTask::Export(email())),
            Task::Store(StoreTask::Purge),
        ];
        for task in tasks.into_iter().chain([Task::File(FileTask::Backup(copy, None))]) {
            let result = run(&config, &task, &Clock::manual());
            assert!(matches!(&result, Err(TaskError::NoStore(path)) if path.ends_with("store.db")), "{result:?}");
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "and none is made");
    }

    #[test]
    fn purge_is_refused_when_the_clocks_differ() {
        let Some(store) = database() else { return println!("no PostgreSQL") };
        let folder = tempfile::tempdir().unwrap();
        let settings = RegistrationSettings { store: Some(store), ..RegistrationSettings::default() };
        let config = Config { registration: settings, ..config(folder.path()) };
        let left = || {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            let left = runtime.block_on(store.population()).0;
            runtime.block_on(store.close());
            left
        };
        {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            // The test clock is years behind.
            register(&testing::registrar(&store, 6, None), &runtime, Identity::Anonymous);
            runtime.block_on(store.close());
        }
        let slow = Clock::manual();
        for months in [0, 12 * 400] {
            slow.advance(std::time::Duration::from_hours(24 * 30 * months));
            let result = run(&config, &Task::Store(StoreTask::Purge), &slow);
            assert!(matches!(result, Err(TaskError::Clock(_))), "{result:?}");
            assert_eq!(left(), 1);
        }
        run(&config, &Task::Store(StoreTask::Purge), &Clock::system()).unwrap();
        assert_eq!(left(), 0);
    }

    #[test]
    fn purge_deletes_registrations_a_month_after_they_are_over() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        {
            let (runtime, store) = ResolvedConfig::of(&config).unwrap().open_store().unwrap();
            let registrar = testing::registrar(&store, 3, None);
            register(&registrar, &runtime, Identity::Anonymous);
        }
        assert_eq!(
            run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::All)), &clock).unwrap(),
            "1 registration was revoked"
        );
        assert_eq!(
            run(&config, &Task::Store(StoreTask::Revoke(RevokeTarget::All)), &clock).unwrap(),
            "0 registrations were revoked"
        );
        clock.advance(std::time::Duration::from_hours(24 * 32));
        let purged = run(&config, &Task::Store(StoreTask::Purge), &clock).unwrap();
        // The registration, and the counters of its limits.
        assert_eq!(purged, "2 rows were deleted");
        assert_eq!(run(&config, &Task::Store(StoreTask::Purge), &clock).unwrap(), "0 rows were deleted");
    }
}
