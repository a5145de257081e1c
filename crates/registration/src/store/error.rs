//! What can go wrong with the store.

use std::{borrow::Cow, error::Error, fmt, io};

use crate::domain::Conflict;

/// Why the store did not do what it was asked to do.
#[derive(Debug)]
pub enum StoreError {
    /// It cannot answer, or not in time. What was asked may or may not have happened.
    Down(StoreFailure),
    /// It answers that something else came first.
    Conflict(Conflict),
}

/// What kept it from answering, without any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreFailure {
    /// Nothing came in time, perhaps only because others were asking.
    Late(String),
    /// It said that it cannot, or it was not there.
    Failed(String),
    /// It answered, but the answer is of no use. That says nothing about other calls.
    Unusable,
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        // Security: a message of the database may quote values, so only its kind is logged.
        let kind = kind(&error);
        tracing::debug!(kind, "a call of the store failed");
        Self::Down(if is_late(&error) { StoreFailure::Late(kind) } else { StoreFailure::Failed(kind) })
    }
}

impl From<Conflict> for StoreError {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

/// Whether an error may have no other cause than others asking at the same time.
fn is_late(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::TimedOut,
        sqlx::Error::Database(database) => {
            let code = database.code().unwrap_or_default();
            // PostgreSQL's codes have five characters: two changed the same (class 40), or somebody held it (55P03) for
            // so long that the time for a statement was over (57014). SQLite's codes have fewer.
            let is_held = ["40", "55P03", "57014"].iter().any(|begin| code.starts_with(begin));
            if code.len() == 5 { is_held } else { FileErrorKind::of(error) == FileErrorKind::Busy }
        }
        _ => false,
    }
}

/// Whether an error says that there is no space to write, or that writing failed, although reading goes on.
pub(super) fn is_unwritable(error: &sqlx::Error) -> bool {
    const FULL_SERVER: &str = "53100";
    const SQLITE_IO: u32 = 10;
    let is_server = matches!(error, sqlx::Error::Database(database) if database.code().as_deref() == Some(FULL_SERVER));
    is_server
        || match FileErrorKind::of(error) {
            FileErrorKind::Full => true,
            FileErrorKind::Refused(code) => code & 0xff == SQLITE_IO,
            _ => false,
        }
}

/// Whether an error is the database's word that what was asked did not happen. Otherwise it may have happened.
pub(super) fn is_definite(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(database) = error else { return false };
    let code = database.code().unwrap_or_default();
    // A server that ends the connection (57P, 08) or does not know (40003) may have done it before.
    code.len() < 5 || !["08", "40003", "57P"].iter().any(|begin| code.starts_with(begin))
}

/// The file of a store that is open is not in its place any more: what is written to it is lost when the process ends.
#[derive(Debug)]
pub(super) struct Displaced;

impl fmt::Display for Displaced {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the file of the store was removed or replaced; restart the service")
    }
}

impl Error for Displaced {}

impl From<Displaced> for sqlx::Error {
    fn from(displaced: Displaced) -> Self {
        Self::Io(io::Error::other(displaced))
    }
}

/// Names the kind of an error, without any value.
fn kind(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(database) => match &*database.code().unwrap_or_default() {
            code @ ("53100" | "XX001" | "XX002") => {
                let what = if code == "53100" { "disk is full" } else { "data are damaged" };
                format!("the server's {what} ({code})")
            }
            // PostgreSQL's codes have five characters, SQLite's fewer.
            code if code.len() == 5 => format!("database {code}"),
            _ => FileErrorKind::of(error).to_string(),
        },
        sqlx::Error::Io(error) if matches!(error.get_ref(), Some(inner) if inner.is::<Displaced>()) => {
            Displaced.to_string()
        }
        sqlx::Error::Io(error) => format!("io {}", error.kind()),
        sqlx::Error::PoolTimedOut => "no connection in time".to_owned(),
        sqlx::Error::PoolClosed => "closed".to_owned(),
        sqlx::Error::ColumnDecode { index, .. } => format!("column {index}"),
        _ => "other".to_owned(),
    }
}

/// Why the store cannot be opened; the caller adds the name of the setting. Security: never shows the address, which
/// may hold a password.
#[derive(Debug)]
pub enum OpenError {
    /// It is neither `sqlite://` nor `postgres://`.
    Address,
    /// This parameter of the address cannot be used, for this reason.
    Parameter(String, String),
    /// The folder of the file cannot be created, or the lock beside the file cannot be taken.
    Folder(std::path::PathBuf, io::Error),
    /// The file cannot be used as a store.
    File(std::path::PathBuf, FileErrorKind),
    /// The server does not answer, or not for now.
    Away,
    /// The server refuses this service, or is not trusted, for this reason.
    Database(String),
    /// The tables are not those of this program.
    Migration(String),
}

