//! Why publishing stopped.

use std::{fmt, io, path::PathBuf};

use crate::render::RenderError;

/// Why publishing stopped. Unless a variant says otherwise, the build that was in force still is, unchanged.
#[derive(Debug)]
pub enum PublishError {
    /// A job failed to render.
    Render(RenderError),
    /// A disk operation failed.
    Disk(DiskError),
    /// A disk operation failed when the new build was already in force.
    Untidy(DiskError),
    /// A disk operation failed while files were put back that an unfinished build had replaced. The previous build is
    /// in force, and files that are not at their places are in `.previous`: readers of its manifest find them there,
    /// other hosts do not look.
    Torn {
        /// Why the build ended, if it was this build.
        first: Option<Box<PublishError>>,
        /// What failed then.
        error: DiskError,
    },
    /// Something exists where a build would write, and no build wrote it.
    Foreign(PathBuf),
    /// Another process is publishing to the same folder.
    Busy(PathBuf),
    /// Two different answers claim the same path: a defect of the generator, since the checks look for this.
    Collision(String),
}

/// A disk operation that failed.
#[derive(Debug)]
pub struct DiskError {
    action: &'static str,
    path: PathBuf,
    error: io::Error,
}

impl fmt::Display for DiskError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "cannot {} {}: {}", self.action, self.path.display(), self.error)
    }
}

impl PublishError {
    pub(super) fn disk(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Disk(DiskError { action, path, error })
    }

    /// Turns the error into one that happened when the new build was in force.
    pub(super) fn after_the_change(self) -> Self {
        match self {
            Self::Disk(error) => Self::Untidy(error),
            other => other,
        }
    }

    /// Turns the error into one that happened while the build in force was put back.
    pub(super) fn torn(self) -> Self {
        match self {
            Self::Disk(error) => Self::Torn { first: None, error },
            other => other,
        }
    }

    /// Puts `first`, the error that led to this one, before it in the message.
    pub(super) fn behind(self, first: Self) -> Self {
        match self {
            Self::Torn { error, .. } => Self::Torn { first: Some(Box::new(first)), error },
            other => other,
        }
    }

    /// Describes what happened, without what became of the build in force.
    fn cause(&self) -> String {
        match self {
            Self::Disk(error) => error.to_string(),
            other => other.to_string(),
        }
    }
}

impl From<RenderError> for PublishError {
    fn from(error: RenderError) -> Self {
        Self::Render(error)
    }
}

impl fmt::Display for PublishError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Render(error) => error.fmt(out),
            Self::Disk(error) => write!(out, "{error}; the build in force was left as it is"),
            Self::Untidy(error) => {
                write!(out, "the new build is in force, but {error}; build again when this is possible")
            }
            Self::Torn { first, error } => {
                if let Some(first) = first {
                    write!(out, "{}; then ", first.cause())?;
                }
                write!(out, "{error}; the folder contains files of two builds: build again when this is possible")
            }
            Self::Foreign(path) => {
                write!(
                    out,
                    "{} belongs to no build that this version can read, and would be replaced: choose another --out, or \
                     empty the folder if nobody needs its contents",
                    path.display()
                )
            }
            Self::Busy(path) => {
                write!(
                    out,
                    "another build is writing to {}: wait for it to end, or choose another --out",
                    path.display()
                )
            }
            Self::Collision(path) => write!(out, "two answers need the path {path}: rename one of the entries"),
        }
    }
}

impl std::error::Error for PublishError {}
