//! A disk that takes no more: files may not grow beyond what they are, which the system enforces for one process.

use std::{fs, time::Duration};

use rlimit::{INFINITY, Resource};
use tests::{Agent as _, Connection, Database, Process};

use super::{stage, text};

/// Credentials that are there when the disk is full.
const KEYS: usize = 20;
/// A disk that is full is told at once.
const PROMPT: Duration = Duration::from_secs(3);

/// Lets the files of `process` grow to `size` octets and no more.
fn limit(process: &Process, size: u64) {
    let id = i32::try_from(process.id()).unwrap();
    rlimit::prlimit(id, Resource::FSIZE, Some((size, INFINITY)), None).unwrap();
}

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

#[test]
#[expect(clippy::disallowed_methods, reason = "an answer must come in time")]
fn a_full_disk_turns_away_who_writes_and_nobody_else() {
    let stage = stage();
    let store = stage.file();
    let process = stage.start_robust(&store);
    let mut connection = process.connection();
    let mut keys: Vec<(String, String)> = (0..KEYS).map(|_| new_key(&mut connection).unwrap()).collect();
    for (key, _) in &keys {
        assert_eq!(connection.content(Some(key)).unwrap().status, 200);
    }
    let log = format!("{}-wal", store.strip_prefix("sqlite://").unwrap());
    limit(&process, fs::metadata(log).unwrap().len() + 64 * 1024);
    // The last of the space is used up; what is acknowledged until then counts.
    let last = (0..1000).find_map(|_| match new_key(&mut connection) {
        Some(key) => {
            keys.push(key);
            None
        }
        None => Some(()),
    });
    assert!(last.is_some(), "the disk is never full");
    let (used, _) = &keys[0];
    for _ in 0..10 {
        let start = std::time::Instant::now();
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
        assert_eq!(connection.content(Some(&stage.sandbox_key())).unwrap().status, 200);
        assert_eq!(connection.mcp(None).unwrap().status, 200);
        assert_eq!(connection.content(Some(used)).unwrap().status, 200, "to look at a credential nothing is written");
        assert_eq!(connection.mcp(Some(&keys[1].0)).unwrap().status, 200, "what could not be revoked is in force");
        assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
    }
    // There is space again: everything goes on without a restart.
    limit(&process, INFINITY);
    let new = new_key(&mut connection).expect("there is space");
    assert_eq!(connection.revoke(&keys[1].0).unwrap().status, 200);
    assert_eq!(connection.content(Some(&keys[1].0)).unwrap().status, 401);
    keys.remove(1);
    keys.push(new);
    process.kill();
    let process = stage.start(&store);
    let mut connection = process.connection();
    for (key, _) in &keys {
        assert_eq!(connection.content(Some(key)).unwrap().status, 200, "what was acknowledged is there");
    }
    assert_eq!(Database::connect(&store).texts("PRAGMA integrity_check"), ["ok"]);
    println!("{} credentials survived the full disk", keys.len());
}

#[test]
fn a_sidecar_that_starts_on_a_full_disk_says_so_and_starts_when_there_is_space() {
    let stage = stage();
    let store = stage.file();
    let key = {
        let process = stage.start(&store);
        let key = new_key(&mut process.connection()).unwrap().0;
        process.kill();
        key
    };
    let ended = stage.start_without_space(&store);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("MECELLE_STORE") && !said.contains("panicked"), "{said}");
    let process = stage.start(&store);
    assert_eq!(process.connection().content(Some(&key)).unwrap().status, 200);
}
