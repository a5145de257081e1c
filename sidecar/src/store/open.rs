//! Opens a store: connects, and brings its tables up to date.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    str::FromStr as _,
    sync::Arc,
    time::Duration,
};

use sqlx::{
    Connection as _, PgPool, SqlStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
    postgres::{PgConnectOptions, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::Semaphore;

use super::{
    OpenError,
    doubt::Doubt,
    sql::{Db, Server},
};

/// How long a connection may be waited for.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How often a server that does not answer at the start is tried again.
const RETRY: Duration = Duration::from_secs(2);
/// Connections to PostgreSQL.
const CONNECTIONS: u32 = 8;
/// Connections to a file; one of them writes.
const READERS: u32 = 4;

/// Every change of the tables, in its order.
const MIGRATIONS: [(&str, &str); 4] = [
    ("first", include_str!("migrations/0001_first.sql")),
    ("silence and ceiling", include_str!("migrations/0002_silence_and_ceiling.sql")),
    ("expiry", include_str!("migrations/0003_expiry.sql")),
    ("piles", include_str!("migrations/0005_piles.sql")),
];

/// Where a store is.
pub(crate) enum Place {
    File(PathBuf),
    Postgres(String),
}

impl Place {
    /// Understands the value of `MECELLE_STORE`.
    pub(crate) fn parse(text: &str) -> Result<Self, OpenError> {
        if let Some(path) = text.strip_prefix("sqlite://") {
            // A path and nothing else: other programs read options behind `?`, and a store in memory behind `:memory:`.
            let is_path = !path.is_empty() && !path.contains('?') && path != ":memory:";
            return if is_path { Ok(Self::File(PathBuf::from(path))) } else { Err(OpenError::Address) };
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(OpenError::Address)
    }
}

/// Opens what is at `place`, which may be new.
pub(super) async fn open(place: &Place) -> Result<(Db, Option<InUse>), OpenError> {
    match place {
        Place::File(path) => {
            let in_use = InUse::mark(path).map_err(|error| OpenError::Folder(path.clone(), error))?;
            Ok((open_file(path).await?, Some(in_use)))
        }
        Place::Postgres(address) => Ok((open_postgres(address).await?, None)),
    }
}

/// A mark beside a file that somebody has it open; it goes with its owner, however that ends.
#[derive(Debug)]
pub(crate) struct InUse {
    _file: File,
}

impl InUse {
    /// Marks the file at `path` as open; others may have it open too.
    fn mark(path: &Path) -> std::io::Result<Self> {
        private_folder(folder_of(path))?;
        let file = private(&path.with_extension("in-use"))?;
        file.lock_shared()?;
        Ok(Self { _file: file })
    }

    /// Keeps everybody from opening the file at `path` until the result is dropped; nothing where somebody has.
    pub(crate) fn exclude(path: &Path) -> std::io::Result<Option<Self>> {
        private_folder(folder_of(path))?;
        let file = private(&path.with_extension("in-use"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// A file to be locked. Security: for its owner alone; whoever may read it could hold the lock.
fn private(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// Opens the file at `path` without a mark, for who has kept everybody else out.
pub(super) async fn open_file(path: &Path) -> Result<Db, OpenError> {
    let folder = folder_of(path);
    private_folder(folder).map_err(|error| OpenError::Folder(folder.to_owned(), error))?;
    // SQLite's own migration lock is none: two processes that start together on a new file would both create it.
    let lock_path = path.with_extension("lock");
    let lock = private(&lock_path).and_then(|file| file.lock().map(|()| file));
    let lock = lock.map_err(|error| OpenError::Folder(lock_path, error))?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // An answer that was sent must survive a loss of power.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(PATIENCE)
        // What is forgotten does not stand in the file any more.
        .pragma("secure_delete", "ON")
        .foreign_keys(true);
    let pool = SqlitePoolOptions::new()
        .max_connections(READERS)
        .acquire_timeout(PATIENCE)
        .test_before_acquire(false)
        // When the disk refuses a commit, SQLite ends the transaction and the library believes it to go on: such a
        // connection could never write again.
        .before_acquire(|connection, _| {
            let is_free = !connection.is_in_transaction();
            Box::pin(async move { Ok(is_free) })
        })
        .connect_with(options)
        .await
        .map_err(|error| OpenError::of(&error))?;
    private_file(path).map_err(|error| OpenError::Folder(path.to_owned(), error))?;
    migrator().run(&pool).await.map_err(|error| OpenError::Migration(error.to_string()))?;
    drop(lock);
    Ok(Db::Sqlite(pool, Arc::new(Semaphore::new(1))))
}

/// A server that is not there yet is no reason not to start: everything that needs no store is served meanwhile.
async fn open_postgres(address: &str) -> Result<Db, OpenError> {
    let options = PgConnectOptions::from_str(address)
        .map_err(|_| OpenError::Address)?
        .application_name("mecelle")
        .options([("statement_timeout", "2000"), ("lock_timeout", "1000"), ("synchronous_commit", "on")]);
    let (pool, doubt) = (PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(PATIENCE), Doubt::default());
    let pool = doubt.watch(pool).connect_lazy_with(options);
    if !prepare(&pool).await? {
        tracing::warn!("the store does not answer yet; registration waits for it");
        let pool = pool.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(RETRY).await;
                match prepare(&pool).await {
                    Ok(false) => {}
                    Ok(true) => break tracing::info!("the store answers"),
                    Err(error) => break tracing::error!("{error}"),
                }
            }
        });
    }
    Ok(Db::Pg(Server { pool, doubt }))
}

/// Brings the tables up to date; PostgreSQL has a lock of its own for this. `false` where nobody answers.
async fn prepare(pool: &PgPool) -> Result<bool, OpenError> {
    match migrator().run(pool).await {
        Ok(()) => Ok(true),
        Err(MigrateError::Execute(sqlx::Error::PoolTimedOut | sqlx::Error::Io(_))) => Ok(false),
        // A server that is just starting or stopping says so (class 57).
        Err(MigrateError::Execute(sqlx::Error::Database(error)))
            if error.code().is_some_and(|code| code.starts_with("57")) =>
        {
            Ok(false)
        }
        Err(error) => Err(OpenError::Migration(error.to_string())),
    }
}

fn migrator() -> Migrator {
    let numbered = (1..).zip(MIGRATIONS);
    let migrations = numbered.map(|(number, (name, sql))| {
        Migration::new(number, name.into(), MigrationType::Simple, SqlStr::from_static(sql), false)
    });
    Migrator::with_migrations(migrations.collect())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates `folder` for its owner alone; one that is there stays as it is.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private_file(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_path_and_nothing_else() {
        for text in ["sqlite://x.db", "sqlite:///var/lib/x.db", "sqlite://./a b.db"] {
            assert!(matches!(Place::parse(text), Ok(Place::File(_))), "{text}");
        }
        for text in ["sqlite://", "sqlite:x.db", "sqlite://x.db?mode=ro", "sqlite://:memory:", "mysql://x", ""] {
            assert!(matches!(Place::parse(text), Err(OpenError::Address)), "{text}");
        }
    }
}
