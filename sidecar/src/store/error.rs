//! What can go wrong with the store.

use std::{error::Error, fmt};

use crate::registration::Conflict;

/// Why the store did not do what it was asked.
#[derive(Debug)]
pub(crate) enum StoreError {
    /// It cannot answer, or not in time. What was asked may or may not have happened.
    Down,
    /// It answers that something else came first.
    Conflict(Conflict),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        // Security: a message of the database may quote values; only its kind is told.
        tracing::warn!(kind = kind(&error), "the store failed");
        Self::Down
    }
}

impl From<Conflict> for StoreError {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

/// What kind of error it is, without a value.
fn kind(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => format!("database {}", error.code().unwrap_or_default()),
        sqlx::Error::Io(error) => format!("io {}", error.kind()),
        sqlx::Error::PoolTimedOut => "no connection in time".to_owned(),
        sqlx::Error::PoolClosed => "closed".to_owned(),
        sqlx::Error::ColumnDecode { index, .. } => format!("column {index}"),
        _ => "other".to_owned(),
    }
}

/// Why the store cannot be opened. Security: never shows the address, which may hold a password.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// It is neither `sqlite://` nor `postgres://`.
    Address,
    /// The folder of the file cannot be created, or the lock beside it not be had.
    Folder(std::path::PathBuf, std::io::Error),
    /// The database refuses, or does not answer.
    Database(String),
    /// The tables are not those of this program.
    Migration(String),
}

impl OpenError {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        Self::Database(kind(error))
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("MECELLE_STORE: ")?;
        match self {
            Self::Address => out.write_str("expected `sqlite://path/to/file` or `postgres://user@host/database`"),
            Self::Folder(path, error) => write!(out, "{}: {error}", path.display()),
            Self::Database(kind) => write!(out, "the database cannot be opened ({kind}); is it there and allowed?"),
            Self::Migration(problem) => write!(out, "the tables cannot be brought up to date: {problem}"),
        }
    }
}

impl Error for OpenError {}
