//! A store in a SQLite file.
//!
//! The disk may be full, or the file not writable, at the start and later. The service then goes on without the store
//! and retries.

use std::{
    fs::{File, Permissions, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use sqlx::{
    Connection as _, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::{sync::Semaphore, time::Instant};

use super::{
    OpenError, WAIT_TIMEOUT,
    error::{Displaced, FileErrorKind},
    in_use::InUse,
    migrations,
};

/// Tries to get a lock that another process holds, and the pause between them.
const LOOKS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(25);
/// Connections to the file, of which one writes at a time.
const CONNECTIONS: u32 = 4;
/// A statement that needs write access and changes nothing.
pub(super) const PROBE: &str = "DELETE FROM counter WHERE bucket = ''";

/// A store in a file. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct FileStore {
    opened: Arc<OnceLock<Opened>>,
    stale: Stale,
}

/// Whether opening a file migrates its tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MigrationMode {
    UpToDate,
    AsTheyAre,
}

#[derive(Debug)]
struct Opened {
    pool: SqlitePool,
    place: StorePlace,
    /// Permit to write. SQLite would make waiting writers poll; the semaphore serves them in order.
    turn: Arc<Semaphore>,
    _in_use: Option<InUse>,
}

impl FileStore {
    /// Opens the file at `path`, which need not exist.
    pub(super) async fn open(&self, path: &Path) -> Result<(), OpenError> {
        let in_use = mark(path).await?;
        self.open_with(path, Some(in_use), MigrationMode::UpToDate).await
    }

    /// Opens the file at `path` for reading, with the tables of whichever version wrote it.
    pub(super) async fn open_without_migration(&self, path: &Path) -> Result<(), OpenError> {
        let in_use = mark(path).await?;
        self.open_with(path, Some(in_use), MigrationMode::AsTheyAre).await
    }

    /// Opens the file at `path` without marking it as in use, for a caller that has excluded all other processes.
    pub(super) async fn open_exclusively(&self, path: &Path) -> Result<(), OpenError> {
        self.open_with(path, None, MigrationMode::UpToDate).await
    }

    async fn open_with(&self, path: &Path, in_use: Option<InUse>, tables: MigrationMode) -> Result<(), OpenError> {
        let pool = self.connect(path, tables).await?;
        let place = StorePlace::of(path);
        let opened = Opened { pool, place, turn: Arc::new(Semaphore::new(1)), _in_use: in_use };
        // Set once: each store is opened once.
        let _ = self.opened.set(opened);
        Ok(())
    }

    async fn connect(&self, path: &Path, tables: MigrationMode) -> Result<SqlitePool, OpenError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| OpenError::Folder(path, error)
        };
        // The library's migration lock does nothing for SQLite: two processes that start on a new file would both
        // create the tables.
        let lock_path = path.with_extension("lock");
        let lock = lock(&lock_path).await.map_err(failed(&lock_path))?;
        let _lock = lock.ok_or_else(|| OpenError::File(path.to_owned(), FileErrorKind::Busy))?;
        create_private_file(path).map_err(failed(path))?;
        let _ = self.stale.0.path.set(path.to_owned());
        make_writable(path);
        let options = SqliteConnectOptions::new()
            .filename(path)
            // If the file is removed while the service runs, do not begin a new one.
            .create_if_missing(false)
            .journal_mode(SqliteJournalMode::Wal)
            // What was acknowledged must survive a power failure.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(WAIT_TIMEOUT)
            // Write a page that many commits change back only once.
            .pragma("wal_autocheckpoint", "4000")
            // Shrink a log that had to grow.
            .pragma("journal_size_limit", "33554432")
            // Overwrite deleted rows in the file.
            .pragma("secure_delete", "ON")
            .foreign_keys(true);
        let stale = self.stale.clone();
        let refused = |error: &sqlx::Error| OpenError::File(path.to_owned(), FileErrorKind::of(error));
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(WAIT_TIMEOUT)
            .test_before_acquire(false)
            // If a commit fails, SQLite ends the transaction, but the library believes that it is open: such a
            // connection could never write again.
            .before_acquire(move |connection, known| {
                let is_good = !connection.is_in_transaction() && !stale.is_stale(known.age);
                Box::pin(async move { Ok(is_good) })
            })
            .connect_with(options)
            .await
            .map_err(|error| refused(&error))?;
        let prepared = async {
            if tables == MigrationMode::AsTheyAre {
                return Ok(());
            }
            migrations::run(&pool).await.map_err(|error| match error {
                migrations::MigrationError::Sql(error) => refused(&error),
                migrations::MigrationError::Tables(problem) => OpenError::Migration(problem),
            })?;
            // Opening succeeds even if the file is read-only.
            sqlx::query(PROBE).execute(&pool).await.map_err(|error| refused(&error)).map(drop)
        };
        match prepared.await {
            Ok(()) => Ok(pool),
            Err(error) => {
                pool.close().await;
                Err(error)
            }
        }
    }

    /// Returns the pool, unless the file was removed or replaced.
    pub(super) fn pool(&self) -> sqlx::Result<&SqlitePool> {
        let opened = self.opened.get().ok_or(sqlx::Error::PoolClosed)?;
        if opened.place.is_lost() { Err(Displaced.into()) } else { Ok(&opened.pool) }
    }

    pub(super) fn write_permits(&self) -> sqlx::Result<Arc<Semaphore>> {
        self.opened.get().map(|opened| Arc::clone(&opened.turn)).ok_or(sqlx::Error::PoolClosed)
    }

    pub(super) async fn close(&self) {
        if let Some(opened) = self.opened.get() {
            opened.pool.close().await;
        }
    }

    /// Runs `ask`, and once more if its connection was stale: nothing was done then, and the retry gets a new
    /// connection.
    pub(super) async fn retry_if_stale<T, Asked>(&self, ask: impl Fn() -> Asked) -> sqlx::Result<T>
    where
        Asked: Future<Output = sqlx::Result<T>>,
    {
        match ask().await {
            Err(error) if Stale::explains(&error) => ask().await,
            done => done,
        }
    }

    pub(super) const fn stale(&self) -> &Stale {
        &self.stale
    }
}

