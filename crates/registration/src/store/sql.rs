//! SQL for SQLite and PostgreSQL: the same text for both, with strings and integers only.

use std::sync::Arc;

use secrets::RegistrationId;
use sqlx::{Postgres, Row as _, Sqlite, Transaction, postgres::PgRow, sqlite::SqliteRow};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout},
};

use super::{
    DEADLINE, WAIT_TIMEOUT,
    error::is_definite,
    file::{FileStore, PROBE, Stale},
    server::PgServer,
};
use crate::domain::{AuditLine, Deed, RegistrationChange};

#[derive(Clone, Debug)]
pub(super) enum Db {
    Sqlite(FileStore),
    Pg(PgServer),
}

/// A transaction, rolled back when dropped uncommitted.
pub(super) struct Tx {
    kind: TxKind,
    /// Declared after the transaction, which must be dropped first.
    permit: WritePermit,
    /// Written to the log after the commit.
    audit_lines: Vec<AuditLine>,
}

/// A permit to write.
pub(super) struct WritePermit {
    /// When the caller began to wait.
    requested: Instant,
    #[expect(dead_code, reason = "what it holds ends with it")]
    permit: OwnedSemaphorePermit,
}

/// A permit to read outside a write permit.
pub(super) struct ReadPermit {
    /// When the caller began to wait.
    requested: Instant,
    #[expect(dead_code, reason = "what it holds ends with it")]
    permit: Option<OwnedSemaphorePermit>,
}

enum TxKind {
    Sqlite(Transaction<'static, Sqlite>, Stale),
    Pg(Transaction<'static, Postgres>, PgServer),
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) enum SqlValue {
    Text(String),
    Maybe(Option<String>),
    Number(i64),
}

/// A row. Columns are numbered from 0.
pub(super) enum SqlRow {
    Sqlite(SqliteRow),
    Pg(PgRow),
}

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Builds a query with its parameters.
macro_rules! query {
    ($kind:ty, $sql:expr, $values:expr) => {
        query!($kind, $sql, $values, true)
    };
    // Without a name on the server unless `$is_named`.
    ($kind:ty, $sql:expr, $values:expr, $is_named:expr) => {{
        let mut query = sqlx::query::<$kind>($sql).persistent($is_named);
        for value in $values {
            query = match value {
                SqlValue::Text(text) => query.bind(text.as_str()),
                SqlValue::Maybe(text) => query.bind(text.as_deref()),
                SqlValue::Number(number) => query.bind(*number),
            };
        }
        query
    }};
}

impl Db {
    /// Waits for a write permit, up to [`WAIT_TIMEOUT`].
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn acquire_write_permit(&self) -> Result<WritePermit> {
        let requested = Instant::now();
        let permits = match self {
            Self::Sqlite(file) => file.write_permits()?,
            Self::Pg(server) => Arc::clone(&server.write_permits),
        };
        let permit = timeout(WAIT_TIMEOUT, permits.acquire_owned()).await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        Ok(WritePermit { requested, permit: permit.map_err(|_| sqlx::Error::PoolClosed)? })
    }

    /// Waits for a read permit, up to [`WAIT_TIMEOUT`]. SQLite needs none: its readers do not block others.
    ///
    /// Security: without permits, a client with enough requests takes every connection, and credentials can no longer
    /// be read. Reading credentials needs no permit, nor does reading under a write permit.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn acquire_read_permit(&self) -> Result<ReadPermit> {
        let requested = Instant::now();
        let Self::Pg(server) = self else { return Ok(ReadPermit { requested, permit: None }) };
        let permit = timeout(WAIT_TIMEOUT, Arc::clone(&server.read_permits).acquire_owned()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        Ok(ReadPermit { requested, permit: Some(permit) })
    }

    /// Begins a transaction that writes.
    pub(super) async fn begin(&self) -> Result<Tx> {
        self.begin_with(self.acquire_write_permit().await?).await
    }

    /// Like `begin`, with a permit. Fails after the caller's deadline: work without a caller would delay others.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn begin_with(&self, permit: WritePermit) -> Result<Tx> {
        let kind = match self {
            // A plain `BEGIN` fails at its first write if another connection has written since its first read.
            Self::Sqlite(file) => {
                let begun = file.retry_if_stale(|| begin_to_write(file)).await?;
                TxKind::Sqlite(begun, file.stale().clone())
            }
            Self::Pg(server) => {
                let begun = server.postgres_health.await_answer(server.begin()).await;
                TxKind::Pg(server.explain_timeout(begun).await?, server.clone())
            }
        };
        let is_late = permit.requested.elapsed() >= DEADLINE;
        let tx = Tx { kind, permit, audit_lines: Vec::new() };
        if !is_late {
            return Ok(tx);
        }
        tx.roll_back().await?;
        Err(sqlx::Error::PoolTimedOut)
    }

    /// Returns all rows of a single statement.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn all(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.all_since(Instant::now(), sql, values).await
    }

