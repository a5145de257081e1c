//! Errors of the operator's commands: one line each, with the remedy.

use std::{io, path::PathBuf};

use registration::store::{FileErrorKind, OpenError, StoreError, StoreFailure};

use crate::ServicesError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    #[error(transparent)]
    Services(#[from] ServicesError),
    /// The task may be done in part and can be repeated.
    #[error("the store did not answer; run the command again")]
    Store,
    #[error("the store fails: {0}; the command may have been carried out in part: correct this and run it again")]
    Fails(String),
    #[error("{0}; correct the clock that is wrong")]
    Clock(String),
    #[error("expected an e-mail address such as name@firm.example")]
    Email,
    /// A registration, an issuer or a subject, similar to a known name.
    #[error("unknown {0}; did you mean `{1}`?")]
    Misspelt(&'static str, String),
    #[error(
        "unknown {0}; check the name, and that the command has the settings of the service (--config or MECELLE_ variables)"
    )]
    Unknown(&'static str),
    #[error(
        "this command needs a store in a file; on PostgreSQL use pg_dump and pg_restore, then `sidecar revoke --all`, so \
         that no revoked credential comes back"
    )]
    NotAFile,
    #[error("{0}: no such store; name the settings file with --config, or the store in MECELLE_STORE")]
    NoStore(PathBuf),
    /// A service, or another command, has the store open.
    #[error("a service has the store open; stop it first and start it afterwards")]
    InUse,
    #[error("this is the store itself; name a copy made by `sidecar backup`")]
    Itself,
    #[error("{0}: a restore overwrites the file of this name; choose another name for the copy")]
    Draft(PathBuf),
    #[error("{0}: the file exists; choose another name for the copy")]
    Taken(PathBuf),
    #[error("{0}: this is a folder; name a file in it, or say with --keep how many copies to keep in it")]
    Folder(PathBuf),
    #[error("{0}: with --keep, name a folder that exists")]
    NoFolder(PathBuf),
    #[error(
        "{0}: this path is inside the build, which is published, and a copy contains addresses; choose a path outside it"
    )]
    Published(PathBuf),
    #[error("{0}: another command is writing this copy")]
    Copying(PathBuf),
    #[error("{store}: {fault}; nothing was copied to {copy}{}", remedy(*.fault))]
    Uncopied { store: PathBuf, copy: PathBuf, fault: FileErrorKind },
    #[error("{0}: not a complete copy of a store; nothing was changed")]
    Damaged(PathBuf),
    /// The store to replace.
    #[error(
        "the store cannot be read: {0}; nothing was changed. To restore the copy without it, move the store away: every \
         registration in the copy is then revoked"
    )]
    Unread(#[source] OpenError),
    #[error("{0}: {1}")]
    Log(PathBuf, usage::LogError),
    #[error("{0}: {1}")]
    File(PathBuf, #[source] io::Error),
}

/// Returns what to do if a copy cannot be written.
fn remedy(fault: FileErrorKind) -> &'static str {
    /// SQLite's code of errors of input and output.
    const IO: u32 = 10;
    match fault {
        FileErrorKind::Full => "; free space on the disk of the copy, or keep fewer copies, then run the command again",
        FileErrorKind::Refused(code) if code & 0xff == IO => {
            "; the disk of the copy is full or fails: free space or name another disk, then run the command again"
        }
        _ => "",
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
