//! Deadlines for PostgreSQL, whose network may fail silently.
//!
//! If a network drops all packets, a query waits for ever, and so does the pool for its connection: after a few of
//! those, the store would be gone until a restart. So every answer has a deadline. After a missed one, connections are
//! suspected for a while: a released connection must answer before it is used again, and must not be in a transaction
//! whose begin was given up.

use std::{
    io,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sqlx::{Executor as _, postgres::PgPoolOptions};
use tokio::time::{Instant, timeout};

/// Deadline of a connection and an answer. The pool and the server give up earlier, with an error.
const ANSWER: Duration = Duration::from_secs(4);
const SUSPECTED: Duration = Duration::from_secs(10);
/// Deadline of the check of a released connection.
const LOOK: Duration = Duration::from_secs(1);

/// The time until which connections are suspected.
#[derive(Clone, Debug, Default)]
pub(super) struct PostgresHealth(Arc<Mutex<Option<Instant>>>);

impl PostgresHealth {
    /// Awaits `work` up to [`ANSWER`].
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn await_answer<T>(&self, work: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        let mut work = pin!(work);
        let answer = timeout(ANSWER, work.as_mut()).await;
        answer.unwrap_or_else(|_| {
            // Set before `work` is dropped and releases its connection.
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + SUSPECTED);
            Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into()))
        })
    }

    /// Makes the pool check released connections while they are suspected.
    pub(super) fn watch(&self, pool: PgPoolOptions) -> PgPoolOptions {
        let postgres_health = self.clone();
        pool.after_release(move |connection, _| {
            let is_suspected = postgres_health.is_suspected();
            Box::pin(async move {
                // The library does not know of a transaction whose `BEGIN` timed out. Without one, `ROLLBACK` is only a
                // warning.
                let ended = timeout(LOOK, async { connection.execute("ROLLBACK").await });
                Ok(!is_suspected || ended.await.is_ok_and(|answer| answer.is_ok()))
            })
        })
    }

    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    fn is_suspected(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| Instant::now() < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        Store,
        sql::{Db, values},
        testing::{postgres_with_relay, runtime},
    };

    /// Longer than an answer is awaited, but within the check of a released connection.
    const LATE: Duration = Duration::from_millis(4_300);

    async fn wait_until_returned(store: &Store) {
        let Db::Pg(server) = &*store.db else { panic!("another kind of store") };
        for _ in 0..6_000 {
            if server.pool.num_idle() == 1 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the connection was not given back");
    }

    #[test]
    fn transaction_with_a_late_begin_is_rolled_back_before_reuse() {
        const LEFT: &str = "SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        const KEPT: &str = "SELECT count FROM counter WHERE bucket = 'probe'";
        let Some((kept, relay)) = postgres_with_relay() else { return println!("no PostgreSQL") };
        runtime().block_on(async {
            let count = async |sql| {
                let row = kept.replica.one(sql, values![]).await.unwrap();
                row.map_or(0, |row| row.number(0).unwrap())
            };
            kept.store.clock_skew(clock::Time::from_millis(0)).await.unwrap();
            wait_until_returned(&kept.store).await;
            relay.delay_answer("BEGIN", LATE);
            assert!(kept.store.db.begin().await.is_err());
            wait_until_returned(&kept.store).await;
            assert_eq!(count(LEFT).await, 0);
            // A single statement is committed by itself.
            kept.store.probe().await.unwrap();
            wait_until_returned(&kept.store).await;
            assert_eq!((count(LEFT).await, count(KEPT).await), (0, 1));
            let logged = String::from_utf8_lossy(&journal::logged()).into_owned();
            assert!(!logged.contains("transaction in progress"), "{logged}");
        });
    }

    #[tokio::test(start_paused = true)]
    async fn postgres_is_suspected_for_a_while_after_a_late_answer() {
        let postgres_health = PostgresHealth::default();
        assert!(
            postgres_health.await_answer(async { Ok(1) }).await.is_ok_and(|answer| answer == 1)
                && !postgres_health.is_suspected()
        );
        let silence = postgres_health.await_answer(std::future::pending::<sqlx::Result<()>>()).await;
        assert!(matches!(silence, Err(sqlx::Error::Io(error)) if error.kind() == io::ErrorKind::TimedOut));
        assert!(postgres_health.is_suspected());
        tokio::time::advance(SUSPECTED).await;
        assert!(!postgres_health.is_suspected());
    }
}
