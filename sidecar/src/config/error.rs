//! Why a configuration was refused, in one line that names the place and the remedy.

use std::{collections::BTreeMap, error::Error, fmt, path::PathBuf};

use super::names::NAMES;

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A line of the configuration file, from 1.
    Line(PathBuf, usize),
    /// The configuration file as a whole.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(path, line) => write!(out, "{}:{line}", path.display()),
            Self::File(path) => write!(out, "{}", path.display()),
            Self::Variable(name) => write!(out, "environment variable {name}"),
        }
    }
}

/// Where settings came from that are understood only where they are used, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<&'static str, Place>);

impl Places {
    /// Notes that the setting `key` came from `place`. Only a line is worth noting: a variable is found by its name.
    pub(super) fn note(&mut self, key: &'static str, place: &Place) {
        if let Place::Line(..) = place {
            self.0.insert(key, place.clone());
        }
    }

    /// Returns how a message about the setting `key` begins: with the line that it came from, or its variable.
    pub(crate) fn name(&self, key: &str) -> String {
        match self.0.get(key) {
            Some(place) => format!("{place}: `{key}`"),
            None => NAMES.iter().find(|name| name.key == key).map_or(key, |name| name.variable).to_owned(),
        }
    }
}

/// A configuration with which the sidecar refuses to start.
///
/// Security: never holds a setting's value, because a store's or a mail server's address carries a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    place: Place,
    problem: String,
}

impl ConfigError {
    pub(crate) fn new(place: Place, problem: impl Into<String>) -> Self {
        Self { place, problem: problem.into() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.problem)
    }
}

impl Error for ConfigError {}
