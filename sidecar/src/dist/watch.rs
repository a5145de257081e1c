//! Notices that the manifest was replaced.
//!
//! The manifest's metadata is looked at four times a second. That is one system call on one file, it works the same
//! on local disks, network file systems, bind mounts and after a rename of the whole folder, where notifications of
//! the kernel get lost; and it costs less than the library that would wrap them.

use std::{
    fs,
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, SystemTime},
};

use contract::manifest::FILE_NAME;

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(250);

/// What tells one manifest from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl Stamp {
    /// The stamp of the manifest in `folder`, or `None` where there is none.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let metadata = fs::metadata(folder.join(FILE_NAME)).ok()?;
        Some(Self { modified: metadata.modified().ok(), length: metadata.len(), inode: inode(&metadata) })
    }
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

/// Calls `changed` whenever the manifest in `folder` is no longer the one of `seen`, and whenever `nudges` brings a
/// message; returns when all senders of `nudges` are gone.
///
/// A manifest that `changed` could not use is not tried again until it changes once more or a nudge comes.
/// A manifest that vanished is no change: the build in force stays.
pub(crate) fn watch(folder: &Path, mut seen: Option<Stamp>, nudges: &Receiver<()>, mut changed: impl FnMut()) {
    loop {
        let asked = match nudges.recv_timeout(INTERVAL) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // Taken before the build is read: a change during the reading is seen at the next look.
        let now = Stamp::of(folder);
        if asked || (now.is_some() && now != seen) {
            seen = now;
            changed();
        }
    }
}
