//! Backup and restore, killed at any moment: the store is unchanged or wholly the copy, and the next attempt works.

use std::{fs, path::PathBuf, process::Output, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tests::{Agent as _, Database, Sidecars, ended};

use super::{many_rows, sidecars, text};

/// Number of registrations, so that a copy takes a while.
const ROWS: u32 = 4_000;
/// How many times each command is killed.
const KILLS: u32 = 8;

/// Runs the command `name` on `file` to its end.
fn run(sidecars: &Sidecars, store: &str, name: &str, file: &str) -> Output {
    ended(&mut sidecars.command(store, &[name, file]))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

/// A store of many registrations, with one key that stays and one that is revoked once the copy is made.
struct Scene {
    sidecars: Sidecars,
    store: String,
    folder: PathBuf,
    kept: String,
    revoked: String,
}

impl Scene {
    fn new() -> Self {
        let sidecars = sidecars();
        let (store, folder) = (sidecars.file(), sidecars.folder().to_owned());
        let process = sidecars.start(&store);
        let mut connection = process.connection();
        let registered = connection.register().unwrap();
        let [kept, revoked] = [(); 2].map(|()| text(&connection.register().unwrap(), "credential"));
        process.kill();
        many_rows::multiply(&mut Database::connect(&store), &text(&registered, "registration_id"), ROWS);
        Self { sidecars, store, folder, kept, revoked }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Counts the registrations in the store, and fails if it is damaged.
    fn count(file: &str) -> usize {
        let mut database = Database::connect(&format!("sqlite://{file}"));
        assert_eq!(database.texts("PRAGMA quick_check"), ["ok"], "{file}");
        database.texts("SELECT CAST(COUNT(*) AS TEXT) FROM registration").remove(0).parse().unwrap()
    }
}

#[test]
fn backup_that_is_killed_leaves_a_whole_copy_or_none() {
    let scene = Scene::new();
    let (mut rng, mut whole, mut none) = (StdRng::seed_from_u64(7), 0, 0);
    let time = scene.time("backup", &scene.path("first.db"));
    for round in 0..KILLS {
        let copy = scene.path(&format!("copy{}.db", round / 2));
        let _ = fs::remove_file(&copy);
        let pause = time.mul_f64(rng.random_range(0.0..1.2));
        scene.sidecars.run_and_kill(scene.sidecars.command(&scene.store, &["backup", &copy]), pause);
        if fs::exists(&copy).unwrap() {
            assert_eq!(Scene::count(&copy), ROWS as usize + 3);
            whole += 1;
            continue;
        }
        none += 1;
        let again = run(&scene.sidecars, &scene.store, "backup", &copy);
        assert!(again.status.success(), "{}", said(&again));
        assert_eq!(Scene::count(&copy), ROWS as usize + 3);
        assert!(!fs::exists(format!("{copy}.part")).unwrap());
    }
    assert_eq!(Scene::count(&scene.path("store.db")), ROWS as usize + 3);
    println!("a backup of {time:?} was killed {KILLS} times: {none} without a copy, {whole} with a whole one");
    assert!(none > 0);
}

#[test]
fn restore_that_is_killed_changes_all_or_nothing() {
    let scene = Scene::new();
    let (copy, store) = (scene.path("copy.db"), scene.path("store.db"));
    let made = run(&scene.sidecars, &scene.store, "backup", &copy);
    assert!(made.status.success(), "{}", said(&made));
    {
        let process = scene.sidecars.start(&scene.store);
        let mut connection = process.connection();
        assert_eq!(connection.revoke(&scene.revoked).unwrap().status, 200);
        // Something that is not in the copy tells the store from the copy.
        assert_eq!(connection.register().unwrap().status, 200);
    }
    // The last commits are in the log beside the file, as after a service that was killed.
    let present = scene.folder.join("present");
    fs::create_dir(&present).unwrap();
    let names = ["store.db", "store.db-wal", "store.db-shm"];
    for name in names {
        fs::copy(scene.folder.join(name), present.join(name)).unwrap();
    }
    let put_back = || {
        for name in names {
            fs::copy(present.join(name), scene.folder.join(name)).unwrap();
        }
    };
    let time = scene.time("restore", &copy);
    let (mut rng, mut before, mut after) = (StdRng::seed_from_u64(8), 0, 0);
    for _ in 0..KILLS {
        put_back();
        let pause = time.mul_f64(rng.random_range(0.0..1.1));
        scene.sidecars.run_and_kill(scene.sidecars.command(&scene.store, &["restore", &copy]), pause);
        let count = Scene::count(&store);
        if count == ROWS as usize + 4 {
            before += 1;
        } else {
            assert_eq!(count, ROWS as usize + 3, "neither the store nor the copy");
            after += 1;
        }
        // In either case: what was revoked is not in force, and what was not is.
        let process = scene.sidecars.start(&scene.store);
        let mut connection = process.connection();
        assert_eq!(connection.content(Some(&scene.revoked)).unwrap().status, 401);
        assert_eq!(connection.content(Some(&scene.kept)).unwrap().status, 200);
    }
    put_back();
    let again = run(&scene.sidecars, &scene.store, "restore", &copy);
    assert!(again.status.success() && said(&again).contains("1 registration was revoked"), "{}", said(&again));
    assert_eq!(Scene::count(&store), ROWS as usize + 3);
    assert!(!fs::exists(scene.path("store.restored")).unwrap());
    println!("a restore of {time:?} was killed {KILLS} times: {before} before it was one, {after} after");
    assert!(before > 0);
}

#[test]
fn store_in_service_is_not_replaced_and_one_that_is_being_replaced_is_waited_for() {
    let sidecars = sidecars();
    let store = sidecars.file();
    let copy = sidecars.folder().join("copy.db").display().to_string();
    let process = sidecars.start(&store);
    let key = text(&process.connection().register().unwrap(), "credential");
    assert!(run(&sidecars, &store, "backup", &copy).status.success(), "a service does not mind a backup");
    let refused = run(&sidecars, &store, "restore", &copy);
    let words = said(&refused);
    assert_eq!(refused.status.code(), Some(1), "{words}");
    assert!(words.contains("a service has the store open; stop it first") && words.lines().count() == 1, "{words}");
    assert_eq!(process.connection().content(Some(&key)).unwrap().status, 200);
    assert_eq!(process.connection().register().unwrap().status, 200);
    process.kill();
    // A command that replaces the store holds this lock; a service that starts meanwhile serves what needs no store.
    let alone = fs::File::options().append(true).open(sidecars.folder().join("store.in-use")).unwrap();
    alone.lock().unwrap();
    let process = sidecars.start(&store);
    let mut connection = process.connection();
    assert_eq!(connection.content(None).unwrap().status, 200);
    assert_eq!(connection.content(Some(&key)).unwrap().status, 503);
    let hasty = ended(&mut sidecars.command(&store, &["purge"]));
    assert!(!hasty.status.success() && said(&hasty).contains("another process has locked it"), "{}", said(&hasty));
    drop(alone);
    super::until("the store is used", || connection.content(Some(&key)).unwrap().status == 200);
}

impl Scene {
    /// Measures how long the command takes when it is not killed.
    #[expect(clippy::disallowed_methods, reason = "a drill that kills must know when")]
    fn time(&self, name: &str, file: &str) -> Duration {
        let start = std::time::Instant::now();
        let output = run(&self.sidecars, &self.store, name, file);
        assert!(output.status.success(), "{}", said(&output));
        start.elapsed()
    }
}
