//! What is kept about registrations, in SQLite or PostgreSQL. The only folder that knows SQL.
//!
//! A registration is one document with a version. [`Store::update`] reads it, applies a pure transition, and writes
//! it back with everything that happens beside it in one transaction; nothing else changes a registration. The other
//! tables are what must be found fast or counted together: credentials by digest, links, spent tokens, mail, counters.
//!
//! Every call is bounded in time. Work runs in a task of its own, so that a client that goes away never leaves a
//! transaction half begun.

mod access;
mod bulk;
mod credentials;
mod doubt;
mod effects;
mod error;
mod inspect;
mod limits;
mod open;
mod outbox;
mod providers;
mod registrations;
mod silence;
mod sql;
mod sweep;
#[cfg(test)]
pub(crate) mod testing;
mod void;

use std::{path::Path, sync::Arc, time::Duration};

use tokio::runtime::Handle;
use tracing::instrument::WithSubscriber as _;

use crate::Time;

use self::sql::{Db, values};
pub(crate) use self::{
    access::AccessLink,
    bulk::Selection,
    credentials::Held,
    error::{OpenError, StoreError},
    inspect::is_store,
    limits::{Budget, Exhausted, Gate, Guesses},
    open::{InUse, Place},
    outbox::{Due, Pile},
    providers::{Acquaintance, Linked, Reported},
};

/// How long any answer may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// The store. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    db: Arc<Db>,
    /// Held for as long as anybody may use the store.
    _in_use: Arc<Option<InUse>>,
    runtime: Handle,
}

type Result<T> = std::result::Result<T, StoreError>;

impl Store {
    /// Opens what is at `place` and brings its tables up to date. Work runs on `runtime`.
    pub(crate) async fn open(place: &Place, runtime: Handle) -> std::result::Result<Self, OpenError> {
        // On the runtime itself: what is opened keeps its timers and sockets there.
        let (db, in_use) = open::open(place).await?;
        Ok(Self { db: Arc::new(db), _in_use: Arc::new(in_use), runtime })
    }

    /// The same for the file at `path`, from which the caller has kept everybody else out.
    pub(crate) async fn open_alone(path: &Path, runtime: Handle) -> std::result::Result<Self, OpenError> {
        Ok(Self { db: Arc::new(open::open_file(path).await?), _in_use: Arc::new(None), runtime })
    }

    /// Ends its connections; what was committed is in the file.
    pub(crate) async fn close(&self) {
        match &*self.db {
            Db::Sqlite(pool, _) => pool.close().await,
            Db::Pg(server) => server.pool.close().await,
        }
    }

    /// Whether it reads and writes.
    pub(crate) async fn probe(&self) -> Result<()> {
        const SQL: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ('probe', 1, 0)
            ON CONFLICT (bucket) DO UPDATE SET count = 1 RETURNING count";
        let db = Arc::clone(&self.db);
        self.run(async move {
            db.one(SQL, values![]).await?;
            Ok(())
        })
        .await
    }

    /// By how many milliseconds the clock of the database is ahead of `now`. Nothing where it has none of its own.
    pub(crate) async fn ahead(&self, now: Time) -> Result<Option<i64>> {
        const SQL: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        if !matches!(&*self.db, Db::Pg(..)) {
            return Ok(None);
        }
        let db = Arc::clone(&self.db);
        self.run(async move {
            let row = db.one(SQL, values![]).await?;
            Ok(row.map(|row| row.number(0)).transpose()?.map(|theirs| theirs - now.millis()))
        })
        .await
    }

    /// Runs `work` to its end, and waits for it no longer than the deadline. What it tells goes where the caller's words
    /// go.
    async fn run<T: Send + 'static>(&self, work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
        match tokio::time::timeout(DEADLINE, self.runtime.spawn(work.with_current_subscriber())).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => {
                tracing::error!("work on the store broke off");
                Err(StoreError::Down)
            }
            Err(_) => {
                tracing::warn!("the store did not answer in time");
                Err(StoreError::Down)
            }
        }
    }
}
