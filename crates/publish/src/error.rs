//! Errors of publishing.

use std::{io, path::PathBuf};

use findings::messages::{self, Text};
use render::RenderError;

/// Unless a variant documents otherwise, the previous build is still in force, unchanged.
#[derive(Debug)]
pub enum PublishError {
    Render(RenderError),
    /// A disk operation failed; the text names the operation, the path and the cause.
    Disk(Text),
    /// A disk operation failed after the new build was in force.
    Untidy(Text),
    /// A disk operation failed while replaced files were restored. The previous build is in force; missing files are in
    /// `.previous`, where readers of its manifest find them and other hosts do not.
    Torn {
        /// The error that ended the build, if it was this build.
        first: Option<Box<PublishError>>,
        /// The error of restoring.
        error: Text,
    },
    /// Something that no build wrote stands where a build would write.
    Foreign(PathBuf),
    /// Another process is publishing to the same folder.
    Busy(PathBuf),
    /// Two responses claim the same path: a defect of the generator, because the checks exclude it.
    Collision(String),
}

impl PublishError {
    /// Returns a function that turns an I/O error into a `Disk` error, with `words` for a path and that error.
    pub(super) fn disk(
        words: fn(String, io::Error) -> Text,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Disk(words(path.display().to_string(), error))
    }

    /// Marks the error as one after the new build was in force.
    pub(super) fn into_untidy(self) -> Self {
        match self {
            Self::Disk(error) => Self::Untidy(error),
            other => other,
        }
    }

    /// Marks the error as one of restoring the current build.
    pub(super) fn into_torn(self) -> Self {
        match self {
            Self::Disk(error) => Self::Torn { first: None, error },
            other => other,
        }
    }

    /// Adds `first`, the error that preceded this one, to the message.
    pub(super) fn with_first(self, first: Self) -> Self {
        match self {
            Self::Torn { error, .. } => Self::Torn { first: Some(Box::new(first)), error },
            other => other,
        }
    }

    /// Returns the cause, without the state of the current build.
    fn cause(&self) -> Text {
        match self {
            Self::Disk(error) => error.clone(),
            other => other.message(),
        }
    }

    pub fn message(&self) -> Text {
        match self {
            Self::Render(error) => error.message(),
            Self::Disk(error) => messages::build_left(error.clone()),
            Self::Untidy(error) => messages::build_untidy(error.clone()),
            Self::Torn { first: None, error } => messages::build_torn(error.clone()),
            Self::Torn { first: Some(first), error } => {
                messages::build_torn(messages::failed_twice(first.cause(), error.clone()))
            }
            Self::Foreign(path) => messages::build_in_the_way(path.display()),
            Self::Busy(path) => messages::folder_busy(path.display()),
            Self::Collision(path) => messages::path_taken(path),
        }
    }
}

impl From<RenderError> for PublishError {
    fn from(error: RenderError) -> Self {
        Self::Render(error)
    }
}
