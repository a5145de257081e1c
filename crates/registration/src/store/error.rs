//! Errors of the store.

use std::{borrow::Cow, error::Error, fmt, io};

use crate::domain::Conflict;

#[derive(Debug)]
pub enum StoreError {
    /// The store did not answer, or not in time. The work may or may not have been done.
    Down(StoreFailure),
    /// Something else came first; nothing was done.
    Conflict(Conflict),
}

/// Why the store did not answer. The texts hold no value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreFailure {
    /// Out of time, perhaps only behind other calls.
    Late(String),
    /// An error of the database, or no connection.
    Failed(String),
    /// The answer cannot be used. Other calls may succeed.
    Unusable,
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        // Security: messages of the database may quote values, so only the kind is logged.
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

/// Whether concurrent calls alone can cause this error.
fn is_late(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::TimedOut,
        sqlx::Error::Database(database) => {
            let code = database.code().unwrap_or_default();
            // PostgreSQL's codes have five characters: serialization failure (class 40), lock timeout (55P03),
            // statement timeout (57014). SQLite's codes have fewer.
            let is_held = ["40", "55P03", "57014"].iter().any(|begin| code.starts_with(begin));
            if code.len() == 5 { is_held } else { FileErrorKind::of(error) == FileErrorKind::Busy }
        }
        _ => false,
    }
}

/// Whether writing failed (disk full, I/O error) while reading may still work.
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

/// Whether the database reports that nothing was done. After any other error the work may have been done.
pub(super) fn is_definite(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(database) = error else { return false };
    let code = database.code().unwrap_or_default();
    // Shutdown (57P), connection failure (08) and "outcome unknown" (40003) may follow a commit.
    code.len() < 5 || !["08", "40003", "57P"].iter().any(|begin| code.starts_with(begin))
}

/// The store's file was removed or replaced while open: whatever is written to it is lost when the process ends.
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

/// What to do if named statements collide.
pub(super) const POOLED: &str =
    "add `statement-cache-capacity=0` to the address of the store, and no statement has a name";
/// The code of `PgBouncer` for nearly everything that it refuses.
const PROTOCOL: &str = "08P01";
/// Maximum of what is quoted of the server's words, in characters.
const MAX_QUOTED_CHARS: usize = 200;
/// Classes of errors whose message is about the server, the connection, the user or the tables. Security: the messages
/// of other classes quote values, which may be of a person.
const QUOTED: [&str; 11] = ["08", "25", "26", "28", "3D", "40", "42", "53", "55", "57", "58"];

/// Returns the code of an error of PostgreSQL, the server's own words if they hold no value, and what to do.
fn explain_server(code: &str, error: &dyn sqlx::error::DatabaseError) -> String {
    let mut text = format!("database {code}");
    if QUOTED.iter().any(|class| code.starts_with(class)) {
        let words = error.message().chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        text.extend([": "]);
        text.extend(words.take(MAX_QUOTED_CHARS));
    }
    let remedy = match code {
        "53100" => "free space on the server's disk",
        "25006" => "this is a standby, or read-only: name the primary in the address of the store",
        "42P05" | "26000" => POOLED,
        PROTOCOL => "if a pooler such as PgBouncer answers, check its users, databases and limits",
        _ => return text,
    };
    format!("{text}; {remedy}")
}

