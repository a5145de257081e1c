//! What is kept about registrations, in SQLite or PostgreSQL. This is the only folder that knows SQL.
//!
//! A registration is one document with a version. [`Store::update`] reads it, applies a pure transition, and writes it
//! back together with all side effects in one transaction; everything else that changes a registration takes the same
//! steps. The other tables hold what must be found fast or counted together: credentials by digest, links, spent
//! tokens, mail, counters.
//!
//! Every call is bounded in time. Work runs in a task of its own, so that a client that goes away never leaves a
//! transaction half done: once the caller has been told that the store does not answer, work that has not begun is
//! given up, and work that has begun is finished.

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
    inspect::is_store,
    limits::RegistrationGate,
    open::Location,
    people::Linked,
    providers::KnownUser,
    revoke::{RevocationNotice, Selection},
    watermarks::{ReportedUser, Watermark, WatermarkSubject},
};
use self::{
    health::StoreHealth,
    levels::Levels,
    sql::{Db, SqlRow, SqlValue, values},
};

/// How many registrations one transaction ends or forgets. Kept small so that other writers do not wait long for it.
const BATCH: usize = 50;

/// The longest wait for a connection, or for the turn to write.
const WAIT_TIMEOUT: Duration = Duration::from_millis(1500);

/// The longest that any answer may take.
const DEADLINE: Duration = Duration::from_secs(2);

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
/// What a transition answers. Whatever it is, the store has done its part.
type StepResult<T> = std::result::Result<T, RegistrationError>;

impl Store {
    /// Opens the store at `location` and brings its tables up to date. Work runs on `runtime`.
    pub async fn open(location: &Location, runtime: Handle) -> std::result::Result<Self, OpenError> {
        // On the runtime itself: an opened store keeps its timers and sockets there.
        Ok(Self::of(open::open(location).await?, runtime))
    }

    /// Like `open`, but if the store cannot be opened for a reason that may pass, keeps trying for as long as it takes.
    /// Until it succeeds, the store does not answer.
    pub async fn open_with_retries(location: &Location, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let health = Arc::default();
        let db = open::open_with_retries(location, &health).await?;
        Ok(Self { health, ..Self::of(db, runtime) })
    }

    /// Opens the existing file at `path` to copy it, leaving its tables as they are, even if they are of another
    /// version.
    pub async fn open_without_migration(path: &Path, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let file = file::FileStore::default();
        file.open_without_migration(path).await?;
        Ok(Self::of(Db::Sqlite(file), runtime))
    }

    /// Opens the file at `path`, from which the caller has excluded all others.
    pub async fn open_exclusively(path: &Path, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let file = file::FileStore::default();
        file.open_exclusively(path).await?;
        Ok(Self::of(Db::Sqlite(file), runtime))
    }

    fn of(db: Db, runtime: Handle) -> Self {
        Self { db: Arc::new(db), health: Arc::default(), levels: Arc::default(), metrics: Arc::default(), runtime }
    }

    /// Closes its connections. What was committed is in the file.
    pub async fn close(&self) {
        match &*self.db {
            Db::Sqlite(file) => file.close().await,
            Db::Pg(server) => server.pool.close().await,
        }
    }

    /// Returns how full the budgets are that all clients share.
    pub(crate) fn levels(&self) -> &Levels {
        &self.levels
    }

    /// Returns what is counted of the store, and of those who use it.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns how many connections are in use, are idle, and may be open; `None` while there are none.
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

    /// Checks that the store reads and writes.
    pub async fn probe(&self) -> Result<()> {
        const SQL: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ('probe', 1, 0)
            ON CONFLICT (bucket) DO UPDATE SET count = 1 RETURNING count";
        let db = Arc::clone(&self.db);
        self.run(async move { Ok(db.one(SQL, values![]).await?) }).await.map(drop)
    }

    /// Returns by how many milliseconds the database's clock is ahead of `now`, or `None` if the database has no clock
    /// of its own.
    pub(crate) async fn clock_skew(&self, now: Time) -> Result<Option<i64>> {
        const SQL: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        if !matches!(&*self.db, Db::Pg(..)) {
            return Ok(None);
        }
        let row = self.one(SQL, values![]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.map(|theirs| theirs - now.millis()))
    }

    /// All rows of a single statement.
    async fn all(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            let permit = db.acquire_read_permit().await?;
            Ok(db.all_with(&permit, sql, values).await?)
        })
        .await
    }

    /// The only row of a single statement, if there is one.
    async fn one(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Option<SqlRow>> {
        Ok(self.all(sql, values).await?.into_iter().next())
    }

    /// Runs `work` to its end, but waits for it no longer than the deadline. What it logs goes where the caller's log
    /// goes.
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
