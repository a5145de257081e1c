//! Backups: how they are written, and which files a restore accepts.

use std::os::unix::fs::PermissionsExt as _;

use registration::store::FileErrorKind;

use super::*;

#[test]
fn copy_is_readable_by_its_owner_only_and_never_the_store_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let store = folder.path().join("store.db");
    serving(&config, |_, _, _| ());
    let link = folder.path().join("link.db");
    symlink(&store, &link).unwrap();
    for itself in [&store, &link] {
        let result = run(&config, &Task::File(FileTask::Restore(itself.clone())), &clock);
        assert!(matches!(result, Err(TaskError::Itself)), "{result:?}");
    }
    let draft = folder.path().join("store.restored");
    let result = run(&config, &Task::File(FileTask::Backup(draft.clone(), None)), &clock);
    assert!(matches!(&result, Err(TaskError::Draft(told)) if *told == draft) && !draft.exists(), "{result:?}");
    let copy = folder.path().join("copy.db");
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    fs::rename(&copy, &draft).unwrap();
    let result = run(&config, &Task::File(FileTask::Restore(draft.clone())), &clock);
    assert!(matches!(&result, Err(TaskError::Draft(told)) if *told == draft) && draft.exists(), "{result:?}");
    fs::remove_file(&draft).unwrap();
    // A backup writes neither through a dangling link nor into a missing folder.
    let (elsewhere, dangling) = (folder.path().join("elsewhere"), folder.path().join("dangling"));
    symlink(&elsewhere, &dangling).unwrap();
    let result = run(&config, &Task::File(FileTask::Backup(dangling, None)), &clock);
    assert!(matches!(result, Err(TaskError::Taken(_))), "{result:?}");
    let result = run(&config, &Task::File(FileTask::Backup(folder.path().join("none/copy.db"), None)), &clock);
    assert!(matches!(result, Err(TaskError::File(..))), "{result:?}");
    assert!(!elsewhere.exists());
    let copy = folder.path().join("copy.db");
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    assert_eq!(mode(&copy), 0o600);
    // The lock files are private, so that other users cannot hold the locks.
    for lock in ["lock", "in-use"] {
        assert_eq!(mode(&store.with_extension(lock)), 0o600, "{lock}");
    }
    // The restored store is private whatever the permissions of the copy, and a rejected file leaves no draft.
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
    assert_eq!(mode(&store), 0o600);
    let none = folder.path().join("none.db");
    fs::write(&none, "this is no database, and long enough to be looked at as one".repeat(100)).unwrap();
    fs::set_permissions(&none, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(run(&config, &Task::File(FileTask::Restore(none)), &clock).is_err());
    assert!(!folder.path().join("store.restored").exists());
}

#[test]
fn backup_replaces_an_interrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    serving(&config, |_, _, _| ());
    let (copy, part) = (folder.path().join("copy.db"), folder.path().join("copy.db.part"));
    fs::write(&part, "half a copy").unwrap();
    {
        let writing = fs::File::options().read(true).open(&part).unwrap();
        writing.lock().unwrap();
        let result = run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock);
        assert!(matches!(result, Err(TaskError::Copying(_))), "{result:?}");
    }
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    assert!(copy.exists() && !part.exists());
    run(&config, &Task::File(FileTask::Restore(copy)), &clock).unwrap();
}

#[test]
fn backup_copies_only_a_store_and_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (config, clock) = (config(folder.path()), Clock::manual());
    serving(&config, |_, _, _| ());
    let (store, copy) = (folder.path().join("store.db"), folder.path().join("copy.db"));
    // The store of a later version.
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (99, 'later', 1, X'00', 0)";
    services::runtime().unwrap().block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&store);
        let mut connection = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        connection.execute(later).await.unwrap();
        connection.close().await.unwrap();
    });
    assert!(ResolvedConfig::of(&config).unwrap().open_store().is_err());
    run(&config, &Task::File(FileTask::Backup(copy.clone(), None)), &clock).unwrap();
    let has_later = |path: &Path| bytes(path).windows(5).any(|text| text == b"later");
    assert!(has_later(&store) && has_later(&copy));
    // An emptied file is not a store.
    fs::write(&store, "").unwrap();
    let other = folder.path().join("other.db");
    let result = run(&config, &Task::File(FileTask::Backup(other.clone(), None)), &clock);
    let is_told =
        matches!(&result, Err(TaskError::Uncopied { copy, fault: FileErrorKind::NoStore, .. }) if *copy == other);
    assert!(is_told, "{result:?}");
    assert!(!other.exists());
}
