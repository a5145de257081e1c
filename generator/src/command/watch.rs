//! `generator watch`.

use std::{process::ExitCode, sync::mpsc, time::Duration};

use notify::{EventKind, RecursiveMode, Watcher as _};

use super::{build, fail, note};

/// How long nothing may change before a change counts as whole: editors and version control write several files.
const QUIET: Duration = Duration::from_millis(40);

/// Builds at every change until the process is ended. A build that fails says why and leaves the one before in force.
pub(crate) fn run(arguments: &build::Arguments) -> Result<(), ExitCode> {
    let (sender, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Opening and reading a file is an event too, and a build does nothing else.
        if event.as_ref().map_or(true, |event| !matches!(event.kind, EventKind::Access(_))) {
            drop(sender.send(event.map(drop)));
        }
    })
    .map_err(|error| fail(&error))?;
    let folders = [arguments.input.content(), &arguments.templates];
    for folder in folders {
        watcher
            .watch(folder, RecursiveMode::Recursive)
            .map_err(|error| fail(&format!("{} cannot be watched: {error}", folder.display())))?;
    }
    loop {
        // A failed build has told its findings; the next change may mend them.
        let _ = build::run(arguments);
        note(&format!("watching {} and {}; end with Ctrl-C", folders[0].display(), folders[1].display()));
        match changes.recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => note(&format!("warning: a change may have been missed: {error}")),
            Err(_) => return Err(fail(&"the system stopped telling about changes")),
        }
        while changes.recv_timeout(QUIET).is_ok() {}
    }
}
