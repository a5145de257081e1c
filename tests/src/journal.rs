//! What the services of this process log, all of it, and the promise that no secret stands in it.

use std::{fs::File, os::unix::fs::FileExt as _, sync::LazyLock};

use sidecar::{LogFormat, LogSettings, log_into};

use crate::secrets;

/// A file without a name: it is gone with this process.
static JOURNAL: LazyLock<File> = LazyLock::new(|| {
    let file = tempfile::tempfile().expect("a temporary file");
    let level = "trace".parse().expect("a level");
    log_into(LogSettings { format: LogFormat::Text, level }, file.try_clone().expect("a file"));
    file
});

/// As long as somebody holds one, the journal is kept; at the end of each it is read.
#[derive(Debug)]
pub(crate) struct Journal(());

impl Journal {
    /// Begins, if nobody has yet.
    pub(crate) fn begin() -> Self {
        LazyLock::force(&JOURNAL);
        Self(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let found = secrets::found_in(&logged());
        assert!(found.is_empty(), "secrets in the log:\n{}", found.join("\n"));
    }
}

/// Everything that the services of this process have logged so far.
pub fn logged() -> Vec<u8> {
    // The place in the file belongs to whoever writes, so it is read without moving it.
    let length = JOURNAL.metadata().map_or(0, |about| about.len());
    let mut log = vec![0; usize::try_from(length).unwrap_or(0)];
    JOURNAL.read_exact_at(&mut log, 0).expect("the journal is there");
    log
}
