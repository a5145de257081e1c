//! Why an operator's task was not done, in one line with the remedy.

use std::{error::Error, fmt, io, path::PathBuf};

use registration::store::{FileErrorKind, OpenError, StoreError, StoreFailure};

use crate::ServicesError;

/// Why a task was not done.
#[derive(Debug)]
pub(crate) enum TaskError {
    Services(ServicesError),
    /// The store did not answer. What it was asked for may have been done in part, and can be asked for again.
    Store,
    /// The same, because of this, which the operator has to correct first.
    Fails(String),
    /// This machine's clock does not agree with that of the database.
    Clock,
    /// The text is not an e-mail address.
    Email,
    /// There is no registration or issuer of this name; one of these names resembles it.
    Unknown(&'static str, Option<String>),
    /// The task is for a store in a file; the other kind of store has tools of its own.
    NotAFile,
    /// There is no such file. An operator who ends or erases something there means another one.
    NoStore(PathBuf),
    /// A service, or another command, has the store open.
    InUse,
    /// What is to be restored in the store's place is the store itself.
    Itself,
    /// A copy has, or would have, the name under which a restore prepares what it puts in place.
    Draft(PathBuf),
    /// There is already a file where the copy is to be.
    Taken(PathBuf),
    /// There is a folder where the copy is to be.
    Folder(PathBuf),
    /// The copy would be in the folder of the build.
    Published(PathBuf),
    /// Another command is writing the same copy.
    Copying(PathBuf),
    /// The store was not copied to this place.
    Uncopied {
        store: PathBuf,
        copy: PathBuf,
        fault: FileErrorKind,
    },
    /// What is to be restored in the store's place is not a whole copy of a store.
    Damaged(PathBuf),
    /// The store that is to be replaced exists, but cannot be read for now.
    Unread(OpenError),
    /// A file is in the way, is missing, or cannot be written.
    File(PathBuf, io::Error),
}

impl fmt::Display for TaskError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Services(error) => error.fmt(out),
            Self::Store => out.write_str("the store did not answer; run the command again"),
            Self::Fails(reason) => write!(
                out,
                "the store fails: {reason}; what was asked for may have been done in part, so correct this and run the \
                 command again"
            ),
            Self::Clock => out.write_str(
                "the clock of this machine differs from that of the database, and nothing is deleted by a wrong \
                 clock; correct it",
            ),
            Self::Email => out.write_str("this is not an e-mail address"),
            Self::Unknown(what, Some(near)) => write!(out, "unknown {what}; did you mean `{near}`?"),
            Self::Unknown(what, None) => {
                write!(
                    out,
                    "unknown {what}; check its name, and that the settings are the service's (--config, or MECELLE_ variables)"
                )
            }
            Self::NotAFile => out.write_str(
                "this command is for a store in a file; use pg_dump and pg_restore, then `sidecar revoke --all` so \
                 that nothing revoked comes back",
            ),
            Self::NoStore(path) => {
                write!(
                    out,
                    "{}: there is no store here; name the settings with --config, or the store in MECELLE_STORE",
                    path.display()
                )
            }
            Self::InUse => out.write_str("a service has the store open; stop it first, and start it afterwards"),
            Self::Itself => out.write_str("this is the store itself; name a copy that `sidecar backup` made"),
            Self::Draft(path) => {
                write!(out, "{}: a restore overwrites the file of this name; give the copy another one", path.display())
            }
            Self::Taken(path) => {
                write!(out, "{}: a file of this name exists; give each copy a name of its own", path.display())
            }
            Self::Folder(path) => write!(out, "{}: this is a folder; name a file in it", path.display()),
            Self::Published(path) => write!(
                out,
                "{}: this is inside the build, which is published, and a copy contains addresses; name a place outside \
                 it",
                path.display()
            ),
            Self::Copying(path) => write!(out, "{}: another command is writing this copy", path.display()),
            Self::Uncopied { store, copy, fault } => {
                write!(out, "{}: {fault}; nothing was copied to {}", store.display(), copy.display())
            }
            Self::Damaged(path) => {
                write!(out, "{}: this is not a complete copy of a store; nothing was changed", path.display())
            }
            Self::Unread(error) => write!(
                out,
                "the store cannot be read: {error}; nothing was changed. Without a store to compare with, a copy is put in place and everything \
                 in it is revoked: to do that, move the present store away"
            ),
            Self::File(path, error) => write!(out, "{}: {error}", path.display()),
        }
    }
}

impl Error for TaskError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Services(error) => Some(error),
            Self::Unread(error) => Some(error),
            Self::File(_, error) => Some(error),
            _ => None,
        }
    }
}

impl From<ServicesError> for TaskError {
    fn from(error: ServicesError) -> Self {
        Self::Services(error)
    }
}

impl From<StoreError> for TaskError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Down(StoreFailure::Failed(reason)) => Self::Fails(reason),
            StoreError::Down(StoreFailure::Late(_) | StoreFailure::Unusable) | StoreError::Conflict(_) => Self::Store,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_that_fails_is_told_with_the_reason() {
        let failed = StoreError::Down(StoreFailure::Failed("the disk is full".to_owned()));
        let told = TaskError::from(failed).to_string();
        assert!(told.contains("the disk is full") && told.contains("correct this"), "{told}");
        let late = StoreError::Down(StoreFailure::Late("no connection in time".to_owned()));
        assert!(TaskError::from(late).to_string().contains("did not answer"));
    }
}
