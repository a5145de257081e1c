//! A full disk, simulated by a limit on the file size of one process, and a store without write permission.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    thread,
};

use rlimit::{INFINITY, Resource};
use tests::{Agent as _, Connection, Database, Process, Sidecars, run_to_end};

use super::{metric_sum, retry_while_busy, sidecars, text};

/// Number of credentials when the disk becomes full.
const KEYS: usize = 20;

/// Lets the files of `process` grow to `size` bytes, but no further.
fn limit(process: &Process, size: u64) {
    let id = i32::try_from(process.id()).unwrap();
    rlimit::prlimit(id, Resource::FSIZE, Some((size, INFINITY)), None).unwrap();
}

/// Returns a new credential and its claim token, or `None` if the store cannot be written.
fn new_key(connection: &mut Connection) -> Option<(String, String)> {
    let reply = connection.register().unwrap();
    if reply.status == 503 {
        assert_eq!(reply.error(), "temporarily_unavailable");
        assert!(reply.header("retry-after").is_some());
        return None;
    }
    assert_eq!(reply.status, 200, "{}", reply.text());
    Some((text(&reply, "credential"), text(&reply, "claim_token")))
}

/// Repeats `ask` until a write fails. A 503 does not suffice: on a busy machine the store may only be late.
fn fill(process: &Process, mut ask: impl FnMut() -> bool) {
    let failures = || metric_sum(&process.metrics(), "mecelle_store_errors_total", "kind=\"failed\"");
    let before = failures();
    super::until("the disk is full", || !ask() && failures() > before);
}

/// Returns a new credential and its claim token once the store can be written.
fn wait_for_key(connection: &mut Connection) -> (String, String) {
    let mut key = None;
    super::until("the store is written", || {
        key = new_key(connection);
        key.is_some()
    });
    key.unwrap()
}

#[test]
fn full_disk_refuses_only_writes() {
    let sidecars = sidecars();
    let store = sidecars.file();
    let process = sidecars.start_robust(&store);
    let mut connection = process.connection();
    let mut keys: Vec<(String, String)> = (0..KEYS).map(|_| wait_for_key(&mut connection)).collect();
    for (key, _) in &keys {
        assert_eq!(retry_while_busy(|| connection.content(Some(key))).status, 200);
    }
    let (unused, _) = wait_for_key(&mut connection);
    let log = format!("{}-wal", store.strip_prefix("sqlite://").unwrap());
    limit(&process, fs::metadata(log).unwrap().len() + 64 * 1024);
    // Use up the space; every acknowledged registration counts.
    fill(&process, || {
        let key = new_key(&mut connection);
        let is_there = key.is_some();
        keys.extend(key);
        is_there
    });
    // The rest is too small for a registration; polls, which write less, use it up.
    fill(&process, || connection.redeem(&keys[1].1).unwrap().status != 503);
    let (used, _) = &keys[0];
    for _ in 0..10 {
        assert_eq!(new_key(&mut connection), None);
        let refused = [
            connection.claim(&keys[1].1, "late@client.example").unwrap(),
            connection.redeem(&keys[1].1).unwrap(),
            connection.revoke(&keys[1].0).unwrap(),
            connection.revoke(&keys[1].1).unwrap(),
        ];
        for reply in refused {
            assert_eq!((reply.status, reply.error().as_str()), (503, "temporarily_unavailable"), "{}", reply.text());
            assert!(reply.header("retry-after").is_some());
        }
        assert_eq!(connection.content(None).unwrap().status, 200);
        assert_eq!(connection.content(Some(&sidecars.sandbox_key())).unwrap().status, 200);
        assert_eq!(connection.mcp(None).unwrap().status, 200);
        let checks = [
            (used, "to look at a credential nothing is written"),
            (&unused, "that it is its first use need not be noted"),
            (&keys[1].0, "what could not be revoked is in force"),
        ];
        for (key, why) in checks {
            assert_eq!(retry_while_busy(|| connection.content(Some(key))).status, 200, "{why}");
        }
        assert_eq!(
            retry_while_busy(|| connection.mcp(Some(&keys[1].0))).status,
            200,
            "what could not be revoked is in force"
        );
    }
    // The metrics show the failures.
    let metrics = process.metrics();
    assert!(metric_sum(&metrics, "mecelle_registrations_total", "outcome=\"failed\"") >= 10, "{metrics}");
    assert!(metric_sum(&metrics, "mecelle_store_errors_total", "") >= 50, "{metrics}");
    assert!(metric_sum(&metrics, "mecelle_requests_total", "class=\"endpoint\",status=\"503\"") >= 50, "{metrics}");
    assert!(sidecars.log().contains("the store fails"), "{}", sidecars.log());
    // With space, everything continues without a restart.
    limit(&process, INFINITY);
    let new = wait_for_key(&mut connection);
    assert_eq!(retry_while_busy(|| connection.revoke(&keys[1].0)).status, 200);
    assert_eq!(retry_while_busy(|| connection.content(Some(&keys[1].0))).status, 401);
    super::until("the log reports that the store answers", || {
        assert_eq!(retry_while_busy(|| connection.content(Some(used))).status, 200);
        sidecars.log().contains("the store answers")
    });
    keys.remove(1);
    keys.push(new);
    process.kill();
    let process = sidecars.start(&store);
    let mut connection = process.connection();
    for (key, _) in &keys {
        assert_eq!(retry_while_busy(|| connection.content(Some(key))).status, 200, "what was acknowledged is there");
    }
    assert_eq!(Database::connect(&store).texts("PRAGMA integrity_check"), ["ok"]);
    println!("{} credentials survived the full disk", keys.len());
}

