//! What happens to registrations on its own: those that nobody claims expire, and are later forgotten.

use std::time::Duration;

use clock::{Clock, Leaps, Time};

use crate::store::{Store, StoreError};

/// The pause between looks for what can be forgotten.
const SWEEP: Duration = Duration::from_mins(1);
/// The most milliseconds by which the clocks of this machine and of the database may differ.
const MOST_SKEW: i64 = 5_000;
/// How often the store is told when it was swept: seldom, so that an idle service hardly writes.
const NOTED: Duration = Duration::from_hours(1);

/// Reports which registrations have expired and forgets what is no longer needed, a batch at a time, with a pause for
/// those who wait to write. Returns how many rows are gone.
pub async fn tidy(store: &Store, now: Time) -> Result<u64, StoreError> {
    while !store.expired(now).await?.is_empty() {
        tokio::task::yield_now().await;
    }
    let mut rows = 0;
    loop {
        let swept = store.sweep(now).await?;
        rows += swept.rows;
        if !swept.is_more {
            return Ok(rows);
        }
        tokio::task::yield_now().await;
    }
}

/// Tidies a store again and again while the time can be trusted: what is forgotten does not come back.
#[derive(Debug)]
pub struct Sweeper {
    store: Store,
    clock: Clock,
    leaps: Leaps,
    /// Whether it was reported that the database has another time.
    has_told: bool,
    /// When this process last told the store that it was swept.
    noted: Option<Time>,
    /// Since when the time has been in doubt, as the store knows it.
    doubted: Option<Time>,
    /// Whether this process has looked up when the store was swept before it began.
    has_looked_back: bool,
}

impl Sweeper {
    /// Creates a sweeper that watches `clock` from now on.
    pub fn new(store: Store, clock: Clock) -> Self {
        let leaps = Leaps::of(&clock);
        Self { store, clock, leaps, has_told: false, noted: None, doubted: None, has_looked_back: false }
    }

    /// Sweeps until the task ends.
    pub async fn run(mut self) {
        // A store that does not answer has logged that itself; there is time.
        let _ = self.agrees().await;
        loop {
            tokio::time::sleep(SWEEP).await;
            let _ = self.sweep().await;
        }
    }

    /// Whether this machine and the database, which may have a clock of its own, agree on the time. Processes on one
    /// database must: what one has made, another lets expire. A disagreement is reported once, until they agree again.
    pub async fn agrees(&mut self) -> Result<bool, StoreError> {
        let ahead = self.store.ahead(self.clock.now()).await?.unwrap_or(0);
        let agrees = ahead.abs() <= MOST_SKEW;
        if !agrees && !self.has_told {
            let what =
                "the clock of the database differs from that of this machine; nothing is deleted until they agree";
            tracing::error!(milliseconds_ahead = ahead, "{what}");
        }
        self.has_told = !agrees;
        Ok(agrees)
    }

    /// Tidies the store, unless the time is in doubt. Returns how many rows are gone.
    pub(crate) async fn sweep(&mut self) -> Result<u64, StoreError> {
        if !self.has_looked_back {
            self.doubted = self.store.doubted_at().await?;
            if let Some(swept) = self.store.swept_at().await? {
                self.leaps.look_back(swept, self.doubted, self.clock.nanoseconds());
            }
            self.has_looked_back = true;
        }
        let is_believed = self.leaps.believes(self.clock.now(), self.clock.nanoseconds());
        if !self.agrees().await? {
            return Ok(0);
        }
        if !is_believed {
            // So that the next process to start need not begin to doubt anew.
            if let Some(began) = self.leaps.doubted().filter(|began| self.doubted != Some(*began)) {
                self.store.note_doubt(began).await?;
                self.doubted = Some(began);
            }
            return Ok(0);
        }
        let now = self.clock.now();
        let rows = tidy(&self.store, now).await?;
        // A note from the future was made by a clock that was wrong.
        if self.noted.is_none_or(|noted| now < noted || now.since(noted) >= NOTED) {
            self.store.note_sweep(now).await?;
            (self.noted, self.doubted) = (Some(now), None);
        }
        Ok(rows)
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
    fn where_the_database_has_another_time_nothing_is_forgotten() {
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
    fn a_service_that_starts_with_a_clock_far_ahead_forgets_nothing_for_an_hour() {
        let kept = file();
        runtime().block_on(async {
            let clock = Clock::manual();
            register(&kept.store, clock.now()).await;
            Sweeper::new(kept.store.clone(), clock.clone()).sweep().await.unwrap();
            clock.advance(DAY * 400);
            let mut late = Sweeper::new(kept.store.clone(), clock.clone());
            for minutes in [1, 58] {
                clock.advance(Duration::from_mins(minutes));
                assert_eq!(late.sweep().await.unwrap(), 0);
            }
            assert_eq!(kept.store.population().await.0, 1);
            // An hour since the store was looked at.
            clock.advance(Duration::from_mins(2));
            assert!(late.sweep().await.unwrap() > 0);
            assert_eq!(kept.store.population().await.0, 0);
            // The next to start was not away.
            clock.advance(DAY);
            register(&kept.store, Time::from_millis(0)).await;
            assert!(Sweeper::new(kept.store.clone(), clock).sweep().await.unwrap() > 0);
        });
    }

    #[test]
    fn a_service_that_never_lives_for_an_hour_forgets_all_the_same() {
        let kept = file();
        runtime().block_on(async {
            let clock = Clock::manual();
            Sweeper::new(kept.store.clone(), clock.clone()).sweep().await.unwrap();
            // Twice: the second doubt is not taken for the first.
            for away in [DAY * 400, DAY * 3] {
                clock.advance(away);
                register(&kept.store, Time::from_millis(0)).await;
                let swept = kept.store.swept_at().await.unwrap();
                for _ in 0..3 {
                    let mut short = Sweeper::new(kept.store.clone(), clock.clone());
                    for _ in 0..2 {
                        assert_eq!(short.sweep().await.unwrap(), 0);
                        clock.advance(Duration::from_mins(10));
                    }
                }
                assert_eq!(kept.store.swept_at().await.unwrap(), swept, "nor does it count as swept");
                assert!(Sweeper::new(kept.store.clone(), clock.clone()).sweep().await.unwrap() > 0);
                assert_eq!(kept.store.doubted_at().await.unwrap(), None);
            }
        });
    }

    #[test]
    fn the_store_is_told_of_a_sweep_once_in_an_hour() {
        let kept = file();
        runtime().block_on(async {
            let clock = Clock::manual();
            let start = clock.now();
            let mut sweeper = Sweeper::new(kept.store.clone(), clock.clone());
            for (minute, noted) in [(0, 0), (59, 0), (60, 60), (61, 60), (120, 120)] {
                clock.advance(start.plus(Duration::from_mins(minute)).since(clock.now()));
                sweeper.sweep().await.unwrap();
                let noted = start.plus(Duration::from_mins(noted));
                assert_eq!(kept.store.swept_at().await.unwrap(), Some(noted), "{minute}");
            }
        });
    }
}
