//! Errors of loading a build: one line each, with the remedy.

use std::{io, path::PathBuf};

use contract::manifest::FORMAT;
use search::IndexError;

/// Why a build is rejected.
#[derive(Debug, thiserror::Error)]
pub enum DistError {
    #[error("{setting}: {path} cannot be read ({source}); {}", remedy(.source))]
    NoManifest {
        /// The setting of the folder, with its place.
        setting: String,
        path: PathBuf,
        source: io::Error,
    },
    #[error("the manifest of the build is damaged ({0}); run `generator build`")]
    Malformed(serde_json::Error),
    #[error(
        "the manifest has format {0}, but this sidecar reads format {FORMAT}; use a generator and a sidecar of the same \
         release"
    )]
    Format(u32),
    #[error("{}", describe_index(*.0))]
    Index(IndexError),
    /// The manifest contradicts itself or contains something that is not allowed.
    #[error("the manifest of the build is invalid: {0}; run `generator build`")]
    Unsound(String),
    /// A file is missing or does not match the manifest.
    #[error("file {file:?} of the build {problem}; run `generator build --verify`")]
    Damaged {
        /// Path below the folder of the build.
        file: String,
        problem: String,
    },
    #[error("the build was replaced repeatedly while it was being read; try again")]
    Restless,
    #[error(
        "the build is for {built_for}, but this service is for {configured}; run `generator build --site-url \
         {configured}`, or restart the service for the other origin (with {setting} set to it, or not set at all)"
    )]
    OtherSite {
        /// Origin in the manifest.
        built_for: String,
        /// Origin in the configuration, or else that of the first build.
        configured: String,
        /// The setting of the origin, with its place.
        setting: String,
    },
}

fn describe_index(error: IndexError) -> String {
    match error {
        IndexError::Version(_) => format!(
            "another version of the generator wrote the search index of the build ({error}); build it again with the \
             `generator` of this sidecar's release"
        ),
        _ => format!("the search index of the build cannot be used ({error}); run `generator build`"),
    }
}

fn remedy(problem: &io::Error) -> &'static str {
    match problem.kind() {
        io::ErrorKind::PermissionDenied => "give the service's user access to the build",
        _ => "run `generator build`, or name the folder of a build",
    }
}
