//! `generator watch`.

use std::{
    path::{self, Path, PathBuf},
    process::ExitCode,
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use generator::source::is_hidden;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{
    build::{self, WhenBusy},
    fail, note,
};

/// How long nothing may change before a change counts as whole: editors and version control write several files.
const QUIET: Duration = Duration::from_millis(40);
/// The pause before another look at a folder that is not there.
const PAUSE: Duration = Duration::from_millis(250);

/// Builds at every change until the process is ended. A build that fails says why and leaves the one before in force.
pub(crate) fn run(arguments: &build::Arguments) -> Result<(), ExitCode> {
    let folders = [arguments.input.content(), arguments.templates.as_path()];
    let mut watch = Watch::start(folders).map_err(|error| fail(&error))?;
    loop {
        // A failed build has told its findings; the next change may mend them.
        let _ = build::run(arguments, WhenBusy::Wait);
        note(&format!("watching {} and {}; end with Ctrl-C", folders[0].display(), folders[1].display()));
        match watch.changes.recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => note(&format!("warning: a change may have been missed: {error}")),
            Err(_) => return Err(fail(&"the system stopped telling about changes")),
        }
        while watch.changes.recv_timeout(QUIET).is_ok() {}
        // A folder that took the place of another one tells nothing to who watches that one. What changes until the new
        // watch stands is read by the build.
        drop(watch);
        watch = started(folders);
    }
}

/// A watch on folders that may be missing for a moment: they are being replaced.
fn started(folders: [&Path; 2]) -> Watch {
    let mut is_told = false;
    loop {
        match Watch::start(folders) {
            Ok(watch) => return watch,
            Err(error) if !is_told => note(&format!("warning: {error}; waiting for it")),
            Err(_) => {}
        }
        is_told = true;
        thread::sleep(PAUSE);
    }
}

/// What tells about changes below some folders.
struct Watch {
    changes: Receiver<notify::Result<()>>,
    /// Watches until it is dropped.
    _watcher: RecommendedWatcher,
}

impl Watch {
    fn start(folders: [&Path; 2]) -> Result<Self, String> {
        let (sender, changes) = mpsc::channel();
        // Events name files by the way to them, which may lead through hidden folders, or by where that ends.
        let ways = folders.map(|folder| [path::absolute(folder), folder.canonicalize()]);
        let ways: Vec<PathBuf> = ways.into_iter().flatten().flatten().collect();
        let is_read = move |file: &PathBuf| {
            let below = ways.iter().find_map(|way| file.strip_prefix(way).ok());
            below.is_none_or(|below| !below.iter().any(is_hidden))
        };
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Opening and reading a file is an event too, and a build does nothing else.
            let is_change = |event: &notify::Event| {
                let is_of_nobody = !event.paths.is_empty() && !event.paths.iter().any(&is_read);
                !matches!(event.kind, EventKind::Access(_)) && !is_of_nobody
            };
            if event.as_ref().map_or(true, is_change) {
                drop(sender.send(event.map(drop)));
            }
        })
        .map_err(|error| error.to_string())?;
        for folder in folders {
            watcher
                .watch(folder, RecursiveMode::Recursive)
                .map_err(|error| format!("{} cannot be watched: {error}", folder.display()))?;
        }
        Ok(Self { changes, _watcher: watcher })
    }
}
