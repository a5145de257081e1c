//! `generator watch`: builds after every change of a file, and when a scheduled change is due.

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

/// How long nothing must change before a change counts as complete: editors and git write several files.
const QUIET: Duration = Duration::from_millis(40);
/// The pause between attempts to watch a missing folder.
const PAUSE: Duration = Duration::from_millis(250);
/// How often to test whether a scheduled change is due and whether the folders are still the watched ones: a watch does
/// not report that a parent folder was moved.
const LOOK: Duration = Duration::from_secs(1);

/// Builds after every change until the process ends. A failed build prints the cause; the previous one stays active.
pub(crate) fn run(arguments: &build::Arguments) -> Result<(), ExitCode> {
    build::check_out_folder(arguments)?;
    let folders = [arguments.input.content(), arguments.input.templates_to_watch()];
    let mut watch = Watch::start(folders).map_err(|error| fail(&error))?;
    loop {
        // A failed build has reported its findings; the next change may fix them.
        let built = build::build(arguments, WhenBusy::Wait);
        // With `--now` no scheduled change becomes due.
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
        // A watch on a folder that was replaced does not report the new one. The next build reads changes that happen
        // before the new watch is in place.
        drop(watch);
        watch = Watch::restart(folders);
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
        // Events name files below the given path, which may contain hidden folders, or below the resolved one.
        let ways = folders.map(|folder| [path::absolute(folder), folder.canonicalize()]);
        let ways: Vec<PathBuf> = ways.into_iter().flatten().flatten().collect();
        let is_read = move |file: &PathBuf| {
            let below = ways.iter().find_map(|way| file.strip_prefix(way).ok());
            below.is_none_or(|below| !below.iter().any(is_hidden))
        };
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Ignore reads: a build itself reads the files.
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
    pub(super) fn restart(folders: [&'f Path; 2]) -> Self {
        let mut is_reported = false;
        loop {
            match Self::start(folders) {
                Ok(watch) => return watch,
                Err(error) if !is_reported => note(&messages::watch_delayed(error)),
                Err(_) => {}
            }
            is_reported = true;
            thread::sleep(PAUSE);
        }
    }

    /// Waits until nothing has changed for a while.
    pub(super) fn settle(&self, quiet: Duration) {
        while self.changes.recv_timeout(quiet).is_ok() {}
    }

    /// Returns whether the folders are still those of the start of the watch.
    pub(super) fn is_current(&self) -> bool {
        self.folders.map(identity) == self.identities
    }

    /// Waits for a change of a file, the replacement of a folder, or a scheduled change.
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

/// Returns whether a missing folder is no error: the default folder of templates. When it appears, its identity
/// changes.
fn may_lack(folder: &Path) -> bool {
    folder == Path::new(TEMPLATES) && !folder.is_dir()
}

/// Returns a handle that differs if another folder takes this one's place.
fn identity(folder: &Path) -> Option<Handle> {
    Handle::from_path(folder).ok()
}
