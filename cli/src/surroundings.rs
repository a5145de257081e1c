//! What the tool learns from the machine it runs on.

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
    /// The environment. What is not UTF-8 in it is kept: a folder may have such a name.
    pub variables: BTreeMap<String, OsString>,
    /// The terminal that the data goes to; none when they are piped.
    pub screen: Option<Screen>,
    /// Whether a terminal shows what is not data.
    pub notes_on_screen: bool,
    /// Time and chance.
    pub clock: Box<dyn Clock>,
    /// Reads the standard input whole; only a command that was told to read it does.
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

/// Time and chance.
pub trait Clock {
    /// The time.
    fn now(&self) -> SystemTime;
    /// Waits.
    fn sleep(&self, time: Duration);
    /// A number below 1000, for spreading retries.
    fn chance(&self) -> u16;
}

/// Where the tool writes.
pub struct Out<'a> {
    /// What was asked for.
    pub data: &'a mut dyn Write,
    /// Errors and notes.
    pub notes: &'a mut dyn Write,
}

impl Surroundings {
    /// A variable that is set and not empty. What is not UTF-8 in it becomes a mark, so that a wrong value is found to
    /// be wrong, and does not count as none.
    pub(crate) fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.path(name).map(Path::to_string_lossy)
    }

    /// A variable that names a file or a folder.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.variables.get(name).filter(|value| !value.is_empty()).map(Path::new)
    }

    /// The folder of stored answers, as the platform wants it; none when the machine has no such place.
    pub(crate) fn cache(&self) -> Option<PathBuf> {
        self.folder(tool::CACHE_DIR, "LOCALAPPDATA", "Library/Caches", ("XDG_CACHE_HOME", ".cache"))
    }

    /// The folder of what is kept until it is thrown away: the keys that were obtained.
    pub(crate) fn configuration(&self) -> Option<PathBuf> {
        self.folder(tool::CONFIG_DIR, "APPDATA", "Library/Application Support", ("XDG_CONFIG_HOME", ".config"))
    }

    /// A path as a person writes it: from their home, where it is in there.
    pub(crate) fn told(&self, path: &Path) -> String {
        let home = self.path("HOME").filter(|home| home.is_absolute());
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => Path::new("~").join(rest).display().to_string(),
            None => path.display().to_string(),
        }
    }

    /// The folder that `own` names, from the current one if it does not begin at a root, or that of the platform: a
    /// variable on Windows, a folder of the home on macOS,
    /// a variable or a folder of the home elsewhere (XDG base directories).
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
