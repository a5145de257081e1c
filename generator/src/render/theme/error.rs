//! Faults in a templates folder.

use std::{fmt, io, path::PathBuf};

/// Why the templates folder cannot be used.
#[derive(Debug)]
pub enum ThemeError {
    /// A file or folder could not be read.
    Unreadable(PathBuf, io::Error),
    /// A file holds both sides of a git conflict, from this line on.
    Conflict(PathBuf, usize),
    /// A template or its use is wrong; the engine's own report names file, line and column.
    Template(Box<tera::Error>),
    /// A strings file is not TOML.
    Strings(PathBuf, Box<toml::de::Error>),
    /// A word is missing that the other locale has, or that a form needs.
    MissingWord(MissingWord),
    /// A word is not suitable for its purpose.
    Word {
        /// The file that contains it.
        file: PathBuf,
        /// The word's key.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The template of a form or message does not have the agreed slots.
    Slot {
        /// The template.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file in `assets/` has an extension that the service does not publish.
    UnknownAsset(PathBuf),
    /// A style sheet names a file that is not in `assets/`.
    DanglingUrl(DanglingUrl),
}

/// A word that one file has and the other lacks.
#[derive(Clone, Debug)]
pub struct MissingWord {
    /// The file without it.
    pub file: PathBuf,
    /// The word's key.
    pub key: String,
    /// What to do about it.
    pub remedy: String,
}

/// A file that a style sheet names and that does not exist.
#[derive(Debug)]
pub struct DanglingUrl {
    /// The style sheet and the line.
    pub place: String,
    /// What it names.
    pub url: String,
    /// The name that was probably meant, in the form that the style sheet would use.
    pub meant: Option<String>,
}

impl fmt::Display for ThemeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(out, "cannot read {}: {error}", path.display()),
            Self::Conflict(path, line) => {
                write!(out, "{}:{line}: git conflict: keep one side, and remove the marker lines", path.display())
            }
            Self::Template(error) => {
                // The engine's report begins with `error: `, as a program's does; here a program adds that itself.
                let report = error.to_string();
                out.write_str(report.strip_prefix("error: ").unwrap_or(&report))
            }
            Self::Strings(path, error) => write!(out, "{}: {error}", path.display()),
            Self::MissingWord(MissingWord { file, key, remedy }) => {
                write!(out, "{} has no `{key}`: {remedy}", file.display())
            }
            Self::Word { file, key, problem } => {
                write!(out, "{}: `{key}` is not usable: {problem}", file.display())
            }
            Self::Slot { file, problem } => write!(out, "{} {problem}", file.display()),
            Self::UnknownAsset(path) => {
                write!(out, "{} has an extension that is not published: remove it or rename it", path.display())
            }
            Self::DanglingUrl(DanglingUrl { place, url, meant }) => {
                write!(out, "{place} names `{url}`, which is not a file of the theme")?;
                meant.as_ref().map_or(Ok(()), |meant| write!(out, ": did you mean `{meant}`?"))
            }
        }
    }
}

impl std::error::Error for ThemeError {}

impl From<tera::Error> for ThemeError {
    fn from(error: tera::Error) -> Self {
        Self::Template(Box::new(error))
    }
}
