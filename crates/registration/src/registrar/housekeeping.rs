//! Reports expired registrations and deletes old ones.

use std::time::Duration;

use clock::{Clock, Time};

use crate::store::{Store, StoreError};

const SWEEP_INTERVAL: Duration = Duration::from_mins(1);
/// How long rows that are over are kept. Deletion cannot be undone, so a clock that is wrong by less deletes nothing
/// too early. Documented in `docs/registrations.md`.
const RETENTION_MARGIN: Duration = Duration::from_hours(24 * 7);
/// Accepted clock skew between this machine and the database, in milliseconds.
const MAX_SKEW_MILLIS: i64 = 5_000;

/// Reports expired registrations, in batches.
async fn report_expired(store: &Store, now: Time) -> Result<(), StoreError> {
    while !store.expire_batch(now).await?.is_empty() {
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Deletes what was over at `moment`, in batches, yielding to other writers. Returns the number of rows.
async fn delete_over(store: &Store, moment: Time) -> Result<u64, StoreError> {
    let mut rows = 0;
    loop {
        let swept = store.sweep(moment).await?;
        rows += swept.rows;
        if !swept.is_more {
            return Ok(rows);
        }
        tokio::task::yield_now().await;
    }
}

/// Reports expired registrations and deletes everything that is over, without the margin. Returns the number of deleted
/// rows.
pub async fn tidy(store: &Store, now: Time) -> Result<u64, StoreError> {
    report_expired(store, now).await?;
    delete_over(store, now).await
}

/// Tidies a store periodically, while its clock agrees with this machine's.
#[derive(Debug)]
pub struct Sweeper {
    store: Store,
    clock: Clock,
    /// Whether the clock skew was logged.
    has_reported_skew: bool,
}

impl Sweeper {
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, has_reported_skew: false }
    }

    pub async fn run(mut self) {
        // The store logs its failures, and the next sweep is soon.
        let _ = self.check_clocks().await;
        loop {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            let _ = self.sweep().await;
        }
    }

    /// Whether this machine's clock agrees with the database's. Processes on one database must agree, because one
    /// expires what another made. A disagreement is logged once until it ends.
    pub async fn check_clocks(&mut self) -> Result<bool, StoreError> {
        let ahead = self.store.clock_skew(self.clock.now()).await?.unwrap_or(0);
        let agrees = ahead.abs() <= MAX_SKEW_MILLIS;
        if !agrees && !self.has_reported_skew {
            let what =
                "the clock of the database differs from that of this machine; nothing is deleted until they agree";
            tracing::error!(milliseconds_ahead = ahead, "{what}");
        }
        self.has_reported_skew = !agrees;
        Ok(agrees)
    }

    /// Tidies the store, unless the clocks disagree. Returns the number of deleted rows.
    async fn sweep(&mut self) -> Result<u64, StoreError> {
        if !self.check_clocks().await? {
            return Ok(0);
        }
        let now = self.clock.now();
        report_expired(&self.store, now).await?;
        delete_over(&self.store, now.minus(RETENTION_MARGIN)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        registrar::{Caller, Identity},
        store::testing::{file, postgres, runtime},
        testing::{listen, registrar, registration_request},
    };

    const DAY: Duration = Duration::from_hours(24);

    async fn register(store: &Store, now: Time) {
        registrar(store, 31, None)
            .register(registration_request(Identity::Anonymous), &Caller::Unlimited, now)
            .await
            .unwrap();
    }

    #[test]
    fn sweep_deletes_nothing_while_clocks_disagree() {
        let Some(kept) = postgres() else { return println!("no PostgreSQL") };
        let (_ear, lines) = listen();
        let count_lines = || lines.try_iter().filter(|line| line.contains("differs from that of this machine")).count();
        runtime().block_on(async {
            // Long expired, whatever the time is.
            register(&kept.store, Time::from_millis(0)).await;
            // A manual clock stands at the beginning of a past year.
            let mut wrong = Sweeper::new(kept.store.clone(), Clock::manual());
            assert_eq!(wrong.sweep().await.unwrap(), 0);
            assert_eq!((kept.store.population().await.0, count_lines()), (1, 1));
            assert_eq!(wrong.sweep().await.unwrap(), 0);
            assert_eq!((kept.store.population().await.0, count_lines()), (1, 0), "logged once");
            let mut right = Sweeper::new(kept.store.clone(), Clock::system());
            assert!(right.sweep().await.unwrap() > 0);
            assert_eq!((kept.store.population().await.0, count_lines()), (0, 0));
        });
    }

    #[test]
    fn row_is_deleted_a_week_after_its_end_despite_a_clock_days_ahead() {
        let kept = file();
        runtime().block_on(async {
            let clock = Clock::manual();
            register(&kept.store, clock.now()).await;
            let mut sweeper = Sweeper::new(kept.store.clone(), clock.clone());
            // An unclaimed registration expires after a day, and is over thirty days later.
            clock.advance(DAY * 31 + RETENTION_MARGIN);
            sweeper.sweep().await.unwrap();
            assert_eq!(kept.store.population().await.0, 1);
            clock.advance(Duration::from_millis(1));
            assert!(sweeper.sweep().await.unwrap() > 0);
            assert_eq!(kept.store.population().await.0, 0);
        });
    }
}
