//! Opens a store and migrates its tables.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{OpenError, address, file::FileStore, health::StoreHealth, server::PgServer, sql::Db};

/// Time that a start waits for the store before it goes on without one.
const START: Duration = Duration::from_secs(3);
/// Maximum number of symbolic links that are followed, as in operating systems.
const LINKS: u32 = 40;
/// Pause between attempts to open the store.
const RETRY: Duration = Duration::from_secs(2);
/// Time that a command waits for a server.
const OPERATOR: Duration = Duration::from_secs(15);

/// The location of a store.
#[derive(Clone)]
pub enum Location {
    /// A SQLite file.
    File(PathBuf),
    /// A PostgreSQL server, by its address.
    Postgres(String),
}

impl Location {
    /// Parses the value of `MECELLE_STORE`.
    pub fn parse(text: &str) -> Result<Self, OpenError> {
        if let Some(path) = text.strip_prefix("sqlite://") {
            // Only a path: other programs read options after `?`, and take `:memory:` for a store in memory.
            let is_path = !path.is_empty() && !path.contains('?') && path != ":memory:";
            return if is_path { Ok(Self::File(PathBuf::from(path))) } else { Err(OpenError::Address) };
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return address::parse(text).map(|_| Self::Postgres(text.to_owned()));
        }
        Err(OpenError::Address)
    }

    /// Checks the location, without creating anything or connecting to a server.
    pub fn check(&self) -> Result<(), OpenError> {
        match self {
            Self::File(path) if path.is_dir() => {
                let error = io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; name a file in it");
                Err(OpenError::Folder(path.clone(), error))
            }
            Self::File(_) => Ok(()),
            Self::Postgres(address) => address::check_files(address),
        }
    }

    /// Returns the paths of files that connecting to a server reads. Security: print only one that exists; another may be
    /// a key instead of a path.
    #[must_use]
    pub fn files_to_read(&self) -> Vec<PathBuf> {
        match self {
            Self::File(_) => Vec::new(),
            Self::Postgres(address) => address::files(address),
        }
    }

    /// Creates the folder of a file. Fails only if retrying is pointless.
    pub fn make_folder(&self) -> Result<(), OpenError> {
        let Self::File(path) = self else { return Ok(()) };
        let made = private_files::folder(private_files::folder_of(path))
            .map_err(|error| OpenError::Folder(path.clone(), error));
        made.or_else(|error| if error.is_transient() { Ok(()) } else { Err(error) })
    }

    /// Resolves the symbolic links that lead to the file, so that the lock and the mark beside it have one name for all
    /// processes.
    #[must_use]
    pub fn resolve_links(self) -> Self {
        let Self::File(mut path) = self else { return self };
        for _ in 0..LINKS {
            // Not a link, or it does not exist.
            let Ok(target) = path.read_link() else { break };
            path = private_files::folder_of(&path).join(target);
        }
        Self::File(path)
    }
}

#[derive(Clone)]
struct Opening {
    db: Db,
    location: Location,
}

impl Opening {
    fn of(location: &Location) -> Result<Self, OpenError> {
        let db = match location {
            Location::File(_) => Db::Sqlite(FileStore::default()),
            Location::Postgres(address) => Db::Pg(PgServer::at(address)?),
        };
        Ok(Self { db, location: location.clone() })
    }

    async fn try_once(&self) -> Result<(), OpenError> {
        match (&self.db, &self.location) {
            (Db::Sqlite(file), Location::File(path)) => file.open(path).await,
            (Db::Pg(server), _) => server.prepare().await,
            (Db::Sqlite(_), Location::Postgres(_)) => Err(OpenError::Address),
        }
    }
}

/// Opens the store at `location`, which need not exist.
pub(super) async fn open(location: &Location) -> Result<Db, OpenError> {
    let opening = Opening::of(location)?;
    let mut reason = None;
    let done = async {
        loop {
            match opening.try_once().await {
                // The server is starting, or another process is migrating.
                Err(error @ OpenError::Away(_)) => {
                    if reason.is_none() {
                        let limit = OPERATOR.as_secs();
                        tracing::warn!("`store` (MECELLE_STORE): {error}; trying again for at most {limit} s");
                    }
                    reason = Some(error);
                    tokio::time::sleep(RETRY / 10).await;
                }
                done => break done,
            }
        }
    };
    match location {
        Location::File(_) => done.await?,
        Location::Postgres(_) => match timeout(OPERATOR, done).await {
            Ok(done) => done?,
            Err(_) => return Err(reason.unwrap_or(OpenError::Away(None))),
        },
    }
    Ok(opening.db)
}