/// Path and identity of the open file. Connections go on using a file that was removed; whatever they write to it is
/// lost when the process ends.
#[derive(Debug)]
struct StorePlace {
    path: PathBuf,
    file: Option<FileId>,
}

/// Device and inode.
type FileId = (u64, u64);

impl StorePlace {
    fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), file: identity(path).ok().flatten() }
    }

    /// Whether `path` now names another file or none. If the path cannot be read for another reason, the file is kept.
    fn is_lost(&self) -> bool {
        match identity(&self.path) {
            Ok(found) => self.file.is_some() && found != self.file,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// Returns device and inode of the file at `path`; `None` on systems without them.
fn identity(path: &Path) -> io::Result<Option<FileId>> {
    let file = std::fs::metadata(path)?;
    #[cfg(unix)]
    let found = {
        use std::os::unix::fs::MetadataExt as _;
        Some((file.dev(), file.ino()))
    };
    #[cfg(not(unix))]
    let found = {
        drop(file);
        None
    };
    Ok(found)
}

/// The time before which connections are stale: opened while the file was read-only or another file, they can never
/// write. The pool replaces them.
#[derive(Clone, Debug, Default)]
pub(super) struct Stale(Arc<Since>);

#[derive(Debug, Default)]
struct Since {
    path: OnceLock<PathBuf>,
    moment: Mutex<Option<Instant>>,
}

impl Stale {
    /// Passes `result` on. If it is an error of a stale connection, marks all present connections as stale.
    #[expect(clippy::disallowed_methods, reason = "the pool reads the ages of connections from the same clock")]
    pub(super) fn note<T>(&self, result: sqlx::Result<T>) -> sqlx::Result<T> {
        if let Err(error) = &result
            && Self::explains(error)
        {
            *self.0.moment.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            if let Some(path) = self.0.path.get() {
                make_writable(path);
            }
        }
        result
    }

    /// Whether `error` may come from a stale connection.
    fn explains(error: &sqlx::Error) -> bool {
        matches!(FileErrorKind::of(error), FileErrorKind::ReadOnly | FileErrorKind::Unopened)
    }

    /// Whether a connection of this age was opened before the last mark.
    #[expect(clippy::disallowed_methods, reason = "the pool reads the ages of connections from the same clock")]
    fn is_stale(&self, age: Duration) -> bool {
        self.0.moment.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|since| since.elapsed() <= age)
    }
}

/// Makes the `-wal` and `-shm` files writable again. SQLite creates them with the permissions of the store: those
/// created while it was read-only stay so and block writing.
fn make_writable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let is_sealed = |path: &Path| std::fs::metadata(path).is_ok_and(|it| it.permissions().mode() & 0o200 == 0);
        if is_sealed(path) {
            return;
        }
        for ending in ["-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            if is_sealed(Path::new(&name)) {
                // If this fails, so does the next attempt to write, which reports it.
                let _ = std::fs::set_permissions(&name, Permissions::from_mode(0o600));
            }
        }
    }
}

/// Marks the file at `path` as in use. Waits up to 1.5 s for a process that excludes all others.
async fn mark(path: &Path) -> Result<InUse, OpenError> {
    let mark = retry_until_found(|| InUse::mark(path)).await;
    // The error is about the mark, not the store.
    let mark = mark.map_err(|error| OpenError::Folder(InUse::path(path), error))?;
    mark.ok_or_else(|| OpenError::File(path.to_owned(), FileErrorKind::Busy))
}

/// Takes the lock at `path`, or returns `None` if another process keeps it for 1.5 s.
async fn lock(path: &Path) -> io::Result<Option<File>> {
    // Security: readable by its owner only, because any user who can open the file could hold the lock.
    let file = private_files::append(path)?;
    let is_had = retry_until_found(|| match file.try_lock() {
        Ok(()) => Ok(Some(())),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    });
    Ok(is_had.await?.map(|()| file))
}

/// Calls `look` until it returns a value or the tries are used up.
async fn retry_until_found<T>(look: impl Fn() -> io::Result<Option<T>>) -> io::Result<Option<T>> {
    for _ in 0..LOOKS {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        tokio::time::sleep(PAUSE).await;
    }
    look()
}

/// Creates the file at `path` with mode 0600, or restricts an existing one to its owner.
fn create_private_file(path: &Path) -> io::Result<()> {
    match private_files::create_new(path) {
        Ok(file) => {
            drop(file);
            // Sync the folder, so that the new name survives a power failure.
            File::options().read(true).open(private_files::folder_of(path))?.sync_all()
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let metadata = std::fs::metadata(path)?;
                if metadata.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                if metadata.permissions().mode() & 0o077 != 0 {
                    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
                }
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}
