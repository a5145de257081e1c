//! Errors of the operator's commands: one line each, with the remedy.

use std::{error::Error, fmt, io, path::PathBuf};

use registration::store::{FileErrorKind, OpenError, StoreError, StoreFailure};

use crate::ServicesError;

#[derive(Debug)]
pub(crate) enum TaskError {
    Services(ServicesError),
    /// The store did not answer; the task may be done in part and can be repeated.
    Store,
    /// The store fails for this reason, which the operator has to correct first.
    Fails(String),
    /// The clocks of this machine and of the database differ.
    Clock,
    Email,
    /// Unknown registration, issuer or subject; and the most similar known name.
    Unknown(&'static str, Option<String>),
    /// The task is only for a store in a file.
    NotAFile,
    /// The file of the store does not exist; the operator means another one.
    NoStore(PathBuf),
    /// A service, or another command, has the store open.
    InUse,
    /// The copy to restore is the store itself.
    Itself,
    /// A copy has, or would have, the name of a restore's draft.
    Draft(PathBuf),
    /// The target of a backup exists.
    Taken(PathBuf),
    /// The target of a backup is a folder.
    Folder(PathBuf),
    /// The target of a backup is inside the build.
    Published(PathBuf),
    /// Another command is writing the same copy.
    Copying(PathBuf),
    Uncopied {
        store: PathBuf,
        copy: PathBuf,
        fault: FileErrorKind,
    },
    /// The file to restore is not a complete copy of a store.
    Damaged(PathBuf),
    /// The store to replace exists, but cannot be read now.
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
                "the store fails: {reason}; the command may have been carried out in part: correct this and run it again"
            ),
            Self::Clock => out.write_str(
                "the clock of this machine differs from that of the database, so nothing was deleted; correct the \
                 clock that is wrong",
            ),
            Self::Email => out.write_str("expected an e-mail address such as name@firm.example"),
            Self::Unknown(what, Some(near)) => write!(out, "unknown {what}; did you mean `{near}`?"),
            Self::Unknown(what, None) => {
                write!(
                    out,
                    "unknown {what}; check the name, and that the command has the settings of the service (--config or MECELLE_ variables)"
                )
            }
            Self::NotAFile => out.write_str(
                "this command needs a store in a file; on PostgreSQL use pg_dump and pg_restore, then `sidecar revoke \
                 --all`, so that no revoked credential comes back",
            ),
            Self::NoStore(path) => {
                write!(
                    out,
                    "{}: no such store; name the settings file with --config, or the store in MECELLE_STORE",
                    path.display()
                )
            }
            Self::InUse => out.write_str("a service has the store open; stop it first and start it afterwards"),
            Self::Itself => out.write_str("this is the store itself; name a copy made by `sidecar backup`"),
            Self::Draft(path) => {
                write!(
                    out,
                    "{}: a restore overwrites the file of this name; choose another name for the copy",
                    path.display()
                )
            }
            Self::Taken(path) => {
                write!(out, "{}: the file exists; choose another name for the copy", path.display())
            }
            Self::Folder(path) => write!(out, "{}: this is a folder; name a file in it", path.display()),
            Self::Published(path) => write!(
                out,
                "{}: this path is inside the build, which is published, and a copy contains addresses; choose a path \
                 outside it",
                path.display()
            ),
            Self::Copying(path) => write!(out, "{}: another command is writing this copy", path.display()),
            Self::Uncopied { store, copy, fault } => {
                write!(out, "{}: {fault}; nothing was copied to {}", store.display(), copy.display())
            }
            Self::Damaged(path) => {
                write!(out, "{}: not a complete copy of a store; nothing was changed", path.display())
            }
            Self::Unread(error) => write!(
                out,
                "the store cannot be read: {error}; nothing was changed. To restore the copy without it, move the store \
                 away: every registration in the copy is then revoked"
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
    fn failing_store_is_reported_with_the_reason() {
        let failed = StoreError::Down(StoreFailure::Failed("the disk is full".to_owned()));
        let text = TaskError::from(failed).to_string();
        assert!(text.contains("the disk is full") && text.contains("correct this"), "{text}");
        let late = StoreError::Down(StoreFailure::Late("no connection in time".to_owned()));
        assert!(TaskError::from(late).to_string().contains("did not answer"));
    }
}
