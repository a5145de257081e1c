//! What is kept about registrations, in SQLite or PostgreSQL. The only folder that knows SQL.
//!
//! A registration is one document with a version. [`Store::update`] reads it, applies a pure transition, and writes
//! it back with everything that happens beside it in one transaction; so does, by the same steps, whatever else changes
//! what a registration is. The other tables are what must be found fast or counted together: credentials by digest, links, spent tokens, mail, counters.
//!
//! Every call is bounded in time. Work runs in a task of its own, so that a client that goes away never leaves a
//! transaction half begun.

mod access;
mod address;
mod copy;
mod credentials;
mod dossier;
mod effects;
mod error;
mod file;
mod in_use;
mod inspect;
mod letters;
mod limits;
mod marks;
mod migrations;
mod open;
mod people;
#[cfg(test)]
mod plans;
mod providers;
mod registrations;
mod revoke;
mod server;
mod silence;
mod sql;
mod standing;
mod suspicion;
mod sweep;
#[cfg(test)]
pub(crate) mod testing;

use std::{path::Path, sync::Arc, time::Duration};

use tokio::runtime::Handle;
use tracing::instrument::WithSubscriber as _;

use crate::{Time, registration::Refusal};

pub(crate) use self::{
    access::AccessLink,
    credentials::Held,
    error::{Failure, Fault, OpenError, StoreError},
    in_use::InUse,
    inspect::is_store,
    letters::{Due, LEASE, Pile},
    limits::{Budget, Exhausted, Gate, Guesses, Whose, Within},
    marks::{About, Mark, Reported},
    open::Location,
    people::Linked,
    providers::Acquaintance,
    revoke::{Notice, Selection},
};
use self::{
    sql::{Db, Row, Value, values},
    standing::Standing,
};

/// How many registrations one transaction ends or forgets, so that nobody waits long for it.
const BATCH: usize = 50;

/// How long a connection, or the turn to write, may be waited for.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How long any answer may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// The store. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    db: Arc<Db>,
    standing: Arc<Standing>,
    runtime: Handle,
}

type Result<T> = std::result::Result<T, StoreError>;
/// What a transition answers: the store did its part whatever that is.
type Answer<T> = std::result::Result<T, Refusal>;

impl Store {
    /// Opens what is at `location` and brings its tables up to date. Work runs on `runtime`.
    pub(crate) async fn open(location: &Location, runtime: Handle) -> std::result::Result<Self, OpenError> {
        // On the runtime itself: what is opened keeps its timers and sockets there.
        Ok(Self::of(open::open(location).await?, runtime))
    }

    /// The same; but where it cannot be opened for a reason that may pass, it is tried again for as long as it takes, and
    /// until then it does not answer.
    pub(crate) async fn open_when_it_can_be(
        location: &Location,
        runtime: Handle,
    ) -> std::result::Result<Self, OpenError> {
        let standing = Arc::default();
        let db = open::open_when_it_can_be(location, &standing).await?;
        Ok(Self { standing, ..Self::of(db, runtime) })
    }

    /// Opens the file at `path`, which is there, to copy it: its tables stay as they are, be they of another version.
    pub(crate) async fn open_as_it_is(path: &Path, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let file = file::FileStore::default();
        file.open_as_it_is(path).await?;
        Ok(Self::of(Db::Sqlite(file), runtime))
    }

    /// Opens the file at `path`, from which the caller has kept everybody else out.
    pub(crate) async fn open_alone(path: &Path, runtime: Handle) -> std::result::Result<Self, OpenError> {
        let file = file::FileStore::default();
        file.open_alone(path).await?;
        Ok(Self::of(Db::Sqlite(file), runtime))
    }

    fn of(db: Db, runtime: Handle) -> Self {
        Self { db: Arc::new(db), standing: Arc::default(), runtime }
    }

    /// Ends its connections; what was committed is in the file.
    pub(crate) async fn close(&self) {
        match &*self.db {
            Db::Sqlite(file) => file.close().await,
            Db::Pg(server) => server.pool.close().await,
        }
    }

    /// Whether it reads and writes.
    pub(crate) async fn probe(&self) -> Result<()> {
        const SQL: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ('probe', 1, 0)
            ON CONFLICT (bucket) DO UPDATE SET count = 1 RETURNING count";
        let db = Arc::clone(&self.db);
        self.run(async move { Ok(db.one(SQL, values![]).await?) }).await.map(drop)
    }

    /// By how many milliseconds the clock of the database is ahead of `now`. Nothing where it has none of its own.
    pub(crate) async fn ahead(&self, now: Time) -> Result<Option<i64>> {
        const SQL: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        if !matches!(&*self.db, Db::Pg(..)) {
            return Ok(None);
        }
        let row = self.one(SQL, values![]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.map(|theirs| theirs - now.millis()))
    }

    /// All rows of a single statement.
    async fn all(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        let db = Arc::clone(&self.db);
        self.run(async move {
            let look = db.look().await?;
            Ok(db.all_in(&look, sql, values).await?)
        })
        .await
    }

    /// The only row of a single statement, if there is one.
    async fn one(&self, sql: &'static str, values: Vec<Value>) -> Result<Option<Row>> {
        Ok(self.all(sql, values).await?.into_iter().next())
    }

    /// Runs `work` to its end, and waits for it no longer than the deadline. What it tells goes where the caller's words
    /// go.
    async fn run<T: Send + 'static>(&self, work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
        let done = match tokio::time::timeout(DEADLINE, self.runtime.spawn(work.with_current_subscriber())).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => {
                tracing::error!("work on the store broke off");
                Err(StoreError::Down(Failure::Unusable))
            }
            Err(_) => {
                tracing::debug!("the store did not answer in time");
                Err(StoreError::Down(Failure::Late("no answer in time".to_owned())))
            }
        };
        self.standing.hear(&done);
        done
    }
}
