//! Errors of loading a build: one line each, with the remedy.

use std::{error::Error, fmt, io, path::PathBuf};

use contract::manifest::FORMAT;
use search::IndexError;

/// Why a build is rejected.
#[derive(Debug)]
pub enum DistError {
    /// There is no readable manifest.
    NoManifest {
        /// The setting of the folder, with its place.
        setting: String,
        path: PathBuf,
        source: io::Error,
    },
    /// The manifest is not JSON of the expected shape.
    Malformed(serde_json::Error),
    /// The manifest is of another format.
    Format(u32),
    /// A search index cannot be read.
    Index(IndexError),
    /// The manifest contradicts itself or contains something that is not allowed.
    Unsound(String),
    /// A file is missing or does not match the manifest.
    Damaged {
        /// Path below the folder of the build.
        file: String,
        problem: String,
    },
    /// The folder changed during each attempt to read it.
    Restless,
    /// The build is for another site than the configured one.
    OtherSite {
        /// Origin in the manifest.
        built_for: String,
        /// Origin in the configuration, or else that of the first build.
        configured: String,
        /// The setting of the origin, with its place.
        setting: String,
    },
}

impl fmt::Display for DistError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const BUILD: &str = "run `generator build`";
        const REPAIR: &str = "run `generator build --verify`";
        match self {
            Self::NoManifest { setting, path, source } => {
                let remedy = match source.kind() {
                    io::ErrorKind::PermissionDenied => "give the service's user access to the build",
                    _ => "run `generator build`, or name the folder of a build",
                };
                write!(out, "{setting}: {} cannot be read ({source}); {remedy}", path.display())
            }
            Self::Malformed(error) => write!(out, "the manifest of the build is damaged ({error}); {BUILD}"),
            Self::Format(found) => {
                write!(out, "the manifest has format {found}, but this sidecar reads format {FORMAT}; ")?;
                out.write_str("use a generator and a sidecar of the same release")
            }
            Self::Index(error @ IndexError::Version(_)) => {
                write!(out, "another version of the generator wrote the search index of the build ({error}); ")?;
                out.write_str("build it again with the `generator` of this sidecar's release")
            }
            Self::Index(error) => write!(out, "the search index of the build cannot be used ({error}); {BUILD}"),
            Self::Unsound(problem) => write!(out, "the manifest of the build is invalid: {problem}; {BUILD}"),
            Self::Damaged { file, problem } => {
                write!(out, "file {file:?} of the build {problem}; {REPAIR}")
            }
            Self::Restless => out.write_str("the build was replaced repeatedly while it was being read; try again"),
            Self::OtherSite { built_for, configured, setting } => {
                write!(out, "the build is for {built_for}, but this service is for {configured}; ")?;
                write!(out, "run `generator build --site-url {configured}`, or restart the service for the other ")?;
                write!(out, "origin (with {setting} set to it, or not set at all)")
            }
        }
    }
}

impl Error for DistError {}
