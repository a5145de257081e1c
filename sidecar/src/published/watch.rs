//! Notices that the manifest was replaced.
//!
//! The manifest's metadata is checked four times a second. That is one system call on one file. It works the same on
//! local disks, network file systems, bind mounts and after a rename of the whole folder, where notifications of the
//! kernel get lost; and it costs less than the library that would wrap them.

use std::{
    fs,
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, SystemTime},
};

use contract::manifest::FILE_NAME;

/// Time between two looks at the manifest.
const INTERVAL: Duration = Duration::from_millis(250);
/// Number of looks after which an unusable build is tried again: at first, and at most. It doubles in between.
const FIRST_PAUSE: u32 = 4;
const LONGEST_PAUSE: u32 = 1024;

/// Tells one manifest from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ManifestStamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl ManifestStamp {
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

/// Why a build is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// There is another manifest.
    Changed,
    /// Somebody asked.
    Asked,
    /// It could not be used before, and may be whole by now.
    Again,
}

/// Calls `look` whenever the manifest in `folder` is no longer the one of `seen`, and whenever `nudges` brings a
/// message; returns when all senders of `nudges` are gone. `look` returns whether the build need not be tried again.
///
/// A build that could not be used is tried again, at growing intervals: when a folder is copied into place, the
/// manifest may arrive before the files that it names. A manifest that vanished is not a change: the build in force
/// stays.
pub(crate) fn watch(
    folder: &Path,
    mut seen: Option<ManifestStamp>,
    nudges: &Receiver<()>,
    mut look: impl FnMut(Occasion) -> bool,
) {
    let mut pause = Pause::default();
    loop {
        let asked = match nudges.recv_timeout(INTERVAL) {
            // One look is the answer to all that have come until now.
            Ok(()) => {
                nudges.try_iter().for_each(drop);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // Taken before the build is read: a change during the reading is seen at the next look.
        let now = ManifestStamp::of(folder);
        let is_there = now.is_some();
        let occasion = match asked {
            true => Occasion::Asked,
            false if is_there && now != seen => Occasion::Changed,
            false if is_there && pause.is_over() => Occasion::Again,
            false => continue,
        };
        seen = now;
        let is_settled = look(occasion);
        pause.begin(occasion, is_settled);
    }
}

/// Number of looks left until a build is tried again.
#[derive(Debug, Default)]
struct Pause {
    left: Option<u32>,
    length: u32,
}

impl Pause {
    /// Counts a look, and returns whether the build is tried again at this one.
    fn is_over(&mut self) -> bool {
        let Some(left) = &mut self.left else { return false };
        *left -= 1;
        *left == 0
    }

    /// Begins a pause after a look at a build: the more often it could not be used, the longer the pause.
    fn begin(&mut self, occasion: Occasion, is_settled: bool) {
        self.length = match occasion {
            Occasion::Again => (self.length * 2).min(LONGEST_PAUSE),
            Occasion::Changed | Occasion::Asked => FIRST_PAUSE,
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
            pause.begin(Occasion::Again, is_settled);
            looks
        };
        let tries: Vec<_> = (0..11).map(|at| looks_until(at == 10)).collect();
        let expected = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024].map(Some);
        assert_eq!(tries, expected);
        assert_eq!(looks_until(true), None, "it is in force");
    }
}
