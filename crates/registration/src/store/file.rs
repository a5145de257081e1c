//! A store in a file on this machine.
//!
//! The disk may be full, or the file not writable, both when the service starts and while it runs. Neither is a reason
//! not to serve what needs no store: such a file is tried again until it can be opened.

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

/// How often a lock that another process has is tried, and the pause between attempts.
const LOOKS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(25);
/// Connections to the file. Only one at a time writes.
const CONNECTIONS: u32 = 4;
/// A statement that needs to write but changes nothing.
pub(super) const PROBE: &str = "DELETE FROM counter WHERE bucket = ''";

/// A store in a file. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct FileStore {
    opened: Arc<OnceLock<Opened>>,
    stale: Stale,
}

/// What is done to the tables of a file when it is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MigrationMode {
    UpToDate,
    AsTheyAre,
}

#[derive(Debug)]
struct Opened {
    pool: SqlitePool,
    place: StorePlace,
    /// The turn to write. Those who wait for it are served in order, instead of asking the file again and again.
    turn: Arc<Semaphore>,
    /// Held for as long as the file may be used.
    _in_use: Option<InUse>,
}

impl FileStore {
    /// Opens the file at `path`, which may be new.
    pub(super) async fn open(&self, path: &Path) -> Result<(), OpenError> {
        let in_use = mark(path).await?;
        self.open_with(path, Some(in_use), MigrationMode::UpToDate).await
    }

    /// Opens the file at `path` to read what it holds, whichever version of this program made it.
    pub(super) async fn open_without_migration(&self, path: &Path) -> Result<(), OpenError> {
        let in_use = mark(path).await?;
        self.open_with(path, Some(in_use), MigrationMode::AsTheyAre).await
    }

    /// Opens the file at `path` without a mark, for a caller that has excluded all others.
    pub(super) async fn open_exclusively(&self, path: &Path) -> Result<(), OpenError> {
        self.open_with(path, None, MigrationMode::UpToDate).await
    }

    async fn open_with(&self, path: &Path, in_use: Option<InUse>, tables: MigrationMode) -> Result<(), OpenError> {
        let pool = self.connect(path, tables).await?;
        let place = StorePlace::of(path);
        let opened = Opened { pool, place, turn: Arc::new(Semaphore::new(1)), _in_use: in_use };
        // No file is opened twice.
        let _ = self.opened.set(opened);
        Ok(())
    }

    async fn connect(&self, path: &Path, tables: MigrationMode) -> Result<SqlitePool, OpenError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| OpenError::Folder(path, error)
        };
        // SQLite's own migration lock does nothing: two processes that start together on a new file would both create
        // it.
        let lock_path = path.with_extension("lock");
        let lock = lock(&lock_path).await.map_err(failed(&lock_path))?;
        let _lock = lock.ok_or_else(|| OpenError::File(path.to_owned(), FileErrorKind::Busy))?;
        create_private_file(path).map_err(failed(path))?;
        let _ = self.stale.0.path.set(path.to_owned());
        make_writable(path);
        let options = SqliteConnectOptions::new()
            .filename(path)
            // That the file was removed is no reason to begin a new one while the service runs.
            .create_if_missing(false)
            .journal_mode(SqliteJournalMode::Wal)
            // An answer that was sent must survive a power failure.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(WAIT_TIMEOUT)
            // A page that many commits change is written back once.
            .pragma("wal_autocheckpoint", "4000")
            // And a log that had to grow is cut back.
            .pragma("journal_size_limit", "33554432")
            // Rows that are forgotten must not remain in the file.
            .pragma("secure_delete", "ON")
            .foreign_keys(true);
        let stale = self.stale.clone();
        let refused = |error: &sqlx::Error| OpenError::File(path.to_owned(), FileErrorKind::of(error));
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(WAIT_TIMEOUT)
            .test_before_acquire(false)
            // When the disk refuses a commit, SQLite ends the transaction but the library believes that it goes on:
            // such a connection could never write again.
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
            // That a file was opened does not tell whether it may be written.
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

    /// Returns the connections, if what they lead to is still the store.
    pub(super) fn pool(&self) -> sqlx::Result<&SqlitePool> {
        let opened = self.opened.get().ok_or(sqlx::Error::PoolClosed)?;
        if opened.place.is_lost() { Err(Displaced.into()) } else { Ok(&opened.pool) }
    }

    /// Returns the turn to write.
    pub(super) fn write_permits(&self) -> sqlx::Result<Arc<Semaphore>> {
        self.opened.get().map(|opened| Arc::clone(&opened.turn)).ok_or(sqlx::Error::PoolClosed)
    }

    /// Closes the connections.
    pub(super) async fn close(&self) {
        if let Some(opened) = self.opened.get() {
            opened.pool.close().await;
        }
    }

    /// Runs `ask`, and runs it once more if it failed because its connection was stale: nothing was done then, and the
    /// next connection is a new one.
    pub(super) async fn once_more<T, Asked>(&self, ask: impl Fn() -> Asked) -> sqlx::Result<T>
    where
        Asked: Future<Output = sqlx::Result<T>>,
    {
        match ask().await {
            Err(error) if Stale::explains(&error) => ask().await,
            done => done,
        }
    }

    /// What connections have to know about each other.
    pub(super) const fn stale(&self) -> &Stale {
        &self.stale
    }
}