/// Asserts that requests without a store are served, and others refused.
fn serves_without_a_store(sidecars: &Sidecars, process: &Process, key: &str) {
    let mut connection = process.connection();
    assert_eq!(connection.content(None).unwrap().status, 200);
    assert_eq!(connection.content(Some(&sidecars.sandbox_key())).unwrap().status, 200);
    assert_eq!(connection.mcp(None).unwrap().status, 200);
    let refused = [connection.content(Some(key)).unwrap(), connection.mcp(Some(key)).unwrap()];
    for reply in refused.into_iter().chain([connection.register().unwrap(), connection.revoke(key).unwrap()]) {
        assert_eq!(reply.status, 503, "{}", reply.text());
        assert!(reply.header("retry-after").is_some());
    }
}

/// Asserts that the store is used again without a restart.
fn works_by_itself(process: &Process, key: &str) {
    let mut connection = process.connection();
    assert_eq!(retry_while_busy(|| connection.content(Some(key))).status, 200);
    // A read-only connection is replaced only after a write on it has failed.
    for _ in 0..5 {
        let (new, _) = wait_for_key(&mut connection);
        for key in [key, &new] {
            assert_eq!(retry_while_busy(|| connection.content(Some(key))).status, 200);
        }
    }
}

/// Creates a store with a key, in a folder of its own; no process has it open.
fn create_store(sidecars: &Sidecars) -> (PathBuf, String, String) {
    let folder = sidecars.folder().join("store");
    let store = format!("sqlite://{}/store.db", folder.display());
    let process = sidecars.start(&store);
    let mut connection = process.connection();
    let (key, _) = wait_for_key(&mut connection);
    assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200);
    process.kill();
    // Closing the last connection removes the write-ahead log.
    assert_eq!(Database::connect(&store).texts("SELECT 'closed'"), ["closed"]);
    (folder, store, key)
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn sidecar_started_on_a_full_disk_serves_registration_once_there_is_space() {
    let sidecars = sidecars();
    let (_, store, key) = create_store(&sidecars);
    let process = sidecars.start_without_space(&store);
    serves_without_a_store(&sidecars, &process, &key);
    assert!(sidecars.log().contains("registration is refused for now"));
    limit(&process, INFINITY);
    works_by_itself(&process, &key);
}

#[test]
fn store_read_only_at_the_start_is_used_once_writable() {
    let sidecars = sidecars();
    let (folder, store, key) = create_store(&sidecars);
    let file = folder.join("store.db");
    for (path, sealed, open) in [(&file, 0o400, 0o600), (&folder, 0o500, 0o700)] {
        allow(path, sealed);
        let process = sidecars.start_obedient(&store);
        serves_without_a_store(&sidecars, &process, &key);
        allow(path, open);
        works_by_itself(&process, &key);
        drop(process);
        assert_eq!(Database::connect(&store).texts("SELECT 'closed'"), ["closed"]);
    }
}

#[test]
fn store_read_only_for_a_while_is_written_afterwards() {
    let sidecars = sidecars();
    let (folder, store, key) = create_store(&sidecars);
    let file = folder.join("store.db");
    let process = sidecars.start_obedient(&store);
    // One connection is open. Parallel requests open the others while the file is read-only.
    assert_eq!(retry_while_busy(|| process.connection().content(Some(&key))).status, 200);
    allow(&file, 0o400);
    thread::scope(|scope| {
        for _ in 0..16 {
            let (mut connection, key) = (process.connection(), &key);
            scope.spawn(move || {
                for _ in 0..10 {
                    let status = connection.content(Some(key)).unwrap().status;
                    assert!([200, 503].contains(&status), "{status}");
                    assert!([200, 503].contains(&connection.register().unwrap().status));
                    assert_eq!(connection.content(None).unwrap().status, 200);
                }
            });
        }
    });
    allow(&file, 0o600);
    works_by_itself(&process, &key);
    thread::scope(|scope| {
        for _ in 0..16 {
            let mut connection = process.connection();
            scope.spawn(move || (0..3).for_each(|_| drop(wait_for_key(&mut connection))));
        }
    });
}

#[test]
fn path_that_can_never_be_a_store_is_refused_in_one_line() {
    let sidecars = sidecars();
    let folder = sidecars.folder();
    let (directory, text, below) = (folder.join("directory"), folder.join("text"), folder.join("text/store.db"));
    fs::create_dir(&directory).unwrap();
    fs::write(&text, "this is no database, and long enough to be looked at as one. ".repeat(100)).unwrap();
    for path in [directory, text, below] {
        let ended = {
            let mut command = sidecars.command(&format!("sqlite://{}", path.display()), &["serve"]);
            run_to_end(command.env("MECELLE_LOG_LEVEL", "error"))
        };
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("MECELLE_STORE: ") && stderr.contains(&path.display().to_string()), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn start_fails_if_no_secret_can_be_written() {
    let sidecars = sidecars();
    let ended = run_to_end(&mut sidecars.command_without_space(&sidecars.file()));
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.lines().last().unwrap().contains("MECELLE_SECRET_FILE: ") && !stderr.contains("panicked"),
        "{stderr}"
    );
    assert!(!stderr.contains("everything else is served"), "{stderr}");
}
