//! The vocabulary of the black-box suite: a built firm, a running service, and a client that can misbehave.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    reason = "this library serves tests only: a broken expectation ends the test that met it"
)]

mod agent;
mod database;
mod firm;
mod http;
mod letters;
mod process;
mod service;
mod stage;
mod wait;

pub use agent::Agent;
pub use database::Database;
pub use firm::{
    BuiltFirm, NOW, SITE_URL, build, build_from, build_with, content_of, copy_folder, files_below, publishing,
    templates, try_build_from,
};
pub use http::{Connection, Reply, get, head, request, send};
pub use journal::{logged, process::ended, secrets};
pub use letters::Letters;
pub use process::{Process, Still};
pub use service::{Service, demonstration, fixture};
pub use stage::Stage;
pub use wait::{Over, eventually};

use std::path::{Path, PathBuf};

/// Returns how many times as long a test is that repeats itself: 1, or more in a long run (`TEST_TIMES`).
#[must_use]
#[expect(clippy::disallowed_methods, reason = "a test takes no arguments")]
pub fn times() -> usize {
    std::env::var("TEST_TIMES").map_or(1, |times| times.parse().expect("a number"))
}

/// Returns the root of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
