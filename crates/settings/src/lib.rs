//! Reads settings from a TOML file and from variables. Errors name the place, the line and the nearest known name.

mod source;
mod syntax;

use std::{
    fmt, fs, io,
    ops::Range,
    path::{Path, PathBuf},
};

pub use self::{
    source::{Name, RawSettings, Setting, read_text},
    syntax::{RepeatedKey, parse_toml, repeated_key},
};

/// The prefix of all variables of the project.
pub const PREFIX: &str = "MECELLE_";

/// The source of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingPlace {
    /// A line of a file, from 1.
    Line(PathBuf, usize),
    File(PathBuf),
    Variable(String),
}

impl fmt::Display for SettingPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(path, line) => write!(out, "{}:{line}", path.display()),
            Self::File(path) => write!(out, "{}", path.display()),
            Self::Variable(name) => write!(out, "environment variable {name}"),
        }
    }
}

/// An unusable setting: one line with the place and the remedy.
///
/// Security: never holds the value of a setting, because the address of a store or a mail server holds a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ConfigError {
    place: SettingPlace,
    problem: String,
}

impl ConfigError {
    pub fn new(place: SettingPlace, problem: impl Into<String>) -> Self {
        Self { place, problem: problem.into() }
    }
}

/// Reads the PEM text of the file at `path`, which must hold at least one certificate.
pub fn certificates(path: &Path) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    if text.contains("-----BEGIN CERTIFICATE-----") { Ok(text) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Returns the line, from 1, on which `span` of `text` begins.
#[must_use]
pub fn line_of(text: &str, span: Range<usize>) -> usize {
    text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
}

/// Returns the name of `known` most similar to `unknown`, if any is similar. [`PREFIX`] is not compared.
pub fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let own = |name| str::strip_prefix(name, PREFIX).unwrap_or(name);
    known
        .map(|name| (strsim::jaro_winkler(own(unknown), own(name)), name))
        .filter(|(similarity, _)| *similarity > 0.7)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}

/// Returns the message for an unknown name, with the nearest known name.
#[must_use]
pub fn unknown(kind: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("unknown {kind}; did you mean `{near}`?"),
        None => format!("unknown {kind}; remove it"),
    }
}
