//! What the servers of these tests log, at the most talkative level. It is searched for secrets when each of them ends,
//! and once more when everything has ended (step `logs`).

use std::{fs, fs::File, path::PathBuf};

use journal::{Journal, secrets};
use sidecar::{LogFormat, LogSettings, log_into};

/// The log of one server.
pub(crate) struct Log {
    /// The folder in which the server keeps what only it knows.
    data: PathBuf,
    _journal: Journal,
}

impl Log {
    /// Begins the log of a server that keeps its data in `data`.
    pub(crate) fn begin(data: PathBuf) -> Self {
        Self { data, _journal: Journal::begin("sidecar-suite", write_into) }
    }
}

/// Writes everything that is logged to `file`.
fn write_into(file: File) {
    log_into(LogSettings { format: LogFormat::Text, level: "trace".parse().unwrap() }, file);
}

impl Drop for Log {
    /// Secrets that nobody has asked for count too: the key of the server, and letters that no test has opened.
    fn drop(&mut self) {
        if let Ok(key) = fs::read_to_string(self.data.join("secret")) {
            secrets::note(key.trim());
        }
        for letter in fs::read_dir(self.data.join("outbox")).into_iter().flatten().flatten() {
            secrets::harvest(fs::read_to_string(letter.path()).unwrap_or_default().replace("=\r\n", "").as_bytes());
        }
    }
}
