//! Why publishing stopped.

use std::{io, path::PathBuf};

use findings::messages::{self, Text};
use render::RenderError;

/// Why publishing stopped. Unless a variant says otherwise, the build that was in force still is, unchanged.
#[derive(Debug)]
pub enum PublishError {
    /// A job failed to render.
    Render(RenderError),
    /// A disk operation failed; the text says which, where and why.
    Disk(Text),
    /// A disk operation failed when the new build was already in force.
    Untidy(Text),
    /// A disk operation failed while files were put back that an unfinished build had replaced. The previous build is
    /// in force, and files that are not at their places are in `.previous`: readers of its manifest find them there,
    /// other hosts do not look.
    Torn {
        /// Why the build ended, if it was this build.
        first: Option<Box<PublishError>>,
        /// What failed then.
        error: Text,
    },
    /// Something exists where a build would write, and no build wrote it.
    Foreign(PathBuf),
    /// Another process is publishing to the same folder.
    Busy(PathBuf),
    /// Two different answers claim the same path: a defect of the generator, since the checks look for this.
    Collision(String),
}

impl PublishError {
    /// Returns what makes an error of one of the system, in the `words` for a path and that error.
    pub(super) fn disk(
        words: fn(String, io::Error) -> Text,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Disk(words(path.display().to_string(), error))
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
    fn cause(&self) -> Text {
        match self {
            Self::Disk(error) => error.clone(),
            other => other.message(),
        }
    }

    /// Returns the reason in words.
    #[must_use]
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
