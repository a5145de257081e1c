//! Facts about one picture or document.

use std::{
    fs::{self, Metadata},
    path::Path,
    time::SystemTime,
};

use markdown::Size;
use serde::{Deserialize, Serialize};

use crate::Undrawn;

/// The smallest file that is cached; smaller ones are quick to read.
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
    /// Why a drawing is left out of pictures that the build draws.
    pub(crate) undrawn: Option<Undrawn>,
    /// Whether it is a picture that may contain metadata.
    pub(crate) has_notes: bool,
    /// Exif orientation, from 1 to 8.
    pub(crate) orientation: u8,
}

/// Length, time of modification and time of the last status change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStamp {
    pub(super) bytes: u64,
    pub(super) modified: SystemTime,
    changed: i64,
}

impl FileStamp {
    /// Returns the stamp of a file that is large enough to be cached.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(|found| found.is_file() && found.len() >= MIN_BYTES)?;
        Some(Self { bytes: found.len(), modified: found.modified().ok()?, changed: change_time(&found) })
    }
}

#[cfg(unix)]
fn change_time(found: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    found.ctime().wrapping_mul(1_000_000_000).wrapping_add(found.ctime_nsec())
}

#[cfg(not(unix))]
fn change_time(_: &Metadata) -> i64 {
    0
}