    /// Like `all`, with a read permit. Fails after the caller's deadline, because some single statements write.
    pub(super) async fn all_with(
        &self,
        permit: &ReadPermit,
        sql: &'static str,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqlRow>> {
        self.all_since(permit.requested, sql, values).await
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    async fn all_since(&self, requested: Instant, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        Ok(match self {
            Self::Sqlite(file) => {
                let ask = || async { file.stale().note(query!(Sqlite, sql, &values).fetch_all(file.pool()?).await) };
                file.retry_if_stale(ask).await?.into_iter().map(SqlRow::Sqlite).collect()
            }
            Self::Pg(server) if server.is_pooled() => {
                let health = &server.postgres_health;
                let begun = health.await_answer(Box::pin(server.begin())).await;
                let mut transaction = server.explain_timeout(begun).await?;
                if requested.elapsed() >= DEADLINE {
                    return Err(sqlx::Error::PoolTimedOut);
                }
                let query = query!(Postgres, sql, &values, false);
                let rows = health.await_answer(query.fetch_all(&mut *transaction)).await?;
                health.await_answer(transaction.commit()).await?;
                rows.into_iter().map(SqlRow::Pg).collect()
            }
            Self::Pg(server @ PgServer { pool, postgres_health, .. }) => {
                // Boxed: the future is large.
                let acquired = postgres_health.await_answer(Box::pin(pool.acquire())).await;
                let mut connection = server.explain_timeout(acquired).await?;
                if requested.elapsed() >= DEADLINE {
                    return Err(sqlx::Error::PoolTimedOut);
                }
                let rows =
                    postgres_health.await_answer(query!(Postgres, sql, &values).fetch_all(&mut *connection)).await?;
                rows.into_iter().map(SqlRow::Pg).collect()
            }
        })
    }

    /// Returns the first row of a single statement.
    pub(super) async fn one(&self, sql: &'static str, values: Vec<SqlValue>) -> Result<Option<SqlRow>> {
        self.all(sql, values).await.map(|rows| rows.into_iter().next())
    }
}

/// Begins a transaction on a connection that can write. A connection opened while the file was read-only fails only at
/// its first write, not at `BEGIN IMMEDIATE`.
async fn begin_to_write(file: &FileStore) -> Result<Transaction<'static, Sqlite>> {
    let mut begun = file.stale().note(file.pool()?.begin_with("BEGIN IMMEDIATE").await)?;
    file.stale().note(sqlx::query(PROBE).execute(&mut *begun).await)?;
    Ok(begun)
}

impl Tx {
    pub(super) async fn all(&mut self, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        Ok(match &mut self.kind {
            TxKind::Sqlite(tx, stale) => {
                let rows = stale.note(query!(Sqlite, sql, &values).fetch_all(&mut **tx).await)?;
                rows.into_iter().map(SqlRow::Sqlite).collect()
            }
            TxKind::Pg(tx, server) => {
                let query = query!(Postgres, sql, &values, !server.is_pooled());
                let rows = server.postgres_health.await_answer(query.fetch_all(&mut **tx)).await?;
                rows.into_iter().map(SqlRow::Pg).collect()
            }
        })
    }

