//! What the tool learns from the machine that it runs on.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use contract::tool;

/// Everything outside the arguments that decides what the tool does.
pub struct Surroundings {
    /// The environment. Values that are not UTF-8 are kept: a folder may have such a name.
    pub variables: BTreeMap<String, OsString>,
    /// The terminal that the data goes to; none if the data is piped.
    pub screen: Option<Screen>,
    /// Whether output other than data goes to a terminal.
    pub notes_on_screen: bool,
    /// Clock and random numbers.
    pub clock: Box<dyn Clock>,
    /// Reads the whole standard input; only a command that was told to read it calls this.
    pub input: Box<dyn Fn() -> std::io::Result<Vec<u8>>>,
}

/// Size of a terminal, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Width.
    pub columns: usize,
    /// Height.
    pub rows: usize,
}

/// Clock and random numbers.
pub trait Clock {
    /// Returns the current time.
    fn now(&self) -> SystemTime;
    /// Waits.
    fn sleep(&self, time: Duration);
    /// Returns a number below 1000, for spreading retries.
    fn chance(&self) -> u16;
}

/// Where the tool writes.
pub struct Out<'a> {
    /// The requested data.
    pub data: &'a mut dyn Write,
    /// Errors and notes.
    pub notes: &'a mut dyn Write,
}

impl Surroundings {
    /// Returns a variable that is set and not empty. Anything that is not UTF-8 becomes a replacement mark, so that a
    /// wrong value is reported as wrong and not taken for an absent one.
    pub(crate) fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.path(name).map(Path::to_string_lossy)
    }

    /// Returns a variable that names a file or a folder.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.variables.get(name).filter(|value| !value.is_empty()).map(Path::new)
    }

    /// Returns the folder for stored answers on this platform; none if the machine has no such place.
    pub(crate) fn cache(&self) -> Option<PathBuf> {
        self.folder(tool::CACHE_DIR, "LOCALAPPDATA", "Library/Caches", ("XDG_CACHE_HOME", ".cache"))
    }

    /// Returns the folder for data that is kept until it is thrown away: the keys that were obtained.
    pub(crate) fn configuration(&self) -> Option<PathBuf> {
        self.folder(tool::CONFIG_DIR, "APPDATA", "Library/Application Support", ("XDG_CONFIG_HOME", ".config"))
    }

    /// Returns a path as a person writes it: relative to their home if it is in there.
    pub(crate) fn display_path(&self, path: &Path) -> String {
        let home = self.path("HOME").filter(|home| home.is_absolute());
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest).display().to_string(),
            None => path.display().to_string(),
        }
    }

    /// Returns the folder that the variable `own` names, relative to the current folder unless absolute; else the
    /// platform's: a variable on Windows, a folder of the home on macOS, a variable or a folder of the home elsewhere
    /// (XDG base directories).
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
