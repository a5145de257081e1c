//! Everything that the tool reads from the machine.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use contract::tool;

/// The inputs of a run besides its arguments.
pub struct Surroundings {
    /// The environment, also with values that are not UTF-8, since a folder may have such a name.
    pub variables: BTreeMap<String, OsString>,
    /// The terminal of the data; `None` in a pipe.
    pub screen: Option<Screen>,
    /// Notes go to a terminal.
    pub notes_on_screen: bool,
    /// Clock and random numbers.
    pub clock: Box<dyn ToolClock>,
    /// Reads standard input to its end.
    pub input: Box<dyn Fn() -> std::io::Result<Vec<u8>>>,
}

/// Size of a terminal, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    pub columns: usize,
    pub rows: usize,
}

/// Clock and random numbers.
pub trait ToolClock {
    fn now(&self) -> SystemTime;
    fn sleep(&self, time: Duration);
    /// Returns a random number below 1000, which spreads retries.
    fn chance(&self) -> u16;
}

pub struct Out<'a> {
    /// The requested data.
    pub data: &'a mut dyn Write,
    /// Errors and notes.
    pub notes: &'a mut dyn Write,
}

impl Surroundings {
    /// Returns a variable that is set and not empty. Invalid UTF-8 is replaced, so that the value is reported as
    /// invalid and not as absent.
    pub(crate) fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.path(name).map(Path::to_string_lossy)
    }

    /// Returns a variable that names a file or a folder.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.variables.get(name).filter(|value| !value.is_empty()).map(Path::new)
    }

    /// Returns the folder of the cache; `None` without a home.
    pub(crate) fn cache(&self) -> Option<PathBuf> {
        self.folder(tool::CACHE_DIR, "LOCALAPPDATA", "Library/Caches", ("XDG_CACHE_HOME", ".cache"))
    }

    /// Returns the folder of the kept keys; `None` without a home.
    pub(crate) fn configuration(&self) -> Option<PathBuf> {
        self.folder(tool::CONFIG_DIR, "APPDATA", "Library/Application Support", ("XDG_CONFIG_HOME", ".config"))
    }

    /// Returns a path for display, with `~` for the home.
    pub(crate) fn display_path(&self, path: &Path) -> String {
        let home = self.path("HOME").filter(|home| home.is_absolute());
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest).display().to_string(),
            None => path.display().to_string(),
        }
    }

    /// Returns the folder of the variable `own`, which may be relative; otherwise the platform's: a variable on
    /// Windows, a folder of the home on macOS, elsewhere the XDG base directories.
    fn folder(&self, own: &str, windows: &str, mac: &str, (variable, elsewhere): (&str, &str)) -> Option<PathBuf> {
        if let Some(folder) = self.path(own) {
            return Some(folder.to_owned());
        }
        let absolute = |name| self.path(name).filter(|path| path.is_absolute());
        let platform = if cfg!(windows) {
            absolute(windows).map(Path::to_owned)
        } else if cfg!(target_os = "macos") {
            absolute("HOME").map(|home| home.join(mac))
        } else {
            let home = || absolute("HOME").map(|home| home.join(elsewhere));
            absolute(variable).map(Path::to_owned).or_else(home)
        };
        platform.map(|folder| folder.join("mecelle"))
    }
}
