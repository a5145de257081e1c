//! Where sidecars run as processes on one build, one pepper and one mailbox folder, and what they may not leave behind
//! in their logs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{
        Arc, LazyLock, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use tempfile::TempDir;

use crate::{
    firm::{BuiltFirm, build, content_of},
    letters::Letters,
    process::Process,
    secrets,
};

/// A folder in which sidecars run. When it is dropped, their logs are read.
#[derive(Debug)]
pub struct Stage {
    program: PathBuf,
    firm: Arc<BuiltFirm>,
    folder: TempDir,
    started: AtomicU32,
}

impl Stage {
    /// A stage for sidecars that `program` is.
    #[must_use]
    pub fn new(program: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir(folder.path().join("logs")).expect("a writable folder");
        Self { program: program.into(), firm: firm(), folder, started: AtomicU32::new(0) }
    }

    /// The setting of a store in a file of this stage.
    #[must_use]
    pub fn file(&self) -> String {
        format!("sqlite://{}", self.folder.path().join("store.db").display())
    }

    /// Its folder, which sidecars name when they start.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The key that the build publishes.
    #[must_use]
    pub fn sandbox_key(&self) -> String {
        self.firm.manifest().sandbox_key
    }

    /// The messages that were sent.
    #[must_use]
    pub fn letters(&self) -> Letters {
        Letters::in_folder(self.folder.path().join("outbox"))
    }

    /// Starts a sidecar that keeps what it knows in `store`.
    #[must_use]
    pub fn start(&self, store: &str) -> Process {
        self.start_by(Command::new(&self.program), store)
    }

    /// Starts one that is not ended by a file that may not grow, as little as by a disk that is full.
    #[must_use]
    pub fn start_robust(&self, store: &str) -> Process {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(&self.program);
        self.start_by(shell, store)
    }

    /// Starts one on a disk on which nothing can be written; how it ends, and what it says.
    #[must_use]
    pub fn start_without_space(&self, store: &str) -> Output {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(&self.program);
        self.configure(&mut shell, store);
        shell.output().expect("a process")
    }

    /// Starts one and kills it after `time`, whether it serves by then or not.
    pub fn start_and_kill(&self, store: &str, time: Duration) {
        let mut command = Command::new(&self.program);
        self.configure(&mut command, store);
        let mut child = command.stderr(Stdio::null()).spawn().expect("a process");
        thread::sleep(time);
        child.kill().expect("a process that is there");
        child.wait().expect("a process that ends");
    }

    fn start_by(&self, mut command: Command, store: &str) -> Process {
        self.configure(&mut command, store);
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let process = Process::start(&mut command, &self.logs().join(format!("{number:03}.log")));
        // What stands in a setting or a file beside it may stand in a log as little as what is issued.
        secrets::note(&fs::read_to_string(self.folder.path().join("secret")).expect("a secret file"));
        process
    }

    fn configure(&self, command: &mut Command, store: &str) {
        let folder = self.folder.path();
        command.arg("serve").env_clear().envs(std::env::vars_os().filter(|(name, _)| name == "PATH"));
        let most = u32::MAX.to_string();
        let settings = [
            ("LISTEN", "127.0.0.1:0".to_owned()),
            ("DIST", self.firm.dist().display().to_string()),
            ("STORE", store.to_owned()),
            ("SECRET_FILE", folder.join("secret").display().to_string()),
            ("MAIL", format!("outbox://{}", folder.join("outbox").display())),
            ("LOG_LEVEL", "trace".to_owned()),
            ("WORKERS", "2".to_owned()),
            // Clients of this machine are not limited one by one, but all together are.
            ("LIMITS_ANONYMOUS", most.clone()),
            ("LIMITS_ASSERTIONS", most.clone()),
            ("LIMITS_LETTERS", most.clone()),
            ("LIMITS_WRONG_CODES", most),
        ];
        command.envs(settings.map(|(name, value)| (format!("MECELLE_{name}"), value)));
    }

    /// Everything that its sidecars have said so far.
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

impl Drop for Stage {
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

/// The small firm, built once for all stages that are there at the same time.
fn firm() -> Arc<BuiltFirm> {
    static SLOT: LazyLock<Mutex<Weak<BuiltFirm>>> = LazyLock::new(|| Mutex::new(Weak::new()));
    let mut slot = SLOT.lock().unwrap_or_else(PoisonError::into_inner);
    slot.upgrade().unwrap_or_else(|| {
        let firm = Arc::new(build(&content_of("firm")));
        *slot = Arc::downgrade(&firm);
        firm
    })
}
