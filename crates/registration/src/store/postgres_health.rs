//! Waiting for PostgreSQL, which may vanish without a word.
//!
//! A network that swallows everything ends no connection. Whatever waits for an answer on such a connection waits for
//! ever, and the pool waits for the connection: after a few of those, the store is away until the service is restarted,
//! although the server is there. So every answer is waited for only so long, and after that connections are suspected:
//! one that is given back must answer before it is used again, and must not be in a transaction that another began and
//! gave up.

use std::{
    io,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sqlx::{Executor as _, postgres::PgPoolOptions};
use tokio::time::{Instant, timeout};

/// The longest wait for a connection and for an answer. The pool and the server give up earlier, and say so.
const ANSWER: Duration = Duration::from_secs(4);
/// How long connections are suspected.
const SUSPECTED: Duration = Duration::from_secs(10);
/// How soon a suspected connection must answer.
const LOOK: Duration = Duration::from_secs(1);

/// Until when connections are suspected, if they are.
#[derive(Clone, Debug, Default)]
pub(super) struct PostgresHealth(Arc<Mutex<Option<Instant>>>);

impl PostgresHealth {
    /// Waits for the answer of `work`.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) async fn await_answer<T>(&self, work: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        let mut work = pin!(work);
        let answer = timeout(ANSWER, work.as_mut()).await;
        answer.unwrap_or_else(|_| {
            // Before `work` ends and gives its connection back.
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + SUSPECTED);
            Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into()))
        })
    }

    /// Returns a pool that does not take back a suspected connection that does not answer.
    pub(super) fn watch(&self, pool: PgPoolOptions) -> PgPoolOptions {
        let postgres_health = self.clone();
        pool.after_release(move |connection, _| {
            let is_suspected = postgres_health.is_suspected();
            Box::pin(async move {
                // The library does not know of a transaction whose beginning was not waited for to the end. Where there
                // is none, the server remarks on that and does nothing.
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
        testing::{relayed, runtime},
    };

    /// Longer than an answer is waited for, and no longer than giving a connection back may take.
    const LATE: Duration = Duration::from_millis(4_300);

    /// Waits until the only connection of `store` has been given back.
    async fn given_back(store: &Store) {
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
    fn transaction_whose_beginning_is_told_too_late_is_not_left_to_who_comes_next() {
        const LEFT: &str = "SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        const KEPT: &str = "SELECT count FROM counter WHERE bucket = 'probe'";
        let Some((kept, relay)) = relayed() else { return println!("no PostgreSQL") };
        runtime().block_on(async {
            let count = async |sql| {
                let row = kept.replica.one(sql, values![]).await.unwrap();
                row.map_or(0, |row| row.number(0).unwrap())
            };
            kept.store.clock_skew(clock::Time::from_millis(0)).await.unwrap();
            given_back(&kept.store).await;
            relay.withhold("BEGIN", LATE);
            assert!(kept.store.db.begin().await.is_err());
            given_back(&kept.store).await;
            assert_eq!(count(LEFT).await, 0);
            // What a single statement does lasts, and nobody takes it back.
            kept.store.probe().await.unwrap();
            given_back(&kept.store).await;
            assert_eq!((count(LEFT).await, count(KEPT).await), (0, 1));
            // That there was no transaction to end is not worth logging.
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
