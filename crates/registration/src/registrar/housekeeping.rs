//! What happens to registrations in the course of time: unclaimed ones expire, and all are deleted in the end.

use std::time::Duration;

use clock::{Clock, Time};

use crate::store::{Store, StoreError};

/// The pause between two sweeps.
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);
/// How long the service keeps what is over. Deleted rows do not come back, so a clock that is wrong by less deletes
/// nothing too early. Documented in `docs/registrations.md`.
const RETENTION_MARGIN: Duration = Duration::from_hours(24 * 7);
/// The most milliseconds by which the clocks of this machine and of the database may differ.
const MAX_SKEW_MILLIS: i64 = 5_000;

/// Reports which registrations have expired, a batch at a time.
async fn report_expired(store: &Store, now: Time) -> Result<(), StoreError> {
    while !store.expire_batch(now).await?.is_empty() {
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Deletes what was over at `moment`, a batch at a time, with a pause for other writers. Returns how many rows are
/// gone.
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

/// Reports which registrations have expired and deletes everything that is over, without any margin. Returns how many
/// rows are gone.
pub async fn tidy(store: &Store, now: Time) -> Result<u64, StoreError> {
    report_expired(store, now).await?;
    delete_over(store, now).await
}

/// Tidies a store again and again, as long as this machine and the database agree on the time.
#[derive(Debug)]
pub struct Sweeper {
    store: Store,
    clock: Clock,
    /// Whether it was reported that the database has another time.
    has_reported_skew: bool,
}

impl Sweeper {
    /// Creates a sweeper of `store` that goes by `clock`.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, has_reported_skew: false }
    }

    /// Sweeps until the task ends.
    pub async fn run(mut self) {
        // A store that does not answer has logged that itself, and the next sweep is soon.
        let _ = self.check_clocks().await;
        loop {
            tokio::time::sleep(SWEEP_INTERVAL).await;
            let _ = self.sweep().await;
        }
    }

    /// Whether this machine and the database, which may have a clock of its own, agree on the time. Processes on one
    /// database must: what one has made, another lets expire. A disagreement is reported once, until they agree again.
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

    /// Tidies the store, unless the clocks disagree. Returns how many rows are gone.
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
        testing::{asking, listen, registrar},
    };

    const DAY: Duration = Duration::from_hours(24);

    /// Stores a registration made at this moment in `store`.
    async fn register(store: &Store, now: Time) {
        registrar(store, 31, None).register(asking(Identity::Anonymous), &Caller::Unlimited, now).await.unwrap();
    }

    #[test]
    fn sweep_deletes_nothing_while_the_database_has_another_time() {
        let Some(kept) = postgres() else { return println!("no PostgreSQL") };
        let (_ear, lines) = listen();
        let told = || lines.try_iter().filter(|line| line.contains("differs from that of this machine")).count();
        runtime().block_on(async {
            // Whatever the time is now, this expired long ago.
            register(&kept.store, Time::from_millis(0)).await;
            // A manual clock stands at the beginning of a year that is over.
            let mut wrong = Sweeper::new(kept.store.clone(), Clock::manual());
            assert_eq!(wrong.sweep().await.unwrap(), 0);
            assert_eq!((kept.store.population().await.0, told()), (1, 1));
            assert_eq!(wrong.sweep().await.unwrap(), 0);
            assert_eq!((kept.store.population().await.0, told()), (1, 0), "that is told once");
            let mut right = Sweeper::new(kept.store.clone(), Clock::system());
            assert!(right.sweep().await.unwrap() > 0);
            assert_eq!((kept.store.population().await.0, told()), (0, 0));
        });
    }

    #[test]
    fn row_is_deleted_a_week_after_it_is_over_and_not_by_a_clock_that_is_days_ahead() {
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