/// Opens the store at `location`, or retries in the background if the error is transient: a server that is not there
/// yet, or a full disk, must not keep the service from starting.
pub(super) async fn open_with_retries(location: &Location, health: &Arc<StoreHealth>) -> Result<Db, OpenError> {
    let opening = Opening::of(location)?;
    let (own, location) = (opening.clone(), location.clone());
    let mut first = tokio::spawn(async move { own.try_once().await });
    let early = match timeout(START, &mut first).await {
        Ok(Ok(Ok(()))) => return Ok(opening.db),
        Ok(Ok(Err(error))) if !error.is_transient() => return Err(error),
        Ok(Ok(Err(error))) => Some(error),
        // Slow, or the task panicked.
        Ok(Err(_)) | Err(_) => None,
    };
    let late = if early.is_none() { Some(first) } else { None };
    let reason = early.as_ref().map_or_else(|| format!("no answer within {} s", START.as_secs()), ToString::to_string);
    tracing::error!("`store` (MECELLE_STORE): {reason}; registration is refused for now, everything else is served");
    health.record_closed();
    let health = Arc::clone(health);
    let own = Opening { db: opening.db.clone(), location };
    tokio::spawn(async move {
        let mut logged = early.map(|error| error.to_string());
        if let Some(first) = late
            && matches!(first.await, Ok(Ok(())))
        {
            return health.record_opened();
        }
        loop {
            tokio::time::sleep(RETRY).await;
            match own.try_once().await {
                Ok(()) => return health.record_opened(),
                Err(error) => {
                    // Log each error once.
                    let text = error.to_string();
                    if logged.as_ref() != Some(&text) {
                        tracing::error!("`store` (MECELLE_STORE): {text}");
                        logged = Some(text);
                    }
                }
            }
        }
    });
    Ok(opening.db)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_is_a_path_and_nothing_else() {
        for text in ["sqlite://x.db", "sqlite:///var/lib/x.db", "sqlite://./a b.db"] {
            assert!(matches!(Location::parse(text), Ok(Location::File(_))), "{text}");
        }
        for text in ["postgres://u@h/db", "postgresql://h:5433/db?sslmode=require"] {
            assert!(matches!(Location::parse(text), Ok(Location::Postgres(_))), "{text}");
        }
        for text in [
            "postgres://u@h:port/db",
            "sqlite://",
            "sqlite:x.db",
            "sqlite://x.db?mode=ro",
            "sqlite://:memory:",
            "mysql://x",
            "",
        ] {
            assert!(matches!(Location::parse(text), Err(OpenError::Address)), "{text}");
        }
    }

    #[test]
    fn unknown_parameter_is_rejected_with_the_nearest_name_and_without_its_value() {
        for (query, part) in [
            ("sslmod=hunter2", "`sslmod`: unknown parameter; did you mean `sslmode`?"),
            ("sslmode=require&ssl_mode=hunter2", "`ssl_mode`: unknown parameter; did you mean `ssl"),
            ("ssl_root_cert=hunter2", "did you mean `ssl"),
            ("tls=hunter2", "did you mean `sslmode`?"),
            ("SSLMODE=hunter2", "did you mean `sslmode`?"),
            ("connect_timeout=hunter2", "expected a number"),
            ("connect_timeou=hunter2", "did you mean `connect_timeout`?"),
            ("sslmode=hunter2", "`sslmode`: the value is invalid"),
            ("port=hunter2", "`port`: the value is invalid"),
            ("sslmode", "`sslmode`: the value is invalid"),
            ("=hunter2", "unknown"),
        ] {
            for address in ["postgres://u:hunter2@h/db", "postgresql://u:hunter2@h"] {
                let told_of = Location::parse(&format!("{address}?{query}")).err().map(|error| error.to_string());
                let text = told_of.expect(query);
                assert!(text.contains(part), "{query}: {text}");
                assert!(!text.contains("hunter2"), "{query}: {text}");
            }
        }
        for query in [
            "",
            "sslmode=verify-full&sslrootcert=/etc/ca.pem",
            "host=/run/postgresql&&user=me%40firm&options[search_path]=own&options%5Btcp_user_timeout%5D=1",
            "ssl-mode=require&application_name=own&statement-cache-capacity=10",
        ] {
            assert!(Location::parse(&format!("postgres://h/db?{query}")).is_ok(), "{query}");
        }
    }

    #[test]
    fn unencoded_password_is_rejected_and_not_printed() {
        for text in [
            "postgres://user:p@ss/hunter2@h/db",
            "postgres://user:p/hunter2@h/db",
            "postgres://user:p?hunter2@h/db",
            "postgres://user:7#hunter2@h/db",
            "postgres://user@h/db?password=hunter2@x",
            "postgres://user@h/db?password=7#hunter2",
            "postgres://user@h/db?password=7&hunter2",
            "postgres://user@h/db?sslmode=require&pass%77ord=7&port=1&hunter2=8",
        ] {
            let text = Location::parse(text).err().expect(text).to_string();
            assert!(text.contains("percent-encoded") && !text.contains("hunter2"), "{text}");
        }
        for text in ["postgres://user:p%40ss%2Fword@h/db", "postgres://user:p@ss@h/db", "postgres://u@h/db?user=a%40b"]
        {
            assert!(Location::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn missing_file_is_named_and_a_key_is_not_printed() {
        for (query, part) in [
            ("sslrootcert=/nowhere/ca.pem", "`sslrootcert`: /nowhere/ca.pem: No such file"),
            ("sslcert=/nowhere/own.pem", "`sslcert`: /nowhere/own.pem: No such file"),
            ("sslkey=hunter2", "`sslkey`: entity not found"),
            ("sslmode=require&ssl-key=MIIEvhunter2==", "`ssl-key`: entity not found"),
            ("ssl%6Bey=hunter2", "`sslkey`: entity not found"),
            ("sslkey=-----BEGIN+PRIVATE+KEY-----%0Ahunter2", "`sslkey`: the PEM text is cut off"),
            ("sslcert=%0A-----BEGIN+CERTIFICATE-----%0Ahunter2", "`sslcert`: the PEM text is cut off"),
        ] {
            let error =
                Location::parse(&format!("postgres://h/db?{query}")).and_then(|location| location.check()).err();
            let error = error.expect(query);
            let text = error.to_string();
            assert!(!error.is_transient() && text.contains(part) && !text.contains("hunter2"), "{query}: {text}");
        }
        for query in [
            "sslrootcert=Cargo.toml&sslkey=Cargo.toml",
            "sslkey=+-----BEGIN+PRIVATE+KEY-----%0AMIIEv%0A-----END+PRIVATE+KEY-----%0A",
        ] {
            assert!(Location::parse(&format!("postgres://h/db?{query}")).unwrap().check().is_ok(), "{query}");
        }
    }
}
