//! The journal: everything that the services of this process log, at level `trace`, and the check that no secret is in
//! it.
//!
//! If the variable `JOURNAL` names a folder, the journal is written there as `<name>.<process>.log`, and every secret
//! of the process as `<name>.<process>.secrets`, for a check after all tests. Otherwise it is a temporary file that
//! ends with the process.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "this library serves tests only: a broken expectation ends the test that met it"
)]

mod events;
pub mod secrets;

use std::{fs::File, os::unix::fs::FileExt as _, path::PathBuf, sync::OnceLock};

pub use self::events::{Listener, keep_events, listen};

static JOURNAL: OnceLock<File> = OnceLock::new();

/// A part of the journal, which is searched when it is dropped.
#[derive(Debug)]
pub struct Journal {
    /// Offset in the file, in bytes.
    start: u64,
}

impl Journal {
    /// Begins a part of the journal `name`; `log_into` directs the log to the file.
    #[must_use]
    pub fn begin(name: &str, log_into: impl FnOnce(File)) -> Self {
        Self { start: length(keep(name, log_into)) }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let found = secrets::found_in(&logged_since(self.start));
        assert!(found.is_empty(), "secrets in the log:\n{}", found.join("\n"));
    }
}

/// Opens the journal `name`, unless one is open: a process has only one.
pub fn keep(name: &str, log_into: impl FnOnce(File)) -> &'static File {
    JOURNAL.get_or_init(|| {
        let file = match folder() {
            None => tempfile::tempfile().expect("a temporary file"),
            Some(folder) => {
                let path = folder.join(format!("{name}.{}.log", std::process::id()));
                secrets::record(File::create(path.with_extension("secrets")).expect("a file for secrets"));
                File::options().create_new(true).read(true).append(true).open(path).expect("a file for the journal")
            }
        };
        log_into(file.try_clone().expect("a file"));
        file
    })
}

/// Returns everything that the services of this process have logged; empty without a journal.
#[must_use]
pub fn logged() -> Vec<u8> {
    logged_since(0)
}

fn logged_since(start: u64) -> Vec<u8> {
    let Some(journal) = JOURNAL.get() else { return Vec::new() };
    // The position in the file belongs to the writers, so read without moving it.
    let mut log = vec![0; usize::try_from(length(journal).saturating_sub(start)).unwrap_or(0)];
    journal.read_exact_at(&mut log, start).expect("the journal is there");
    log
}

fn length(journal: &File) -> u64 {
    journal.metadata().expect("the journal is there").len()
}

/// Returns the factor for repetitions in tests: 1, or more in a long run (`TEST_TIMES`).
#[must_use]
#[expect(clippy::disallowed_methods, reason = "a test takes no arguments")]
pub fn times() -> usize {
    std::env::var("TEST_TIMES").map_or(1, |times| times.parse().expect("a number"))
}

#[expect(clippy::disallowed_methods, reason = "a test takes no arguments")]
fn folder() -> Option<PathBuf> {
    std::env::var_os("JOURNAL").map(PathBuf::from)
}
