//! Reports expired registrations and deletes old ones.

use std::time::Duration;

use clock::{Clock, Time};
use secrets::Pepper;

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

/// What it means that [`uses_foreign_keys`], and what to do.
pub const FOREIGN_KEYS: &str = "links or codes were made with a key that the secret file of this machine lacks: another \
    machine has another secret file, or this one was replaced; copy one file to all machines, and restart them";

/// Whether an open link or a waiting message was made with a key that is not in `pepper`.
///
/// # Errors
/// If the store cannot be read.
pub async fn uses_foreign_keys(store: &Store, pepper: &Pepper) -> Result<bool, StoreError> {
    Ok(store.open_seeds().await?.iter().any(|seed| pepper.is_foreign(seed)))
}

/// Tidies a store periodically, while its clock agrees with this machine's.
#[derive(Debug)]
pub struct Sweeper {
    store: Store,
    clock: Clock,
    /// Whether the clock skew was logged.
    has_reported_skew: bool,
    /// The keys of this machine, and whether it was logged that others have been used.
    pepper: Option<(Pepper, bool)>,
}

impl Sweeper {
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, has_reported_skew: false, pepper: None }
    }

    /// Compares the keys of other machines with `pepper` at each sweep.
    #[must_use]
    pub fn with_pepper(mut self, pepper: Pepper) -> Self {
        self.pepper = Some((pepper, false));
        self
    }

    pub async fn run(mut self) {
        // The store logs its failures, and the next sweep is soon.
        let _ = self.check_clocks().await;
        loop {
            let _ = self.check_secrets().await;
            tokio::time::sleep(SWEEP_INTERVAL).await;
            let _ = self.sweep().await;
        }
    }

    /// Returns in words by how much this machine's clock differs from the database's; `None` if they agree. Processes on
    /// one database must agree, because one expires what another made. A difference is logged once until it ends.
    pub async fn check_clocks(&mut self) -> Result<Option<String>, StoreError> {
        let ahead = self.store.clock_skew(self.clock.now()).await?.unwrap_or(0);
        let difference = (ahead.abs() > MAX_SKEW_MILLIS).then(|| {
            let (tenths, direction) = (ahead.unsigned_abs() / 100, if ahead > 0 { "behind" } else { "ahead of" });
            let seconds = format!("{}.{}", tenths / 10, tenths % 10);
            format!("the clock of this machine is {seconds} seconds {direction} that of the database")
        });
        if let Some(difference) = &difference
            && !self.has_reported_skew
        {
            tracing::error!("{difference}; nothing is deleted until they agree");
        }
        self.has_reported_skew = difference.is_some();
        Ok(difference)
    }

    /// Logs once if links or codes were made with a key that this machine lacks: here, all of them would be wrong.
    async fn check_secrets(&mut self) -> Result<(), StoreError> {
        if let Some((pepper, has_reported)) = &mut self.pepper {
            let is_foreign = uses_foreign_keys(&self.store, pepper).await?;
            if is_foreign && !*has_reported {
                tracing::error!("{FOREIGN_KEYS}");
            }
            *has_reported = is_foreign;
        }
        Ok(())
    }

    /// Tidies the store, unless the clocks disagree. Returns the number of deleted rows.
    async fn sweep(&mut self) -> Result<u64, StoreError> {
        if self.check_clocks().await?.is_some() {
            return Ok(0);
        }
        let now = self.clock.now();
        report_expired(&self.store, now).await?;
        delete_over(&self.store, now.minus(RETENTION_MARGIN)).await
    }
}

#[cfg(test)]
mod tests {
    use secrets::Mailbox;

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
        let count_lines =
            || lines.try_iter().filter(|line| line.contains("seconds behind that of the database")).count();
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
    fn key_of_another_machine_is_logged_once() {
        let (kept, (_ear, lines)) = (file(), listen());
        runtime().block_on(async {
            let clock = Clock::manual();
            let identity = Identity::Email(Mailbox::parse("a@firm.example").unwrap());
            let registrar = registrar(&kept.store, 31, None);
            registrar.register(registration_request(identity), &Caller::Unlimited, clock.now()).await.unwrap();
            let checked = async |pepper: Pepper| {
                let mut sweeper = Sweeper::new(kept.store.clone(), clock.clone()).with_pepper(pepper);
                sweeper.check_secrets().await.unwrap();
                sweeper.check_secrets().await.unwrap();
                lines.try_iter().filter(|line| line.contains("ERROR") && line.contains("secret file")).count()
            };
            assert_eq!(checked(registrar.pepper().clone()).await, 0);
            assert_eq!(checked(Pepper::fixed(99)).await, 1);
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
