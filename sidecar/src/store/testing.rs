//! Stores for tests: files, and a PostgreSQL of the tests' own where its programs are installed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio},
    sync::{
        LazyLock, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::{Place, Store};

/// A store, and what it must not outlive.
pub(crate) struct Kept {
    pub(crate) name: &'static str,
    pub(crate) store: Store,
    /// Another process, as far as the store can tell.
    pub(crate) replica: Store,
    _folder: TempDir,
}

/// The threads on which stores of tests work.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

/// A new store of each kind there is. Which ones is said, so that a missing one is seen.
pub(crate) fn stores() -> Vec<Kept> {
    let mut stores = vec![file()];
    stores.extend(postgres());
    println!("stores: {:?}", stores.iter().map(|kept| kept.name).collect::<Vec<_>>());
    stores
}

/// A new store in a file.
pub(crate) fn file() -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::File(folder.path().join("store.db"));
    kept("sqlite", &place, folder)
}

/// A new database of the tests' server, if there can be one.
pub(crate) fn postgres() -> Option<Kept> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let server = SERVER.as_ref()?;
    let name = format!("test{}", NEXT.fetch_add(1, Ordering::Relaxed));
    runtime().block_on(async {
        use sqlx::{Connection as _, Executor as _};
        let mut admin = sqlx::PgConnection::connect(&server.address("postgres")).await.unwrap();
        admin.execute(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
    });
    Some(kept("postgres", &Place::Postgres(server.address(&name)), tempfile::tempdir().unwrap()))
}

fn kept(name: &'static str, place: &Place, folder: TempDir) -> Kept {
    let open = || runtime().block_on(Store::open(place, runtime().handle().clone())).unwrap();
    Kept { name, store: open(), replica: open(), _folder: folder }
}

/// The tests' server. It ends with this process.
static SERVER: LazyLock<Option<Server>> = LazyLock::new(Server::start);

pub(crate) struct Server {
    folder: PathBuf,
    _input: Option<ChildStdin>,
}

/// The user as whom the server runs where these tests run as root, which it refuses.
const NOBODY: u32 = 65534;
const AS_NOBODY: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups";

impl Server {
    fn start() -> Option<Self> {
        if !Command::new("postgres")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
        {
            #[expect(clippy::disallowed_methods, reason = "where everything is judged, a missing server is a failure")]
            let required = std::env::var_os("REQUIRE_POSTGRES").is_some();
            assert!(!required, "`postgres` is not on the path: install PostgreSQL");
            return None;
        }
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").ok()?.keep();
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        if is_root {
            std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY)).ok()?;
        }
        let data = folder.join("data");
        let mut init = command("initdb", is_root);
        init.args(["--auth=trust", "--username=mecelle", "--no-sync", "-E", "UTF8", "--locale=C", "-D"]).arg(&data);
        assert!(init.stdout(Stdio::null()).status().unwrap().success(), "initdb");
        // The shell keeps the server until its input ends, which it does when this process does, however that comes.
        let script = "as=$1; folder=$2; $as postgres -D $folder/data -k $folder -c listen_addresses= -c fsync=off \
            -c max_connections=400 >/dev/null 2>&1 & cat; kill -QUIT $!; wait; rm -rf $folder";
        let mut server = Command::new("sh");
        server.args(["-c", script, "sh", if is_root { AS_NOBODY } else { "" }]).arg(&folder).current_dir("/tmp");
        let input = server.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap().stdin;
        let own = Self { folder, _input: input };
        own.wait();
        Some(own)
    }

    /// Waits until it answers; each look is a process of its own, so nothing spins.
    fn wait(&self) {
        for _ in 0..200 {
            let ready =
                Command::new("pg_isready").arg("-h").arg(&self.folder).args(["-t", "5"]).stdout(Stdio::null()).status();
            if ready.is_ok_and(|status| status.success()) {
                return;
            }
            thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("PostgreSQL does not start");
    }

    fn address(&self, database: &str) -> String {
        format!("postgres://mecelle@localhost/{database}?host={}", Path::display(&self.folder))
    }
}

fn command(program: &str, is_root: bool) -> Command {
    if !is_root {
        return Command::new(program);
    }
    let mut words = AS_NOBODY.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg(program).current_dir("/tmp");
    command
}
