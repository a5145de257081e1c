//! Backup and restore, killed in the middle: the store is unchanged or entirely the copy, and the next attempt works.
//!
//! A limit on the size of files ends the process at a given byte, as a kill at that moment would.

use std::{
    fs,
    os::unix::{fs::MetadataExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tests::{Agent as _, Database, Sidecars, eventually, run_to_end, times};

use super::{many_rows, retry_while_busy, sidecars, text};

/// Number of registrations, so that a copy has many pages.
const ROWS: u32 = 500;
/// Number of kills of each command while it writes.
const KILLS: u64 = 4;
/// SIGXFSZ, which ends a process whose file exceeds the limit.
const FILE_TOO_LARGE: i32 = 25;

fn run(sidecars: &Sidecars, store: &str, name: &str, file: &str) -> Output {
    run_to_end(&mut sidecars.command(store, &[name, file]))
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

/// A store of many registrations, with a valid key and a key that is revoked after the copy is made.
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
        let registered = retry_while_busy(|| connection.register());
        let [kept, revoked] = [(); 2].map(|()| text(&retry_while_busy(|| connection.register()), "credential"));
        process.kill();
        many_rows::multiply(&mut Database::connect(&store), &text(&registered, "registration_id"), ROWS);
        Self { sidecars, store, folder, kept, revoked }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Runs a command on `file` several times, each with a larger limit on file sizes, up to the size of `whole`. Calls
    /// `look` after each end.
    fn cut(&self, name: &str, file: &str, whole: &str, mut look: impl FnMut()) {
        let size = fs::metadata(whole).unwrap().len();
        let kills = KILLS * times() as u64;
        for kill in 0..kills {
            // Not within the first pages: the index beside a store in use has that size.
            let limit = 64 * 1024 + (size - 128 * 1024) * kill / kills;
            // The signal ends it even if whatever runs the tests ignores it, as Python does.
            let output = self.run_limited(&[name, file], limit, "--default-signal=XFSZ");
            assert_eq!(output.status.signal(), Some(FILE_TOO_LARGE), "{name} at {limit}: {}", stderr_text(&output));
            look();
        }
    }

    /// Runs a command whose files can grow to `limit` bytes. `signal` is an option of `env`, which decides what a longer
    /// file does.
    fn run_limited(&self, words: &[&str], limit: u64, signal: &str) -> Output {
        let command = self.sidecars.command(&self.store, words);
        let mut limited = Command::new("prlimit");
        limited.args([&*format!("--fsize={limit}"), "/usr/bin/env", signal]);
        limited.arg(command.get_program()).args(command.get_args()).env_clear();
        limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
        run_to_end(&mut limited)
    }

    /// Runs a command on `file` and kills it once `is_so`.
    fn kill_when(&self, name: &str, file: &str, is_so: impl Fn() -> bool) {
        let mut command = self.sidecars.command(&self.store, &[name, file]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually("the command reaches the point of the kill", || is_so() || child.try_wait().unwrap().is_some());
        let _ = child.kill();
        child.wait().unwrap();
    }

    /// Counts the registrations in a store, which must not be damaged.
    fn count(file: &str) -> usize {
        let mut database = Database::connect(&format!("sqlite://{file}"));
        assert_eq!(database.texts("PRAGMA quick_check"), ["ok"], "{file}");
        database.texts("SELECT CAST(COUNT(*) AS TEXT) FROM registration").remove(0).parse().unwrap()
    }
}

#[test]
fn killed_backup_leaves_a_complete_copy_or_none() {
    let scene = Scene::new();
    let copy = scene.path("copy.db");
    let (part, whole) = (format!("{copy}.part"), scene.path("whole.db"));
    assert!(run(&scene.sidecars, &scene.store, "backup", &whole).status.success());
    scene.cut("backup", &copy, &whole, || {
        assert!(!fs::exists(&copy).unwrap(), "a part of a copy has the name of a whole one");
        assert!(fs::metadata(&part).unwrap().len() > 0, "it was killed before it wrote");
        let again = run(&scene.sidecars, &scene.store, "backup", &copy);
        assert!(again.status.success(), "{}", stderr_text(&again));
        assert_eq!(Scene::count(&copy), ROWS as usize + 3);
        assert!(!fs::exists(&part).unwrap());
        fs::remove_file(&copy).unwrap();
    });
    // A copy gets its name only when it is complete.
    scene.kill_when("backup", &copy, || fs::exists(&copy).unwrap());
    assert_eq!(Scene::count(&copy), ROWS as usize + 3);
    assert_eq!(Scene::count(&scene.path("store.db")), ROWS as usize + 3);
}

#[test]
fn backup_on_a_full_disk_keeps_the_former_copy_and_names_the_cure() {
    let scene = Scene::new();
    let copies = scene.path("copies");
    fs::create_dir(&copies).unwrap();
    let words = ["backup", "--keep", "1", &*copies];
    let first = run_to_end(&mut scene.sidecars.command(&scene.store, &words));
    assert!(first.status.success(), "{}", stderr_text(&first));
    assert!(
        stderr_text(&first).contains(&format!("{} registrations were copied", ROWS + 3)),
        "{}",
        stderr_text(&first)
    );
    let names = || -> Vec<_> { fs::read_dir(&copies).unwrap().map(|entry| entry.unwrap().file_name()).collect() };
    // Copies of one second would have one name.
    let former = Path::new(&copies).join("registrations-20260101T000000Z.db");
    fs::rename(Path::new(&copies).join(&names()[0]), &former).unwrap();
    let before = names();
    for limit in [64 * 1024, 256 * 1024] {
        // A write beyond the limit fails, as on a full disk.
        let output = scene.run_limited(&words, limit, "--ignore-signal=XFSZ");
        let text = stderr_text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            text.lines().count() == 1 && text.contains("nothing was copied") && text.contains("free space"),
            "{text}"
        );
        assert_eq!(names(), before);
    }
    assert_eq!(Scene::count(former.to_str().unwrap()), ROWS as usize + 3);
}

#[test]
fn killed_restore_changes_all_or_nothing() {
    let scene = Scene::new();
    let (copy, store) = (scene.path("copy.db"), scene.path("store.db"));
    let made = run(&scene.sidecars, &scene.store, "backup", &copy);
    assert!(made.status.success(), "{}", stderr_text(&made));
    {
        let process = scene.sidecars.start(&scene.store);
        let mut connection = process.connection();
        assert_eq!(retry_while_busy(|| connection.revoke(&scene.revoked)).status, 200);
        // One more registration distinguishes the store from the copy.
        assert_eq!(retry_while_busy(|| connection.register()).status, 200);
    }
    // The last commits are in the write-ahead log, as after a killed service.
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
    let number = |path: &Path| fs::metadata(path).unwrap().ino();
    // In either case the revoked key is refused and the other accepted.
    let judge = || {
        let process = scene.sidecars.start(&scene.store);
        let mut connection = process.connection();
        assert_eq!(retry_while_busy(|| connection.content(Some(&scene.revoked))).status, 401);
        assert_eq!(retry_while_busy(|| connection.content(Some(&scene.kept))).status, 200);
    };
    put_back();
    let before = number(store.as_ref());
    scene.cut("restore", &copy, &copy, || {
        assert_eq!(number(store.as_ref()), before, "it was killed while it wrote, and the store is another");
        assert_eq!(Scene::count(&store), ROWS as usize + 4);
        put_back();
    });
    judge();
    put_back();
    // The command compares its draft with the store, and then replaces the store in one step.
    let draft_log = scene.path("store.restored-wal");
    scene.kill_when("restore", &copy, || fs::metadata(&draft_log).is_ok_and(|log| log.len() > 0));
    assert!([3, 4].map(|more| ROWS as usize + more).contains(&Scene::count(&store)), "neither the store nor the copy");
    judge();
    put_back();
    let before = number(store.as_ref());
    scene.kill_when("restore", &copy, || number(store.as_ref()) != before);
    assert_eq!(Scene::count(&store), ROWS as usize + 3);
    judge();
    put_back();
    let again = run(&scene.sidecars, &scene.store, "restore", &copy);
    assert!(
        again.status.success() && stderr_text(&again).contains("1 registration was revoked"),
        "{}",
        stderr_text(&again)
    );
    assert_eq!(Scene::count(&store), ROWS as usize + 3);
    assert!(!fs::exists(scene.path("store.restored")).unwrap());
}

#[test]
fn restore_refuses_a_running_service_and_a_start_waits_for_a_restore() {
    let sidecars = sidecars();
    let store = sidecars.file();
    let copy = sidecars.folder().join("copy.db").display().to_string();
    let process = sidecars.start(&store);
    let key = text(&retry_while_busy(|| process.connection().register()), "credential");
    assert!(run(&sidecars, &store, "backup", &copy).status.success(), "a service does not mind a backup");
    let refused = run(&sidecars, &store, "restore", &copy);
    let words = stderr_text(&refused);
    assert_eq!(refused.status.code(), Some(1), "{words}");
    assert!(words.contains("a service has the store open; stop it first") && words.lines().count() == 1, "{words}");
    assert_eq!(retry_while_busy(|| process.connection().content(Some(&key))).status, 200);
    assert_eq!(retry_while_busy(|| process.connection().register()).status, 200);
    process.kill();
    // `restore` holds this lock; a service that starts meanwhile serves only what needs no store.
    let alone = fs::File::options().append(true).open(sidecars.folder().join("store.in-use")).unwrap();
    alone.lock().unwrap();
    let process = sidecars.start(&store);
    let mut connection = process.connection();
    assert_eq!(connection.content(None).unwrap().status, 200);
    assert_eq!(connection.content(Some(&key)).unwrap().status, 503);
    let hasty = run_to_end(&mut sidecars.command(&store, &["purge"]));
    assert!(
        !hasty.status.success() && stderr_text(&hasty).contains("another process has locked it"),
        "{}",
        stderr_text(&hasty)
    );
    drop(alone);
    assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200);
}
