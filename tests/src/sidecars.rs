//! Sidecar processes with one build, one pepper and one outbox; their logs are searched for secrets.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc, LazyLock, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
};

use tempfile::TempDir;

use crate::{
    firm::{BuiltFirm, Firm as _, built},
    outbox::Outbox,
    process::Process,
    secrets,
    wait::eventually,
};

/// A folder for sidecars. Their logs are searched when it is dropped.
#[derive(Debug)]
pub struct Sidecars {
    program: PathBuf,
    firm: Arc<BuiltFirm>,
    folder: TempDir,
    started: AtomicU32,
    level: &'static str,
}

impl Sidecars {
    /// Prepares a folder for instances of `program`.
    #[must_use]
    pub fn new(program: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir(folder.path().join("logs")).expect("a writable folder");
        Self { program: program.into(), firm: firm(), folder, started: AtomicU32::new(0), level: "trace" }
    }

    /// Sets the log level `info`, for drills with hundreds of sidecars.
    #[must_use]
    pub const fn brief(mut self) -> Self {
        self.level = "info";
        self
    }

    /// Returns the address of a SQLite store in this folder.
    #[must_use]
    pub fn file(&self) -> String {
        format!("sqlite://{}", self.folder.path().join("store.db").display())
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    #[must_use]
    pub fn sandbox_key(&self) -> String {
        self.firm.manifest().sandbox_key
    }

    #[must_use]
    pub fn outbox(&self) -> Outbox {
        Outbox::in_folder(self.folder.path().join("outbox"))
    }

    #[must_use]
    pub fn start(&self, store: &str) -> Process {
        self.start_by(Command::new(&self.program), store)
    }

    /// Starts a sidecar that ignores SIGXFSZ, so that a limit on file sizes acts like a full disk.
    #[must_use]
    pub fn start_robust(&self, store: &str) -> Process {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(&self.program);
        self.start_by(shell, store)
    }

    /// Starts a sidecar on a full disk, until the limit on file sizes is lifted.
    #[must_use]
    pub fn start_without_space(&self, store: &str) -> Process {
        self.start_by(self.without_space(), store)
    }

    /// Returns the command of such a start, for a sidecar that cannot serve.
    #[must_use]
    pub fn command_without_space(&self, store: &str) -> Command {
        let mut shell = self.without_space();
        self.configure(&mut shell, store, &["serve"]);
        shell.env("MECELLE_LOG_LEVEL", "error").stdin(Stdio::null());
        shell
    }

    fn without_space(&self) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -S -f 0; exec \"$0\" \"$@\""]).arg(&self.program);
        shell
    }

    /// Starts a sidecar that obeys file permissions even if the tests run as root.
    #[must_use]
    pub fn start_obedient(&self, store: &str) -> Process {
        if !cluster::is_root() {
            return self.start(store);
        }
        let mut command = Command::new("setpriv");
        let without = "-dac_override,-dac_read_search";
        command.args(["--inh-caps", without, "--bounding-set", without]).arg(&self.program);
        self.start_by(command, store)
    }

    /// Returns an operator command on `store`.
    #[must_use]
    pub fn command(&self, store: &str, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        self.configure(&mut command, store, words);
        // Keep the log out of the command's output.
        command.env("MECELLE_LOG_LEVEL", "warn").stdin(Stdio::null());
        command
    }

    /// Starts a sidecar and kills it once `is_so`, serving or not.
    pub fn start_and_kill(&self, store: &str, mut is_so: impl FnMut() -> bool) {
        let mut command = Command::new(&self.program);
        self.configure(&mut command, store, &["serve"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process");
        eventually("the moment for a kill", || is_so() || child.try_wait().expect("a process of ours").is_some());
        let ended = child.try_wait().expect("a process of ours");
        assert_eq!(ended, None, "the process ended before it was killed");
        child.kill().expect("a process that is there");
        child.wait().expect("a process that ends");
    }

    fn start_by(&self, mut command: Command, store: &str) -> Process {
        self.configure(&mut command, store, &["serve"]);
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let process = Process::serve(&mut command, &self.logs().join(format!("{number:03}.log")));
        // The pepper must not be in a log either.
        secrets::note(fs::read_to_string(self.folder.path().join("secret")).expect("a secret file").trim());
        process
    }

    #[expect(clippy::disallowed_methods, reason = "programs are found by the caller's PATH")]
    fn configure(&self, command: &mut Command, store: &str, words: &[&str]) {
        let folder = self.folder.path();
        command.args(words).env_clear().envs(std::env::vars_os().filter(|(name, _)| name == "PATH"));
        let settings = [
            ("LISTEN", "127.0.0.1:0".to_owned()),
            ("ADMIN_LISTEN", "127.0.0.1:0".to_owned()),
            ("DIST", self.firm.dist().display().to_string()),
            ("STORE", store.to_owned()),
            ("SECRET_FILE", folder.join("secret").display().to_string()),
            ("MAIL", format!("outbox://{}", folder.join("outbox").display())),
            ("LOG_LEVEL", self.level.to_owned()),
            ("WORKERS", "2".to_owned()),
        ];
        command.envs(settings.map(|(name, value)| (format!("MECELLE_{name}"), value)));
        // All clients share one address, so limits are lifted.
        let limits =
            sidecar::NAMES.iter().filter(|name| name.key.starts_with("limits.") && name.key != "limits.loopback");
        command.envs(limits.map(|name| (name.variable, u32::MAX.to_string())));
    }

    /// Returns the logs of all sidecars.
    #[must_use]
    pub fn log(&self) -> String {
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.logs()).expect("a readable folder").map(|it| it.expect("an entry").path()).collect();
        files.sort();
        files.iter().map(|file| fs::read_to_string(file).expect("a log")).collect()
    }

    fn logs(&self) -> PathBuf {
        Path::join(self.folder.path(), "logs")
    }
}

impl Drop for Sidecars {
    fn drop(&mut self) {
        let log = self.log();
        if std::thread::panicking() {
            let lines: Vec<&str> = log.lines().collect();
            eprintln!("the end of the logs:\n{}", lines[lines.len().saturating_sub(30)..].join("\n"));
            return;
        }
        assert!(!log.contains("panicked at"), "a sidecar panicked:\n{log}");
        let found = secrets::found_in(log.as_bytes());
        assert!(found.is_empty(), "secrets in the logs:\n{}", found.join("\n"));
    }
}

/// Returns the small firm, built once for all folders that exist at the same time.
fn firm() -> Arc<BuiltFirm> {
    static SLOT: LazyLock<Mutex<Weak<BuiltFirm>>> = LazyLock::new(|| Mutex::new(Weak::new()));
    let mut slot = SLOT.lock().unwrap_or_else(PoisonError::into_inner);
    slot.upgrade().unwrap_or_else(|| {
        let firm = Arc::new(built("firm"));
        *slot = Arc::downgrade(&firm);
        firm
    })
}