/// Returns the kind of an error, without any value.
pub(super) fn kind(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(database) => match &*database.code().unwrap_or_default() {
            code @ ("XX001" | "XX002") => format!("the server's data are damaged ({code})"),
            // PostgreSQL's codes have five characters, SQLite's fewer.
            code if code.len() == 5 => explain_server(code, &**database),
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

/// Why the store cannot be opened; the caller adds the name of the setting. Security: never contains the address, which
/// may hold a password.
#[derive(Debug)]
pub enum OpenError {
    /// Not a valid `sqlite://` or `postgres://` address.
    Address,
    /// A parameter of the address, and what is wrong with it.
    Parameter(String, String),
    /// The folder cannot be created, or the lock file not be opened.
    Folder(std::path::PathBuf, io::Error),
    File(std::path::PathBuf, FileErrorKind),
    /// The server does not answer at present, or refuses for this reason.
    Away(Option<String>),
    /// A pooler refuses this client, for this reason, until its settings or the address are corrected.
    Pooler(String),
    /// The server rejects this client, or is not trusted, for this reason.
    Database(String),
    /// The tables are not of this program, or of a newer version.
    Migration(String),
}

impl OpenError {
    /// Whether the error may disappear without a change of settings, so that the service retries instead of refusing to
    /// start.
    pub fn is_transient(&self) -> bool {
        use io::ErrorKind::{AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound};
        match self {
            Self::Address | Self::Parameter(..) | Self::Database(_) | Self::Migration(_) => false,
            // Its settings are read again while this program runs, unlike the address of the store.
            Self::Away(_) | Self::Pooler(_) => true,
            Self::Folder(_, error) => !matches!(
                error.kind(),
                AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory | NotFound
            ),
            Self::File(_, fault) => *fault != FileErrorKind::NoStore,
        }
    }
}

/// What `PgBouncer` refuses until its settings, the server's or the address are corrected; it has one code for these and for
/// outages.
const REFUSALS: [&str; 8] = [
    "authentication failed",
    "no such database",
    "no such user",
    "does not exist",
    "is disabled",
    "no more connections allowed",
    "unsupported startup parameter",
    "server login failed",
];

/// Whether a pooler refuses for a reason that does not end by itself.
pub(super) fn is_refusal_of_pooler(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(database) = error else { return false };
    database.code().as_deref() == Some(PROTOCOL) && REFUSALS.iter().any(|words| database.message().contains(words))
}

/// Explains why a server cannot be used by `user`, and what to do.
pub(super) fn explain_refusal(error: &sqlx::Error, user: &str) -> String {
    let code = match error {
        sqlx::Error::Database(database) => database.code().unwrap_or_default(),
        _ => Cow::default(),
    };
    match (error, &*code) {
        (_, "28000" | "28P01") => format!(
            "the server refuses the user `{user}` ({}); check name and password, and whether its pg_hba.conf admits the \
             user from here",
            kind(error)
        ),
        (_, "3D000") => format!("there is no such database ({}); create it, or name another one", kind(error)),
        (_, "42501") => {
            format!("the user `{user}` may not create tables ({}); make it the owner of the database", kind(error))
        }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileErrorKind {
    ReadOnly,
    Full,
    Busy,
    /// Not a store, or damaged.
    NoStore,
    /// The file, or one beside it, cannot be opened.
    Unopened,
    BrokenOff,
    /// Another error, with SQLite's code.
    Refused(u32),
}

impl FileErrorKind {
    /// Maps the primary result code, the low byte of SQLite's extended code.
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
            Self::Away(None) => out.write_str("the database does not answer"),
            Self::Away(Some(reason)) | Self::Pooler(reason) => write!(out, "the database cannot be used at present: {reason}"),
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
    use crate::store::{
        sql::values,
        testing::{postgres, runtime},
    };

    #[test]
    fn full_disk_is_reported_in_words() {
        let failure = runtime().block_on(async {
            let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
            connection.execute("CREATE TABLE one (text TEXT); PRAGMA max_page_count = 2").await.unwrap();
            let error = connection.execute("REPLACE INTO one VALUES (randomblob(100000))").await.unwrap_err();
            StoreError::from(error)
        });
        let StoreError::Down(failure) = failure else { panic!("{failure:?}") };
        assert_eq!(failure, StoreFailure::Failed("the disk is full".to_owned()));
    }

    #[test]
    fn words_of_the_server_are_quoted_only_if_they_hold_no_value() {
        let Some(kept) = postgres() else { return println!("no PostgreSQL") };
        let failure = |sql: &'static str| {
            let error = runtime().block_on(kept.store.db.one(sql, values![])).err().expect(sql);
            kind(&error)
        };
        assert_eq!(failure("VALUES (CAST('hunter2' AS BIGINT))"), "database 22P02");
        assert_eq!(failure("TABLE nowhere"), "database 42P01: relation \"nowhere\" does not exist");
    }
}