    /// Returns the first row.
    pub(super) async fn one(&mut self, sql: &'static str, values: Vec<SqlValue>) -> Result<Option<SqlRow>> {
        self.all(sql, values).await.map(|rows| rows.into_iter().next())
    }

    /// Runs a statement and returns the number of changed rows.
    pub(super) async fn run(&mut self, sql: &'static str, values: Vec<SqlValue>) -> Result<u64> {
        Ok(match &mut self.kind {
            TxKind::Sqlite(tx, stale) => {
                stale.note(query!(Sqlite, sql, &values).execute(&mut **tx).await)?.rows_affected()
            }
            TxKind::Pg(tx, server) => {
                let query = query!(Postgres, sql, &values, !server.is_pooled());
                server.postgres_health.await_answer(query.execute(&mut **tx)).await?.rows_affected()
            }
        })
    }

    /// Adds an audit line about a registration.
    pub(super) fn audit_change(&mut self, id: RegistrationId, change: RegistrationChange) {
        self.audit_lines.push(AuditLine::Change(id, change));
    }

    /// Adds an audit line about a person's action.
    pub(super) fn audit_deed(&mut self, deed: Deed) {
        self.audit_lines.push(AuditLine::Deed(deed));
    }

    /// Commits, then writes the audit lines. If the outcome is unknown, the lines are written too, marked so: a caller
    /// that retries finds the work done and writes none.
    pub(super) async fn commit(self) -> Result<()> {
        let committed = match self.kind {
            TxKind::Sqlite(transaction, _) => transaction.commit().await,
            TxKind::Pg(transaction, server) => server.postgres_health.await_answer(transaction.commit()).await,
        };
        drop(self.permit);
        if !committed.as_ref().is_err_and(is_definite) {
            for line in self.audit_lines {
                line.write(committed.is_ok());
            }
        }
        committed
    }

    /// Rolls back at once; dropping does it later.
    pub(super) async fn roll_back(self) -> Result<()> {
        match self.kind {
            TxKind::Sqlite(transaction, _) => transaction.rollback().await,
            TxKind::Pg(transaction, server) => server.postgres_health.await_answer(transaction.rollback()).await,
        }
    }
}

impl SqlRow {
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

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<String>> for SqlValue {
    fn from(text: Option<String>) -> Self {
        Self::Maybe(text)
    }
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for SqlValue {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<clock::Time> for SqlValue {
    fn from(time: clock::Time) -> Self {
        Self::Number(time.millis())
    }
}

/// Builds the list of parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::store::sql::SqlValue::from($value)),*] };
}
pub(super) use values;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::{
        server::READERS,
        testing::{postgres, runtime},
    };

    #[test]
    fn statement_is_not_executed_after_the_deadline_of_its_caller() {
        const COUNT: &str = "INSERT INTO counter (bucket, count, expires_at) VALUES ('late', 1, 0) RETURNING count";
        const COUNTED: &str = "SELECT count FROM counter WHERE bucket = 'late'";
        let Some(kept) = postgres() else { return println!("no PostgreSQL") };
        runtime().block_on(async {
            let Db::Pg(PgServer { pool, read_permits, .. }) = &*kept.store.db else { panic!("another kind of store") };
            let places = Arc::clone(read_permits).acquire_many_owned(READERS as u32).await.unwrap();
            let mut connections = Vec::new();
            while connections.len() < pool.options().get_max_connections() as usize {
                connections.push(pool.acquire().await.unwrap());
            }
            // Each wait alone is within the deadline, both together are not.
            let free = async {
                tokio::time::sleep(DEADLINE * 3 / 5).await;
                drop(places);
                tokio::time::sleep(DEADLINE * 11 / 20).await;
                drop(connections);
            };
            let (answer, ()) = tokio::join!(kept.store.one(COUNT, values![]), free);
            assert!(answer.is_err());
            // All permits are released.
            let all = timeout(Duration::from_secs(10), read_permits.acquire_many(READERS as u32)).await;
            drop(all.unwrap().unwrap());
            assert!(kept.store.one(COUNTED, values![]).await.unwrap().is_none());
        });
    }
}