impl OpenError {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        Self::Database(explain_refusal(error))
    }

    /// Whether it may pass without a change of a setting, so that a running service may meet it as well.
    pub fn is_transient(&self) -> bool {
        use io::ErrorKind::{AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound};
        match self {
            Self::Address | Self::Parameter(..) | Self::Database(_) | Self::Migration(_) => false,
            Self::Away => true,
            Self::Folder(_, error) => !matches!(
                error.kind(),
                AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory | NotFound
            ),
            Self::File(_, fault) => *fault != FileErrorKind::NoStore,
        }
    }
}

/// Explains why a server cannot be used, and what helps. Security: repeats nothing of what the server says.
fn explain_refusal(error: &sqlx::Error) -> String {
    let code = match error {
        sqlx::Error::Database(database) => database.code().unwrap_or_default(),
        _ => Cow::default(),
    };
    match (error, &*code) {
        (_, "28000" | "28P01") => format!(
            "the server refuses this user ({code}); check name and password, and whether its pg_hba.conf admits the \
             user from here"
        ),
        (_, "3D000") => format!("there is no such database ({code}); create it, or name another one"),
        (_, "42501") => format!("the user may not create tables ({code}); make it the owner of the database"),
        (sqlx::Error::Io(error), _) => explain_tls_error(error).to_owned(),
        (sqlx::Error::Tls(_), _) => {
            "the server does not offer TLS, which `sslmode` requires, or a file that the address names is not a \
             certificate"
                .to_owned()
        }
        _ => {
            format!("the database cannot be opened ({}); check that it exists and that access is allowed", kind(error))
        }
    }
}

/// Explains why TLS with a server fails.
fn explain_tls_error(error: &io::Error) -> &'static str {
    use rustls::{
        CertificateError::NotValidForName, CertificateError::NotValidForNameContext, Error::InvalidCertificate,
    };
    match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => {
            "the server's certificate is for a host other than the one in the address"
        }
        Some(InvalidCertificate(_)) => {
            "the server's certificate is not trusted; set `sslrootcert` in the address to a file with its authority's \
             certificate, and check that it has not expired"
        }
        _ => {
            "TLS with the server fails; if it requires a client certificate, set `sslcert` and `sslkey` in the address"
        }
    }
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileErrorKind {
    /// It may not be written.
    ReadOnly,
    /// The disk is full.
    Full,
    /// Another process keeps it for itself.
    Busy,
    /// It holds something else, or is damaged.
    NoStore,
    /// It, or a file beside it, cannot be opened.
    Unopened,
    /// The work on it did not finish.
    BrokenOff,
    /// The system refuses; the number is SQLite's code.
    Refused(u32),
}

impl FileErrorKind {
    /// Judges by the first byte of SQLite's code; the rest says more than is needed.
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

impl fmt::Display for FileErrorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly => out.write_str("the file is not writable"),
            Self::Full => out.write_str("the disk is full"),
            Self::Busy => out.write_str("another process has locked it"),
            Self::NoStore => {
                out.write_str("this is no store, or a damaged one; replace it by a copy with `sidecar restore`")
            }
            Self::Unopened => out.write_str("the file cannot be opened; check that its folder is writable"),
            Self::BrokenOff => out.write_str("the work was interrupted; run the command again"),
            Self::Refused(code) => write!(out, "SQLite reports error {code}"),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => out.write_str(
                "expected `sqlite://path/to/file`, or `postgres://user:password@host/database` with `@`, `/`, `?`, `#`, \
                 `&`, `%` and `+` of a password percent-encoded",
            ),
            Self::Parameter(name, problem) => write!(out, "`{name}`: {problem}"),
            Self::Folder(path, error) => write!(out, "{}: {error}", path.display()),
            Self::File(path, fault) => write!(out, "{}: {fault}", path.display()),
            Self::Away => out.write_str("the database does not answer"),
            Self::Database(reason) => out.write_str(reason),
            Self::Migration(problem) => write!(out, "the tables cannot be brought up to date: {problem}"),
        }
    }
}

impl Error for OpenError {}

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, Executor as _, SqliteConnection};

    use super::*;
    use crate::store::testing::runtime;

    #[test]
    fn full_disk_is_named_and_not_its_code() {
        let failure = runtime().block_on(async {
            let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
            connection.execute("CREATE TABLE one (text TEXT); PRAGMA max_page_count = 2").await.unwrap();
            let error = connection.execute("REPLACE INTO one VALUES (randomblob(100000))").await.unwrap_err();
            StoreError::from(error)
        });
        let StoreError::Down(failure) = failure else { panic!("{failure:?}") };
        assert_eq!(failure, StoreFailure::Failed("the disk is full".to_owned()));
    }
}
