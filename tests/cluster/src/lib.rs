//! A PostgreSQL server for tests: a new cluster in a temporary folder, reached through a socket in it.
//!
//! It ends with the process that started it and leaves nothing behind. It can be stopped, started again, and frozen
//! like a machine that hangs. PostgreSQL refuses to run as root: for root, it runs as user 65534.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "this library serves tests only: a broken expectation ends the test that met it"
)]

mod pooler;
mod signal;

use std::{
    env, fs,
    io::Write as _,
    mem,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

pub use self::{
    pooler::Pooler,
    signal::{Signal, send},
};

/// The user that the server runs as if the tests run as root.
const NOBODY: u32 = 65534;
/// The longest wait for a server on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(2);
const AS_NOBODY: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups";

/// Shell script that runs the server until it reads the name of a signal, which it sends to the server. If its input
/// ends, as at the end of this process, it deletes the folder as well. A frozen server is continued first.
const KEEPER: &str = "as=$1; folder=$2
    $as postgres -D $folder/data -k $folder -c listen_addresses= -c fsync=off -c max_connections=400 \
        >/dev/null 2>&1 & server=$!
    read -r signal
    kill -${signal:-QUIT} $server; kill -CONT $server
    wait
    [ -n \"$signal\" ] || rm -rf $folder";

/// Returns whether the tests run as root.
#[must_use]
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// A server, which ends when this value is dropped.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    is_root: bool,
    keeper: Mutex<Option<Child>>,
}

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Ends connections in order.
    Fast,
    /// Drops everything, as in a crash; the next start recovers.
    Immediate,
}

impl Cluster {
    /// Returns whether `postgres` is on the path.
    #[must_use]
    pub fn is_installed() -> bool {
        let version = Command::new("postgres").arg("--version").stdout(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    }

    /// Creates a new cluster, starts its server and waits until it answers.
    #[must_use]
    pub fn start() -> Self {
        assert!(Self::is_installed(), "`postgres` is not on the path: install PostgreSQL");
        let folder = tempfile::Builder::new().prefix("pg").tempdir().expect("a temporary folder").keep();
        let is_root = is_root();
        give_away(&folder, is_root);
        let mut copy = command("cp", is_root);
        let copied = copy.arg("-a").arg(TEMPLATE.join("data")).arg(&folder).status();
        assert!(copied.is_ok_and(|it| it.success()), "a copy of the template");
        let cluster = Self { folder, is_root, keeper: Mutex::default() };
        cluster.start_again();
        cluster
    }

    /// Starts a stopped server again and waits until it answers.
    pub fn start_again(&self) {
        let mut shell = Command::new("sh");
        shell.args(["-c", KEEPER, "sh", if self.is_root { AS_NOBODY } else { "" }]).arg(&self.folder);
        shell.current_dir(env::temp_dir()).stdin(Stdio::piped()).stdout(Stdio::null());
        let keeper = shell.spawn().expect("a shell");
        let before = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).replace(keeper);
        assert!(before.is_none(), "the server runs already");
        self.wait();
    }

    /// Ends the server and waits for its end; its data remain.
    pub fn stop(&self, how: Stop) {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut keeper = keeper.expect("the server runs");
        let signal: &[u8] = if how == Stop::Fast { b"INT\n" } else { b"QUIT\n" };
        keeper.stdin.take().expect("a pipe").write_all(signal).expect("the shell listens");
        keeper.wait().expect("the shell ends");
    }

    /// Freezes the server and its processes until the result is dropped.
    #[must_use]
    pub fn pause(&self) -> Paused {
        let server = self.process();
        // Freeze the process that starts the others first.
        signal::stand_still(&[server]);
        let children = signal::children(server);
        signal::stand_still(&children);
        Paused { server, children }
    }

    /// Returns the connection address of `database`.
    #[must_use]
    pub fn address(&self, database: &str) -> String {
        format!("postgres://mecelle@localhost/{database}?host={}", Path::display(&self.folder))
    }

    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    /// Returns the process number of the server.
    fn process(&self) -> u32 {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid")).expect("the server runs");
        file.lines().next().and_then(|line| line.trim().parse().ok()).expect("a process")
    }

    /// Waits until the server answers. Each check is a separate process, so the loop does not spin.
    #[expect(clippy::disallowed_methods, reason = "a bounded wait needs the clock")]
    fn wait(&self) {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            let mut look = Command::new("pg_isready");
            look.arg("-h").arg(&self.folder).args(["-t", "5"]).stdout(Stdio::null());
            if look.status().is_ok_and(|status| status.success()) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("PostgreSQL does not start");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let keeper = self.keeper.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        match keeper {
            Some(mut keeper) => {
                drop(keeper.stdin.take());
                let _ = keeper.wait();
            }
            None => drop(fs::remove_dir_all(&self.folder)),
        }
    }
}

/// A frozen server, which continues when this value is dropped.
#[derive(Debug)]
pub struct Paused {
    server: u32,
    children: Vec<u32>,
}

impl Drop for Paused {
    fn drop(&mut self) {
        send(Signal::Continue, &self.children);
        send(Signal::Continue, &[self.server]);
    }
}

/// The folder of a cluster that was never started. Each cluster of this process is a copy of it, because creating one
/// takes longer than most tests. A shell removes it when this process, and so the pipe, ends.
static TEMPLATE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = tempfile::Builder::new().prefix("pg").tempdir().expect("a temporary folder").keep();
    let mut shell = Command::new("sh");
    shell.args(["-c", "read -r line; rm -rf \"$1\"", "sh"]).arg(&folder).current_dir("/").stdin(Stdio::piped());
    mem::forget(shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell"));
    let is_root = is_root();
    give_away(&folder, is_root);
    let mut init = command("initdb", is_root);
    init.args(["--auth=trust", "--username=mecelle", "--no-sync", "-E", "UTF8", "--locale=C", "-D"]);
    assert!(init.arg(folder.join("data")).stdout(Stdio::null()).status().is_ok_and(|it| it.success()), "initdb");
    // The other users are those of the system, as Debian's packages set it.
    fs::write(folder.join("data/pg_hba.conf"), "local all mecelle trust\nlocal all all peer\n").expect("a file");
    folder
});

fn give_away(folder: &Path, is_root: bool) {
    if is_root {
        std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
    }
}

fn command(program: &str, is_root: bool) -> Command {
    let mut words = AS_NOBODY.split(' ').filter(|_| is_root).chain([program]);
    let mut command = Command::new(words.next().unwrap_or(program));
    command.args(words).current_dir(env::temp_dir());
    command
}
