//! What is known of one file beside the texts.

use std::{
    fs::{self, Metadata},
    path::Path,
    time::SystemTime,
};

use markdown::Size;
use serde::{Deserialize, Serialize};

/// Smaller files are read in no time.
const MIN_BYTES: u64 = 1 << 20;
/// A picture or a document below the content folder.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// Fingerprint of the content; empty if there is a finding on the file.
    pub(crate) fingerprint: String,
    /// Width and height, if the file states them.
    pub(crate) size: Option<Size>,
    /// Whether it is a drawing with its own rule for dark mode.
    pub(crate) adapts: bool,
    /// Whether it is a picture that may hold more than its pixels.
    pub(crate) has_notes: bool,
    /// How a browser turns the picture, from 1 to 8.
    pub(crate) orientation: u8,
}

/// What the system says of a file: its length, when it was written, and when anything of it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    pub(super) modified: SystemTime,
    changed: i64,
}

impl Stamp {
    /// Returns that of a file which is worth noting.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(|found| found.is_file() && found.len() >= MIN_BYTES)?;
        Some(Self { bytes: found.len(), modified: found.modified().ok()?, changed: changed(&found) })
    }
}

#[cfg(unix)]
fn changed(found: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    found.ctime().wrapping_mul(1_000_000_000).wrapping_add(found.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> i64 {
    0
}
