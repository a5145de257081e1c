//! Storage of registrations in SQLite or PostgreSQL. SQL is written only in this folder.
//!
//! A registration is one JSON document with a version. [`Store::update`] reads it, applies a pure transition, and
//! writes it back with all side effects in one transaction; every other change takes the same steps. The other tables
//! hold what must be found fast or counted together: credentials by digest, links, spent tokens, mail, counters.
//!
//! Every call has a deadline. Work runs in a task of its own, so that a client that disconnects never leaves half a
//! transaction. After the deadline, work that has not begun is dropped and work that has begun is finished.

mod access;
mod address;
mod budget;
mod copy;
mod credentials;
mod effects;
mod email_opt_out;
mod email_queue;
pub(crate) mod error;
mod file;
mod health;
mod in_use;
mod inspect;
mod levels;
mod limits;
mod migrations;
mod open;
mod people;
mod personal_data;
#[cfg(test)]
mod plans;
mod postgres_health;
mod providers;
mod registrations;
mod revoke;
mod server;
mod sql;
mod sweep;
mod tally;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod watermarks;

use std::{path::Path, sync::Arc, time::Duration};

use clock::Time;
use tokio::{runtime::Handle, time::Instant};
use tracing::instrument::WithSubscriber as _;

use crate::{domain::RegistrationError, metrics::Metrics};

pub use self::{
    access::AccessLink,
    budget::{Budget, BudgetScope, Exhausted, Guesses, Within},
    credentials::CredentialHolder,
    email_queue::{Due, EmailQueue, LEASE},
    error::{FileErrorKind, OpenError, StoreError, StoreFailure},
    in_use::InUse,
    inspect::examine,
    limits::RegistrationGate,
    open::Location,
    people::Linked,
    providers::KnownUser,
    revoke::{RevocationNotice, Selection},
    tally::{KEPT, KEPT_SECRET, SecretWords, StoredTally, TallyRow},
    watermarks::{ReportedUser, Watermark, WatermarkSubject},
};
use self::{
    health::StoreHealth,
    levels::Levels,
    sql::{Db, SqlRow, SqlValue, values},
};

/// Registrations that one transaction ends or deletes: few, because other writers wait for it.
const BATCH: usize = 50;

/// Unit tests run beside others on few processors: there, a call may take twice as long.
const PATIENCE: u64 = if cfg!(test) { 2 } else { 1 };

/// Longest wait for a connection or a write permit.
const WAIT_TIMEOUT: Duration = Duration::from_millis(1500 * PATIENCE);

/// Deadline of a call.
const DEADLINE: Duration = Duration::from_millis(2000 * PATIENCE);

/// The store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    db: Arc<Db>,
    health: Arc<StoreHealth>,
    levels: Arc<Levels>,
    metrics: Arc<Metrics>,
    runtime: Handle,
}

type Result<T> = std::result::Result<T, StoreError>;
/// The result of a transition, for the caller. The store has done its part in either case.
type StepResult<T> = std::result::Result<T, RegistrationError>;

impl Store {
    /// Opens the store at `location` and migrates it. Work runs on `runtime`.
    pub async fn open(location: &Location, runtime: Handle) -> std::result::Result<Self, OpenError> {
        // The library keeps timers and sockets on the runtime that opens the store.
        Ok(Self::of(open::open(location).await?, runtime))
    }

    /// Like `open`, but retries in the background if the error [is transient](OpenError::is_transient). Until then,
    /// calls fail.
    pub async fn open_with_retries(location: &Location, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let health = Arc::default();
        let db = open::open_with_retries(location, &health).await?;
        Ok(Self { health, ..Self::of(db, runtime) })
    }

    /// Opens the existing file at `path` to copy it, whatever the version of its tables.
    pub async fn open_without_migration(path: &Path, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let file = file::FileStore::default();
        file.open_without_migration(path).await?;
        Ok(Self::of(Db::Sqlite(file), runtime))
    }

    /// Opens the file at `path` for a caller that has excluded all other processes.
    pub async fn open_exclusively(path: &Path, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let file = file::FileStore::default();
        file.open_exclusively(path).await?;
        Ok(Self::of(Db::Sqlite(file), runtime))
    }

    fn of(db: Db, runtime: Handle) -> Self {
        Self { db: Arc::new(db), health: Arc::default(), levels: Arc::default(), metrics: Arc::default(), runtime }
    }

    /// Closes the connections.
    pub async fn close(&self) {
        match &*self.db {
            Db::Sqlite(file) => file.close().await,
            Db::Pg(server) => server.pool.close().await,
        }
    }

    /// Returns the use of the shared budgets.
    pub(crate) fn levels(&self) -> &Levels {
        &self.levels
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the connections in use, idle and allowed; `None` while the store is not open.
    pub(crate) fn connections(&self) -> Option<(u32, u32, u32)> {
        fn of<D: sqlx::Database>(pool: &sqlx::Pool<D>) -> (u32, u32, u32) {
            let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
            (pool.size().saturating_sub(idle), idle, pool.options().get_max_connections())
        }
        match &*self.db {
            Db::Sqlite(file) => file.pool().ok().map(of),
            Db::Pg(server) => Some(of(&server.pool)),
        }
    }

    /// Whether calls fail, and not only come late behind others.
    pub fn is_failing(&self) -> bool {
        self.health.is_failing()
    }

    /// Checks that the store can be read and written.
    pub async fn probe(&self) -> Result<()> {
        const SQL: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ('probe', 1, 0)
            ON CONFLICT (bucket) DO UPDATE SET count = 1 RETURNING count";
        let db = Arc::clone(&self.db);
        self.run(async move { Ok(db.one(SQL, values![]).await?) }).await.map(drop)
    }

    /// Returns the database's clock minus `now`, in milliseconds; `None` for a file, which has no clock.
    pub(crate) async fn clock_skew(&self, now: Time) -> Result<Option<i64>> {
        const SQL: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        if !matches!(&*self.db, Db::Pg(..)) {
            return Ok(None);
        }
        let row = self.one(SQL, values![]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.map(|theirs| theirs - now.millis()))
    }

    /// Returns all rows of a single statement.
    async fn all(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            let permit = db.acquire_read_permit().await?;
            Ok(db.all_with(&permit, sql, values).await?)
        })
        .await
    }

    /// Returns the first row of a single statement.
    async fn one(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Option<SqlRow>> {
        Ok(self.all(sql, values).await?.into_iter().next())
    }

    /// Runs `work` to its end, but waits for it only until the deadline. The task logs to the caller's subscriber.
    #[expect(clippy::disallowed_methods, reason = "how long I/O takes is I/O's own clock")]
    async fn run<T: Send + 'static>(&self, work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
        let start = Instant::now();
        let done = match tokio::time::timeout(DEADLINE, self.runtime.spawn(work.with_current_subscriber())).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => {
                tracing::error!("a task of the store ended without a result");
                Err(StoreError::Down(StoreFailure::Unusable))
            }
            Err(_) => {
                tracing::debug!("the store did not answer in time");
                Err(StoreError::Down(StoreFailure::Late("no answer in time".to_owned())))
            }
        };
        self.metrics.count_store_call(start.elapsed(), &done);
        self.health.record(&done);
        done
    }
}
