//! What an operator does to registrations: back up, restore, show, erase, forget, revoke.

use std::path::PathBuf;

use crate::{
    Clock, Config, OfficeError, mail,
    office::Means,
    registrar::{Sweeper, tidy},
    registration::{By, Mailbox, RegistrationId},
    store::{Fault, Location, Selection, StoreError},
};

mod backup;
#[cfg(test)]
mod drills;
mod export;
mod place;
mod restore;

/// What an operator asks for.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Copy the store into a file that does not exist.
    Backup(PathBuf),
    /// Put a copy in the store's place.
    Restore(PathBuf),
    /// Show everything about a mailbox.
    Export(String),
    /// End and forget everything about a mailbox.
    Erase(String),
    /// Forget what may be forgotten, now.
    Purge,
    /// End registrations.
    Revoke(Target),
}

/// Which registrations end.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    All,
    Registration(String),
    Email(String),
    Issuer(String),
}

/// Why a task was not done.
#[derive(Debug)]
pub(crate) enum TaskError {
    Office(OfficeError),
    /// The store did not answer; what it was asked may have been done in part, and can be asked again.
    Store,
    /// The clock of this machine is not that of the database.
    Clock,
    /// The text is no e-mail address.
    Email,
    /// The task is for a store in a file; the other kind has tools of its own.
    NotAFile,
    /// There is no such file. Who ends or erases something there means another one.
    NoStore(PathBuf),
    /// A service, or another command, has the store open.
    InUse,
    /// What is to be put in the store's place is the store.
    Itself,
    /// A copy has, or would have, the name under which a restore prepares what it puts in place.
    Draft(PathBuf),
    /// Another command writes the same copy.
    Copying(PathBuf),
    /// The store was not copied to this place.
    Uncopied {
        store: PathBuf,
        copy: PathBuf,
        fault: Fault,
    },
    /// What is to be put in the store's place is no whole copy of one.
    Damaged(PathBuf),
    /// The store that is to be replaced is there and cannot be read for now.
    Unread(String),
    /// A file is in the way, is missing, or cannot be written.
    File(PathBuf, std::io::Error),
}

