//! The library of all black-box tests: firms, built by the generator or synthetic; services, in this process or in
//! their own; and a client that can send anything.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    clippy::unwrap_used,
    reason = "this library serves tests only: a broken expectation ends the test that met it"
)]

mod agent;
mod database;
mod extent;
mod firm;
mod http;
pub mod mcp;
mod outbox;
mod process;
mod service;
mod sidecars;
mod synthetic;
mod wait;

pub use agent::{Agent, FORM, JSON};
pub use cluster::Signal;
pub use database::Database;
pub use extent::third;
pub use firm::{
    BuiltFirm, Firm, NOW, SITE_URL, build, build_for, build_from, build_with, build_with_editor, build_with_stale,
    built, content_of, copy_folder, files_below, is_search, publishing, templates, try_build_from,
};
pub use http::{Connection, Reply, get, read_some, request};
pub use journal::{logged, secrets, times};
pub use outbox::Outbox;
pub use process::{Frozen, Process, program, run_to_end};
pub use service::{Service, demonstration, fixture};
pub use sidecars::Sidecars;
pub use synthetic::{KEY, LIST_CACHE, SITE, SyntheticFirm, sha256};
pub use wait::{StopOnDrop, eventually};

use std::path::{Path, PathBuf};

/// Returns the root of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
