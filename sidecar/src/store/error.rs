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
    /// The file cannot be used as a store.
    File(std::path::PathBuf, Fault),
    /// The server does not answer, or not for now.
    Away,
    /// The database refuses.
    Database(String),
    /// The tables are not those of this program.
    Migration(String),
}

impl OpenError {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        Self::Database(kind(error))
    }

    /// Whether it may pass without anybody changing a setting: what a service that runs may meet as well.
    pub(crate) fn passes(&self) -> bool {
        use std::io::ErrorKind::{AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound};
        match self {
            Self::Address | Self::Database(_) | Self::Migration(_) => false,
            Self::Away => true,
            Self::Folder(_, error) => !matches!(
                error.kind(),
                AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory | NotFound
            ),
            Self::File(_, fault) => *fault != Fault::NoStore,
        }
    }
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It may not be written.
    ReadOnly,
    /// The disk is full.
    Full,
    /// Another process keeps it for itself.
    Busy,
    /// It holds something else, or is damaged.
    NoStore,
    /// It, or what stands beside it, cannot be opened.
    Unopened,
    /// What was done with it came to no end.
    BrokenOff,
    /// The system refuses; the number is SQLite's.
    Refused(u32),
}

impl Fault {
    /// By the first octet of SQLite's code; the rest says more than anybody needs.
    pub(super) fn of(error: &sqlx::Error) -> Self {
        let code = match error {
            sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<u32>().ok()).unwrap_or_default(),
            sqlx::Error::PoolTimedOut => return Self::Busy,
            _ => 0,
        };
        match code & 0xff {
            5 | 6 => Self::Busy,
            8 => Self::ReadOnly,
            11 | 26 => Self::NoStore,
            13 => Self::Full,
            14 => Self::Unopened,
            _ => Self::Refused(code),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly => out.write_str("it may not be written"),
            Self::Full => out.write_str("the disk is full"),
            Self::Busy => out.write_str("another process keeps it for itself"),
            Self::NoStore => {
                out.write_str("this is no store, or a damaged one; `sidecar restore` puts a copy in its place")
            }
            Self::Unopened => out.write_str("it cannot be opened; may its folder be written?"),
            Self::BrokenOff => out.write_str("the work broke off; run the command again"),
            Self::Refused(code) => write!(out, "the system refuses it (SQLite {code})"),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("MECELLE_STORE: ")?;
        match self {
            Self::Address => out.write_str("expected `sqlite://path/to/file` or `postgres://user@host/database`"),
            Self::Folder(path, error) => write!(out, "{}: {error}", path.display()),
            Self::File(path, fault) => write!(out, "{}: {fault}", path.display()),
            Self::Away => out.write_str("the database does not answer"),
            Self::Database(kind) => write!(out, "the database cannot be opened ({kind}); is it there and allowed?"),
            Self::Migration(problem) => write!(out, "the tables cannot be brought up to date: {problem}"),
        }
    }
}

impl Error for OpenError {}
