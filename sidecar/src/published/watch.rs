//! Detects a new manifest.
//!
//! The metadata of the manifest is read four times a second, which is one system call. Unlike notifications of the
//! kernel, that works on network file systems, bind mounts and after a rename of the whole folder.

use std::{
    fs,
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, SystemTime},
};

use contract::manifest::FILE_NAME;

/// Time between two checks of the manifest.
const INTERVAL: Duration = Duration::from_millis(250);
/// Number of checks after which an unusable build is retried: at first, and at most. The number doubles in between.
const FIRST_PAUSE: u32 = 4;
const LONGEST_PAUSE: u32 = 1024;

/// Identifies a manifest without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ManifestStamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl ManifestStamp {
    /// Returns the stamp of the manifest in `folder`, if there is one.
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

/// Why a build is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    Changed,
    /// A reload was requested.
    Requested,
    /// The build could not be used before.
    Retry,
}

/// Calls `look` whenever the manifest in `folder` differs from `seen`, and for each message of `nudges`; returns when
/// all senders of `nudges` are gone. `look` returns `false` if the build is to be retried.
///
/// An unusable build is retried at growing intervals: when a folder is copied into place, the manifest may arrive
/// before its files. A missing manifest is not a change: the build in force stays.
pub(crate) fn watch(
    folder: &Path,
    mut seen: Option<ManifestStamp>,
    nudges: &Receiver<()>,
    mut look: impl FnMut(Occasion) -> bool,
) {
    let mut pause = Pause::default();
    loop {
        let is_requested = match nudges.recv_timeout(INTERVAL) {
            // One reload serves all waiting requests.
            Ok(()) => {
                nudges.try_iter().for_each(drop);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // Taken before the build is read: a change during the reading is detected at the next check.
        let now = ManifestStamp::of(folder);
        let is_there = now.is_some();
        let occasion = match is_requested {
            true => Occasion::Requested,
            false if is_there && now != seen => Occasion::Changed,
            false if is_there && pause.is_over() => Occasion::Retry,
            false => continue,
        };
        seen = now;
        let is_settled = look(occasion);
        pause.begin(occasion, is_settled);
    }
}

/// Counts the checks until a build is retried.
#[derive(Debug, Default)]
struct Pause {
    left: Option<u32>,
    length: u32,
}

impl Pause {
    /// Counts a check, and returns whether the build is retried at this one.
    fn is_over(&mut self) -> bool {
        let Some(left) = &mut self.left else { return false };
        *left -= 1;
        *left == 0
    }

    /// Begins a pause after an attempt, longer after each failure.
    fn begin(&mut self, occasion: Occasion, is_settled: bool) {
        self.length = match occasion {
            Occasion::Retry => (self.length * 2).min(LONGEST_PAUSE),
            Occasion::Changed | Occasion::Requested => FIRST_PAUSE,
        };
        self.left = (!is_settled).then_some(self.length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_build_is_retried_at_growing_intervals() {
        let mut pause = Pause::default();
        assert!(!(0..10).any(|_| pause.is_over()), "nothing was wrong");
        pause.begin(Occasion::Changed, false);
        let mut looks_until = |is_settled| {
            let looks = (1..5000).find(|_| pause.is_over());
            pause.begin(Occasion::Retry, is_settled);
            looks
        };
        let tries: Vec<_> = (0..11).map(|at| looks_until(at == 10)).collect();
        let expected = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024].map(Some);
        assert_eq!(tries, expected);
        assert_eq!(looks_until(true), None, "it is in force");
    }
}
