//! `generator watch`: builds at every change, be it of a file or one that is scheduled.

use std::{
    path::{self, Path, PathBuf},
    process::ExitCode,
    sync::mpsc::{self, Receiver, RecvError, RecvTimeoutError},
    thread,
    time::Duration,
};

use content::is_hidden;
use findings::messages::{self, Text};
use jiff::Timestamp;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use same_file::Handle;

use super::{
    TEMPLATES,
    build::{self, WhenBusy},
    fail, note,
};

/// How long nothing may change before a change counts as complete: editors and version control write several files.
const QUIET: Duration = Duration::from_millis(40);
/// The pause before looking again for a missing folder.
const PAUSE: Duration = Duration::from_millis(250);
/// How often to look whether a scheduled change is due, and whether the folders are still the watched ones: a watch on
/// a folder does not report that a folder around it was moved.
const LOOK: Duration = Duration::from_secs(1);

/// Builds at every change until the process is ended. A failed build says why and leaves the previous one in force.
pub(crate) fn run(arguments: &build::Arguments) -> Result<(), ExitCode> {
    build::writes_beside(arguments)?;
    let folders = [arguments.input.content(), arguments.input.templates_to_watch()];
    let mut watch = Watch::start(folders).map_err(|error| fail(&error))?;
    loop {
        // A failed build has reported its findings; the next change may fix them.
        let built = build::build(arguments, WhenBusy::Wait);
        // With `--now` the moment is always the same.
        let next = built.ok().and_then(|loaded| loaded.site.next_change).filter(|_| arguments.input.now.is_none());
        let watched = folders.into_iter().filter(|it| !may_lack(it)).map(|it| Text::verbatim(it.display()));
        let watched = watched.reduce(messages::two_folders).unwrap_or_default();
        note(&match next {
            Some(moment) => messages::watching_until_due(watched, moment),
            None => messages::watching(watched),
        });
        match watch.wait(|| next.is_some_and(|moment: Timestamp| moment <= arguments.input.moment())) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => note(&messages::change_perhaps_missed(error)),
            Err(_) => return Err(fail(&messages::changes_not_reported())),
        }
        watch.settle(QUIET);
        // If one folder replaced another, a watch on the old one reports nothing about the new one. The build reads
        // whatever changes until the new watch is in place.
        drop(watch);
        watch = Watch::restarted(folders);
    }
}

/// A watch for changes below some folders.
pub(super) struct Watch<'f> {
    folders: [&'f Path; 2],
    /// The identities of the folders when the watch began.
    identities: [Option<Handle>; 2],
    changes: Receiver<notify::Result<()>>,
    /// Watches until it is dropped.
    _watcher: RecommendedWatcher,
}

impl<'f> Watch<'f> {
    pub(super) fn start(folders: [&'f Path; 2]) -> Result<Self, Text> {
        let identities = folders.map(identity);
        let (sender, changes) = mpsc::channel();
        // Events name files by the given path, which may lead through hidden folders, or by the resolved one.
        let ways = folders.map(|folder| [path::absolute(folder), folder.canonicalize()]);
        let ways: Vec<PathBuf> = ways.into_iter().flatten().flatten().collect();
        let is_read = move |file: &PathBuf| {
            let below = ways.iter().find_map(|way| file.strip_prefix(way).ok());
            below.is_none_or(|below| !below.iter().any(is_hidden))
        };
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Opening and reading a file is an event too, and those are all that a build does there.
            let is_change = |event: &notify::Event| {
                let is_ignored = !event.paths.is_empty() && !event.paths.iter().any(&is_read);
                !matches!(event.kind, EventKind::Access(_)) && !is_ignored
            };
            if event.as_ref().map_or(true, is_change) {
                drop(sender.send(event.map(drop)));
            }
        })
        .map_err(Text::verbatim)?;
        for folder in folders.into_iter().filter(|folder| !may_lack(folder)) {
            watcher
                .watch(folder, RecursiveMode::Recursive)
                .map_err(|error| messages::folder_not_watchable(folder.display(), error))?;
        }
        Ok(Self { folders, identities, changes, _watcher: watcher })
    }

    /// Watches folders that may be missing for a moment while they are being replaced.
    pub(super) fn restarted(folders: [&'f Path; 2]) -> Self {
        let mut is_told = false;
        loop {
            match Self::start(folders) {
                Ok(watch) => return watch,
                Err(error) if !is_told => note(&messages::watch_delayed(error)),
                Err(_) => {}
            }
            is_told = true;
            thread::sleep(PAUSE);
        }
    }

    /// Waits until nothing has changed for a while.
    pub(super) fn settle(&self, quiet: Duration) {
        while self.changes.recv_timeout(quiet).is_ok() {}
    }

    /// Returns whether the folders are still the ones that were there when the watch began.
    pub(super) fn is_current(&self) -> bool {
        self.folders.map(identity) == self.identities
    }

    /// Waits for a change; the replacement of a folder counts as one, and so does one that is due.
    pub(super) fn wait(&self, is_due: impl Fn() -> bool) -> Result<notify::Result<()>, RecvError> {
        loop {
            match self.changes.recv_timeout(LOOK) {
                Ok(change) => return Ok(change),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
                Err(RecvTimeoutError::Timeout) => {
                    if is_due() || !self.is_current() {
                        return Ok(Ok(()));
                    }
                }
            }
        }
    }
}

/// Whether a folder is not there and need not be: the theme is built in. When it appears, its identity changes.
fn may_lack(folder: &Path) -> bool {
    folder == Path::new(TEMPLATES) && !folder.is_dir()
}

/// Returns what distinguishes a folder from another that takes its place, if it exists.
fn identity(folder: &Path) -> Option<Handle> {
    Handle::from_path(folder).ok()
}
