//! One way to speak SQL to SQLite and PostgreSQL: the same text for both, with strings and integers only.

use std::sync::Arc;

use sqlx::{Postgres, Row as _, Sqlite, Transaction, postgres::PgRow, sqlite::SqliteRow};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout},
};

use super::{
    DEADLINE, WAIT_TIMEOUT,
    error::is_verdict,
    file::{FileStore, PROBE, Stale},
    postgres_health::PostgresHealth,
    server::Server,
};
use crate::domain::{Change, Deed, Line, RegistrationId};

/// The database.
#[derive(Clone, Debug)]
pub(super) enum Db {
    Sqlite(FileStore),
    Pg(Server),
}

/// A transaction, rolled back unless it is committed.
pub(super) struct Tx {
    kind: Kind,
    /// Declared after the transaction, which must end first.
    turn: WritePermit,
    /// What is logged about it once it is committed.
    told: Vec<Line>,
}

/// The turn to write.
pub(super) struct WritePermit {
    /// When the wait for it began.
    asked: Instant,
    #[expect(dead_code, reason = "what it holds ends with it")]
    permit: OwnedSemaphorePermit,
}

/// A place to read without a turn.
pub(super) struct ReadPermit {
    /// When the wait for it began.
    asked: Instant,
    #[expect(dead_code, reason = "what it holds ends with it")]
    permit: Option<OwnedSemaphorePermit>,
}

enum Kind {
    Sqlite(Transaction<'static, Sqlite>, Stale),
    Pg(Transaction<'static, Postgres>, PostgresHealth),
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    /// A string or NULL.
    Maybe(Option<String>),
    Number(i64),
}

/// A row of a result. Columns are read by position, from 0.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Pg(PgRow),
}

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Builds a query with its parameters.
macro_rules! query {
    ($kind:ty, $sql:expr, $values:expr) => {{
        let mut query = sqlx::query::<$kind>($sql);
        for value in $values {
            query = match value {
                Value::Text(text) => query.bind(text.as_str()),
                Value::Maybe(text) => query.bind(text.as_deref()),
                Value::Number(number) => query.bind(*number),
            };
        }
        query
    }};
}

impl Db {
    /// Waits for the turn to write, but no longer than for a connection.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn turn(&self) -> Result<WritePermit> {
        let asked = Instant::now();
        let turns = match self {
            Self::Sqlite(file) => file.turn()?,
            Self::Pg(server) => Arc::clone(&server.turns),
        };
        let permit = timeout(WAIT_TIMEOUT, turns.acquire_owned()).await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        Ok(WritePermit { asked, permit: permit.map_err(|_| sqlx::Error::PoolClosed)? })
    }

    /// Waits for a place to read without a turn, but no longer than for a connection. Where readers cannot keep others
    /// from reading, there is always one.
    ///
    /// Security: without this, a client that asks often enough takes every connection, and credentials can no longer be
    /// read. Credentials are read without a place, and so is whatever is read with a turn.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn look(&self) -> Result<ReadPermit> {
        let asked = Instant::now();
        let Self::Pg(server) = self else { return Ok(ReadPermit { asked, permit: None }) };
        let permit = timeout(WAIT_TIMEOUT, Arc::clone(&server.looks).acquire_owned()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        Ok(ReadPermit { asked, permit: Some(permit) })
    }

    /// Begins a transaction that is meant to write.
    pub(super) async fn begin(&self) -> Result<Tx> {
        self.begin_in(self.turn().await?).await
    }

    /// Like `begin`, for a caller that has the turn. Fails once the caller has been told that the store does not
    /// answer: otherwise work whose caller has gone would delay those that still wait.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn begin_in(&self, turn: WritePermit) -> Result<Tx> {
        let kind = match self {
            // A plain BEGIN would fail at its first write if another had written since its first read.
            Self::Sqlite(file) => {
                let begun = file.once_more(|| begin_to_write(file)).await?;
                Kind::Sqlite(begun, file.stale().clone())
            }
            Self::Pg(server @ Server { pool, postgres_health, .. }) => {
                let begun = server.explained(postgres_health.answered(pool.begin()).await).await?;
                Kind::Pg(begun, postgres_health.clone())
            }
        };
        let is_late = turn.asked.elapsed() >= DEADLINE;
        let tx = Tx { kind, turn, told: Vec::new() };
        if !is_late {
            return Ok(tx);
        }
        tx.roll_back().await?;
        Err(sqlx::Error::PoolTimedOut)
    }

    /// Returns all rows of a single statement.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn all(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        self.all_since(Instant::now(), sql, values).await
    }

    /// Like `all`, for a caller that has a place. As with a turn, fails once the caller has been told that the store
    /// does not answer: some single statements change something.
    pub(super) async fn all_in(&self, look: &ReadPermit, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        self.all_since(look.asked, sql, values).await
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    async fn all_since(&self, asked: Instant, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        Ok(match self {
            Self::Sqlite(file) => {
                let ask = || async { file.stale().noted(query!(Sqlite, sql, &values).fetch_all(file.pool()?).await) };
                file.once_more(ask).await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Pg(server @ Server { pool, postgres_health, .. }) => {
                // Boxed because the future that waits for a connection is large.
                let acquired = postgres_health.answered(Box::pin(pool.acquire())).await;
                let mut connection = server.explained(acquired).await?;
                if asked.elapsed() >= DEADLINE {
                    return Err(sqlx::Error::PoolTimedOut);
                }
                let rows = postgres_health.answered(query!(Postgres, sql, &values).fetch_all(&mut *connection)).await?;
                rows.into_iter().map(Row::Pg).collect()
            }
        })
    }

    /// Returns the only row of a single statement, if there is one.
    pub(super) async fn one(&self, sql: &'static str, values: Vec<Value>) -> Result<Option<Row>> {
        self.all(sql, values).await.map(|rows| rows.into_iter().next())
    }
}

/// Begins a transaction in a file, on a connection that may write. A connection opened while it might not write says so
/// only at the first statement that writes; `BEGIN IMMEDIATE` does not reveal it.
async fn begin_to_write(file: &FileStore) -> Result<Transaction<'static, Sqlite>> {
    let mut begun = file.stale().noted(file.pool()?.begin_with("BEGIN IMMEDIATE").await)?;
    file.stale().noted(sqlx::query(PROBE).execute(&mut *begun).await)?;
    Ok(begun)
}