/// Where a file that is open was found. Connections lead to the file itself: they would go on reading and writing one
/// that somebody has removed, and whatever was confirmed meanwhile would be gone with the process.
#[derive(Debug)]
struct StorePlace {
    path: PathBuf,
    file: Option<FileId>,
}

/// Device and number of a file.
type FileId = (u64, u64);

impl StorePlace {
    fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), file: identity(path).ok().flatten() }
    }

    /// Whether another file, or none, is there now. A place that cannot be looked at is no reason to give up a file.
    fn is_lost(&self) -> bool {
        match identity(&self.path) {
            Ok(found) => self.file.is_some() && found != self.file,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// Returns what tells the file at `path` from every other, if the system knows such a thing.
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

/// Tracks connections that can never write again, because they were opened when the file was not writable or was a
/// different file. They are opened anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Stale(Arc<Since>);

#[derive(Debug, Default)]
struct Since {
    path: OnceLock<PathBuf>,
    moment: Mutex<Option<Instant>>,
}

impl Stale {
    /// Returns `result` as it is, and notes whether it tells of such a connection.
    #[expect(clippy::disallowed_methods, reason = "the ages of connections are told by the same clock")]
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

    /// Whether `error` may come from such a connection.
    fn explains(error: &sqlx::Error) -> bool {
        matches!(FileErrorKind::of(error), FileErrorKind::ReadOnly | FileErrorKind::Unopened)
    }

    /// Whether a connection of this `age` was opened before the last one that was noted.
    #[expect(clippy::disallowed_methods, reason = "the ages of connections are told by the same clock")]
    fn is_stale(&self, age: Duration) -> bool {
        self.0.moment.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|since| since.elapsed() <= age)
    }
}

/// Makes the files that SQLite keeps beside the store writable again. SQLite gives them the permissions of the store's
/// file: those created while that is read-only stay read-only when it no longer is, and the store with them.
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
                // Otherwise the next attempt fails as this one did.
                let _ = std::fs::set_permissions(&name, Permissions::from_mode(0o600));
            }
        }
    }
}

/// Marks the file at `path` as open, waiting a little if another process excludes all others.
async fn mark(path: &Path) -> Result<InUse, OpenError> {
    let mark = retry_until_found(|| InUse::mark(path)).await;
    // What failed is not the store, but the file beside it.
    let mark = mark.map_err(|error| OpenError::Folder(InUse::path(path), error))?;
    mark.ok_or_else(|| OpenError::File(path.to_owned(), FileErrorKind::Busy))
}

/// Takes the lock at `path`, waiting a little for it. Returns `None` if another process keeps it.
async fn lock(path: &Path) -> io::Result<Option<File>> {
    // Security: readable by its owner alone, because a user who may read it could hold the lock.
    let file = private_files::append(path)?;
    let is_had = retry_until_found(|| match file.try_lock() {
        Ok(()) => Ok(Some(())),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    });
    Ok(is_had.await?.map(|()| file))
}

/// Calls `look` until it finds something, and returns that.
async fn retry_until_found<T>(look: impl Fn() -> io::Result<Option<T>>) -> io::Result<Option<T>> {
    for _ in 0..LOOKS {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        tokio::time::sleep(PAUSE).await;
    }
    look()
}

/// Creates the file at `path`, readable by its owner alone, if it does not exist.
fn create_private_file(path: &Path) -> io::Result<()> {
    match private_files::create_new(path) {
        Ok(file) => {
            drop(file);
            // Its name must survive a power failure as well.
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