impl std::fmt::Display for TaskError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Office(error) => error.fmt(out),
            Self::Store => out.write_str("the store did not answer; run the command again"),
            Self::Clock => out.write_str(
                "the clock of this machine is not that of the database, and nothing is forgotten by a wrong one; correct it",
            ),
            Self::Email => out.write_str("this is not an e-mail address"),
            Self::NotAFile => out.write_str(
                "this command is for a store in a file; use pg_dump and pg_restore, then `sidecar revoke --all` so \
                 that nothing revoked comes back",
            ),
            Self::NoStore(path) => {
                write!(out, "{}: there is no store here; say in MECELLE_STORE where it is", path.display())
            }
            Self::InUse => out.write_str("a service has the store open; stop it first, and start it afterwards"),
            Self::Itself => out.write_str("this is the store itself; name a copy that `sidecar backup` made"),
            Self::Draft(path) => {
                write!(out, "{}: a restore writes over what has this name; give the copy another one", path.display())
            }
            Self::Copying(path) => write!(out, "{}: another command is writing this copy", path.display()),
            Self::Uncopied { store, copy, fault } => {
                write!(out, "{}: {fault}; nothing was copied to {}", store.display(), copy.display())
            }
            Self::Damaged(path) => {
                write!(out, "{}: this is no whole copy of a store; nothing was changed", path.display())
            }
            Self::Unread(problem) => write!(
                out,
                "{problem}; nothing was changed. Without a store to compare with, a copy is put in place and everything in \
                 it revoked: move the present one away for that"
            ),
            Self::File(path, error) => write!(out, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for TaskError {}

impl From<OfficeError> for TaskError {
    fn from(error: OfficeError) -> Self {
        Self::Office(error)
    }
}

impl From<StoreError> for TaskError {
    fn from(_: StoreError) -> Self {
        Self::Store
    }
}

/// Does `task` and says what was done.
pub(crate) fn run(config: &Config, task: &Task, clock: &Clock) -> Result<String, TaskError> {
    let means = Means::of(config)?;
    let now = clock.now();
    if let Task::Restore(copy) = task {
        return restore::run(&means, copy, now);
    }
    if let Location::File(path) = means.location()
        && !path.try_exists().map_err(|error| TaskError::File(path.clone(), error))?
    {
        return Err(TaskError::NoStore(path.clone()));
    }
    if let Task::Backup(copy) = task {
        return backup::run(&means, copy);
    }
    let (runtime, store) = means.open_store()?;
    match task {
        Task::Export(email) => export::run(&runtime, &store, &mailbox(email)?),
        Task::Erase(email) => {
            let mailbox = mailbox(email)?;
            let gone = runtime.block_on(store.erase(&mailbox, By::Operator, now))?;
            // What was written to them as files goes with them; what was sent is theirs.
            if let Some(folder) = means.outbox() {
                mail::forget(folder, mailbox.as_str()).map_err(|error| TaskError::File(folder.to_owned(), error))?;
            }
            let rest = if runtime.block_on(store.scrub())? {
                ""
            } else {
                "; a reader keeps the log of the file, so run the command again to have it emptied"
            };
            Ok(format!("{gone} registrations were ended and forgotten, with everything else of the address{rest}"))
        }
        Task::Purge => {
            // What is forgotten does not come back.
            if !runtime.block_on(Sweeper::new(store.clone(), clock.clone()).agrees())? {
                return Err(TaskError::Clock);
            }
            let rows = runtime.block_on(tidy(&store, now))?;
            // Who asked for it vouches for the time: a service that was away for long need not doubt it.
            runtime.block_on(store.note_sweep(now))?;
            if let Some(folder) = means.outbox() {
                mail::prune(folder, now).map_err(|error| TaskError::File(folder.to_owned(), error))?;
            }
            Ok(format!("{rows} rows were forgotten"))
        }
        Task::Revoke(target) => {
            let selection = match target {
                Target::All => Selection::All,
                Target::Registration(id) => Selection::One(RegistrationId::new(id)),
                Target::Email(email) => Selection::Email(mailbox(email)?),
                Target::Issuer(issuer) => Selection::Issuer(issuer.clone()),
            };
            let ended = runtime.block_on(store.revoke(&selection, By::Operator, now))?.all;
            Ok(format!("{ended} registrations were revoked"))
        }
        // Done above, before the store was opened.
        Task::Backup(_) | Task::Restore(_) => Err(TaskError::NotAFile),
    }
}

fn mailbox(text: &str) -> Result<Mailbox, TaskError> {
    Mailbox::parse(text).ok_or(TaskError::Email)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use tokio::runtime::Runtime;

    use super::*;
    use crate::{
        RegistrationSettings,
        registrar::{Caller, Identity, Registrar, RegistrationRequest, tests},
        registration::Registered,
        store::testing::database,
    };

    /// A configuration with a store in a new folder.
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
    fn a_restored_copy_does_not_revive_what_was_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let copy = folder.path().join("copy.db");
        let digests = {
            let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
            let registrar = tests::registrar(&store, 1, None);
            let issued = [1, 2].map(|_| register(&registrar, &runtime, Identity::Anonymous).issued.unwrap().credential);
            run(&config, &Task::Backup(copy.clone()), &clock).unwrap();
            assert!(matches!(run(&config, &Task::Backup(copy.clone()), &clock), Err(TaskError::File(..))));
            runtime.block_on(registrar.revoke_token(&issued[0], clock.now())).unwrap();
            runtime.block_on(store.close());
            issued.map(|secret| secret.digest())
        };
        run(&config, &Task::Restore(copy.clone()), &clock).unwrap();
        let live = |digest| {
            let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
            let held = runtime.block_on(store.held(digest, clock.now())).unwrap().is_some();
            runtime.block_on(store.close());
            held
        };
        assert_eq!(digests.each_ref().map(live), [false, true]);
        // The store is lost: nobody can say what was revoked, so everything is.
        fs::remove_file(folder.path().join("store.db")).unwrap();
        run(&config, &Task::Restore(copy), &clock).unwrap();
        assert_eq!(digests.each_ref().map(live), [false, false]);
    }

    #[test]
    fn a_store_that_somebody_has_open_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let copy = folder.path().join("copy.db");
        let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
        let registrar = tests::registrar(&store, 4, None);
        // Others may look and copy meanwhile.
        run(&config, &Task::Backup(copy.clone()), &clock).unwrap();
        assert!(matches!(run(&config, &Task::Restore(copy.clone()), &clock), Err(TaskError::InUse)));
        let kept = register(&registrar, &runtime, Identity::Anonymous).issued.unwrap().credential.digest();
        drop((registrar, store, runtime));
        let told = run(&config, &Task::Restore(copy.clone()), &clock).unwrap();
        assert!(told.contains("0 registrations were revoked"), "{told}");
        let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
        assert!(runtime.block_on(store.held(&kept, clock.now())).unwrap().is_none(), "it is not part of the copy");
    }

    #[test]
    fn more_credentials_than_a_batch_are_compared_and_what_was_revoked_since_stays_so() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let copy = folder.path().join("copy.db");
        {
            let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
            let registrar = tests::registrar(&store, 5, None);
            let issued: Vec<_> =
                (0..1200).map(|_| register(&registrar, &runtime, Identity::Anonymous).issued.unwrap()).collect();
            run(&config, &Task::Backup(copy.clone()), &clock).unwrap();
            for one in issued.iter().step_by(2) {
                runtime.block_on(registrar.revoke_token(&one.credential, clock.now())).unwrap();
            }
        }
        // What an attempt that broke off has left is in nobody's way.
        fs::write(folder.path().join("store.restored"), "half a copy").unwrap();
        let told = run(&config, &Task::Restore(copy), &clock).unwrap();
        assert!(told.contains("600 registrations were revoked"), "{told}");
    }

    #[test]
    fn a_person_is_shown_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        let email = "ayse@person.example";
        {
            let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
            let registrar = tests::registrar(&store, 2, None);
            register(&registrar, &runtime, Identity::Email(Mailbox::parse(email).unwrap()));
        }
        let shown = run(&config, &Task::Export("AYSE@person.example".to_owned()), &clock).unwrap();
        assert!(shown.contains("email-verification") && shown.contains("\"letters_waiting\": 1"), "{shown}");
        let outbox = folder.path().join("outbox");
        fs::create_dir(&outbox).unwrap();
        for (name, to) in [("001767225600000-a.eml", email), ("001767225600000-b.eml", "can@person.example")] {
            fs::write(outbox.join(name), format!("To: {to}\r\n\r\n")).unwrap();
        }
        run(&config, &Task::Erase(email.to_owned()), &clock).unwrap();
        assert!(!outbox.join("001767225600000-a.eml").exists() && outbox.join("001767225600000-b.eml").exists());
        let shown = run(&config, &Task::Export(email.to_owned()), &clock).unwrap();
        assert!(shown.contains("\"registrations\": []") && shown.contains("\"letters_waiting\": 0"), "{shown}");
        assert!(matches!(run(&config, &Task::Erase("nobody".to_owned()), &clock), Err(TaskError::Email)));
    }

    #[test]
    fn nothing_is_done_to_a_store_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let (config, copy) = (config(folder.path()), folder.path().join("copy.db"));
        let email = || "a@person.example".to_owned();
        let tasks = [Task::Revoke(Target::All), Task::Erase(email()), Task::Export(email()), Task::Purge];
        for task in tasks.into_iter().chain([Task::Backup(copy)]) {
            let result = run(&config, &task, &Clock::manual());
            assert!(matches!(&result, Err(TaskError::NoStore(path)) if path.ends_with("store.db")), "{result:?}");
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "and none is made");
    }

    #[test]
    fn nothing_is_forgotten_by_a_clock_that_is_not_the_databases() {
        let Some(store) = database() else { return println!("no PostgreSQL") };
        let folder = tempfile::tempdir().unwrap();
        let settings = RegistrationSettings { store: Some(store), ..RegistrationSettings::default() };
        let config = Config { registration: settings, ..config(folder.path()) };
        let left = || {
            let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
            let left = runtime.block_on(async { (store.population().await.0, store.swept_at().await.unwrap()) });
            runtime.block_on(store.close());
            left
        };
        {
            let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
            // Made years ago, by whatever clock.
            register(&tests::registrar(&store, 6, None), &runtime, Identity::Anonymous);
            runtime.block_on(store.close());
        }
        let slow = Clock::manual();
        for months in [0, 12 * 400] {
            slow.advance(std::time::Duration::from_hours(24 * 30 * months));
            let result = run(&config, &Task::Purge, &slow);
            assert!(matches!(result, Err(TaskError::Clock)), "{result:?}");
            assert_eq!(left(), (1, None), "nor is it noted that anything was");
        }
        run(&config, &Task::Purge, &Clock::system()).unwrap();
        assert!(matches!(left(), (0, Some(_))));
    }

    #[test]
    fn what_is_over_is_forgotten_after_a_month() {
        let folder = tempfile::tempdir().unwrap();
        let (config, clock) = (config(folder.path()), Clock::manual());
        {
            let (runtime, store) = Means::of(&config).unwrap().open_store().unwrap();
            let registrar = tests::registrar(&store, 3, None);
            register(&registrar, &runtime, Identity::Anonymous);
        }
        assert_eq!(run(&config, &Task::Revoke(Target::All), &clock).unwrap(), "1 registrations were revoked");
        assert_eq!(run(&config, &Task::Revoke(Target::All), &clock).unwrap(), "0 registrations were revoked");
        clock.advance(std::time::Duration::from_hours(24 * 32));
        let purged = run(&config, &Task::Purge, &clock).unwrap();
        // The registration, and the counters of its limits.
        assert_eq!(purged, "2 rows were forgotten");
        assert_eq!(run(&config, &Task::Purge, &clock).unwrap(), "0 rows were forgotten");
    }
}