impl Tx {
    /// Returns all rows.
    pub(super) async fn all(&mut self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        Ok(match &mut self.kind {
            Kind::Sqlite(tx, stale) => {
                let rows = stale.noted(query!(Sqlite, sql, &values).fetch_all(&mut **tx).await)?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Kind::Pg(tx, postgres_health) => {
                let rows = postgres_health.answered(query!(Postgres, sql, &values).fetch_all(&mut **tx)).await?;
                rows.into_iter().map(Row::Pg).collect()
            }
        })
    }

    /// Returns the only row, if there is one.
    pub(super) async fn one(&mut self, sql: &'static str, values: Vec<Value>) -> Result<Option<Row>> {
        self.all(sql, values).await.map(|rows| rows.into_iter().next())
    }

    /// Changes rows and returns how many.
    pub(super) async fn run(&mut self, sql: &'static str, values: Vec<Value>) -> Result<u64> {
        Ok(match &mut self.kind {
            Kind::Sqlite(tx, stale) => {
                stale.noted(query!(Sqlite, sql, &values).execute(&mut **tx).await)?.rows_affected()
            }
            Kind::Pg(tx, postgres_health) => {
                postgres_health.answered(query!(Postgres, sql, &values).execute(&mut **tx)).await?.rows_affected()
            }
        })
    }

    /// Records what the transaction does to the registration `id`.
    pub(super) fn tell(&mut self, id: RegistrationId, change: Change) {
        self.told.push(Line::Change(id, change));
    }

    /// Records what a person does in the transaction.
    pub(super) fn tell_of(&mut self, deed: Deed) {
        self.told.push(Line::Deed(deed));
    }

    /// Commits the transaction, then writes to the log what was recorded of it. If the database does not say what
    /// became of it, it may have been committed all the same; a caller that tries again then finds it done and has
    /// nothing to record, so the lines are written now.
    pub(super) async fn commit(self) -> Result<()> {
        let committed = match self.kind {
            Kind::Sqlite(transaction, _) => transaction.commit().await,
            Kind::Pg(transaction, postgres_health) => postgres_health.answered(transaction.commit()).await,
        };
        drop(self.turn);
        if !committed.as_ref().is_err_and(is_verdict) {
            for line in self.told {
                line.write(committed.is_ok());
            }
        }
        committed
    }

    /// Rolls the transaction back. Dropping it does so too, but later.
    pub(super) async fn roll_back(self) -> Result<()> {
        match self.kind {
            Kind::Sqlite(transaction, _) => transaction.rollback().await,
            Kind::Pg(transaction, postgres_health) => postgres_health.answered(transaction.rollback()).await,
        }
    }
}

impl Row {
    pub(super) fn text(&self, column: usize) -> Result<String> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Pg(row) => row.try_get(column),
        }
    }

    pub(super) fn maybe_text(&self, column: usize) -> Result<Option<String>> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Pg(row) => row.try_get(column),
        }
    }

    pub(super) fn number(&self, column: usize) -> Result<i64> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Pg(row) => row.try_get(column),
        }
    }

    pub(super) fn maybe_number(&self, column: usize) -> Result<Option<i64>> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Pg(row) => row.try_get(column),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        Self::Maybe(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<clock::Time> for Value {
    fn from(time: clock::Time) -> Self {
        Self::Number(time.millis())
    }
}

/// Parameters in their order.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::store::sql::Value::from($value)),*] };
}
pub(super) use values;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::{
        server::LOOKERS,
        testing::{postgres, runtime},
    };

    #[test]
    fn work_is_not_done_after_its_caller_got_503() {
        const COUNT: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ('late', 1, 0) RETURNING count";
        const COUNTED: &str = "SELECT count FROM counter WHERE bucket = 'late'";
        let Some(kept) = postgres() else { return println!("no PostgreSQL") };
        runtime().block_on(async {
            let Db::Pg(Server { pool, looks, .. }) = &*kept.store.db else { panic!("another kind of store") };
            let places = Arc::clone(looks).acquire_many_owned(LOOKERS as u32).await.unwrap();
            let mut connections = Vec::new();
            while connections.len() < pool.options().get_max_connections() as usize {
                connections.push(pool.acquire().await.unwrap());
            }
            // Neither wait alone is too long, but both together are.
            let free = async {
                tokio::time::sleep(Duration::from_millis(1_200)).await;
                drop(places);
                tokio::time::sleep(Duration::from_millis(1_100)).await;
                drop(connections);
            };
            let (answer, ()) = tokio::join!(kept.store.one(COUNT, values![]), free);
            assert!(answer.is_err());
            // Everything that had a place has given it back.
            let all = timeout(Duration::from_secs(10), looks.acquire_many(LOOKERS as u32)).await;
            drop(all.unwrap().unwrap());
            assert!(kept.store.one(COUNTED, values![]).await.unwrap().is_none());
        });
    }
}
