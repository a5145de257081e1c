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
mod outbox;
mod process;
mod service;
mod sidecars;
mod wait;

pub use agent::Agent;
pub use database::Database;
pub use firm::{
    BuiltFirm, NOW, SITE_URL, build, build_from, build_with, content_of, copy_folder, files_below, publishing,
    templates, try_build_from,
};
pub use http::{Connection, Reply, get, head, request, send};
pub use journal::{logged, process::ended, secrets, times};
pub use outbox::Outbox;
pub use process::{Frozen, Process};
pub use service::{Service, demonstration, fixture};
pub use sidecars::Sidecars;
pub use wait::{StopOnDrop, eventually};

use std::path::{Path, PathBuf};

/// Returns the root of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
