//! Why a build was refused, in one line with the remedy.

use std::{error::Error, fmt, io, path::PathBuf};

use contract::manifest::FORMAT;
use search::IndexError;

/// A build that is not served.
#[derive(Debug)]
pub enum DistError {
    /// There is no readable manifest.
    NoManifest {
        /// The setting that names the folder, as it is shown.
        setting: String,
        /// Where it was looked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The manifest is not JSON of the expected shape.
    Malformed(serde_json::Error),
    /// The manifest is of another format.
    Format(u32),
    /// A search index cannot be read.
    Index(IndexError),
    /// The manifest contradicts itself or asks for something that is not allowed.
    Unsound(String),
    /// A file is missing or holds other bytes than the manifest promises.
    Damaged {
        /// Path of the file below the folder.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The folder changed at each attempt to read it.
    Restless,
    /// The build is for another site than the configuration says.
    OtherSite {
        /// Origin in the manifest.
        built_for: String,
        /// Origin in the configuration or, where it names none, of the first build.
        configured: String,
        /// The setting that names it, as it is shown.
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
