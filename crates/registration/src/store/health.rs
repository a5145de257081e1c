//! Tracks whether the store does what it is asked, for the log: once when it begins to fail, once when that is over.
//!
//! Not every failed call means that the store fails: a call that waits too long may be waiting for others, in a flood
//! of registrations that any client can cause. So a late call counts only if nothing has been answered for a while. And
//! a full disk still lets everything be read, so an answer alone does not mean that the failure is over.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{StoreError, StoreFailure};

/// How long nothing must have been answered before that is logged.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);
/// How long nothing must have failed before an answer means that the failure is over.
const QUIET: Duration = Duration::from_secs(10);

/// The health of the store, shared by all who use it.
#[derive(Debug, Default)]
pub(super) struct StoreHealth(Mutex<HealthState>);

/// What is heard from the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoreSignal {
    Answered,
    Late,
    Failed,
    /// The store could be opened, and written to.
    Opened,
}

/// What is written to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HealthChange {
    Fails,
    Answers,
}

/// What has been heard so far.
#[derive(Clone, Copy, Debug, Default)]
struct HealthState {
    /// When the first late call since the last answer was heard.
    late: Option<Instant>,
    /// When the last call failed. `None` if it has since been logged that the store answers, or never was that it
    /// fails.
    failed: Option<Instant>,
}

impl HealthState {
    fn update(&mut self, heard: StoreSignal, now: Instant) -> Option<HealthChange> {
        match heard {
            StoreSignal::Answered => {
                self.late = None;
                self.failed.take_if(|failed| now.duration_since(*failed) >= QUIET).map(|_| HealthChange::Answers)
            }
            StoreSignal::Opened => {
                self.late = None;
                self.failed.take().map(|_| HealthChange::Answers)
            }
            StoreSignal::Late => {
                let since = *self.late.get_or_insert(now);
                if self.failed.is_some() || now.duration_since(since) < SILENCE_LIMIT {
                    return None;
                }
                self.failed = Some(now);
                Some(HealthChange::Fails)
            }
            StoreSignal::Failed => self.failed.replace(now).is_none().then_some(HealthChange::Fails),
        }
    }
}

impl StoreHealth {
    /// Hears how a call ended, and logs what that means.
    pub(super) fn record<T>(&self, done: &Result<T, StoreError>) {
        let (heard, kind) = match done {
            Ok(_) | Err(StoreError::Conflict(_)) => (StoreSignal::Answered, ""),
            Err(StoreError::Down(StoreFailure::Late(kind))) => (StoreSignal::Late, kind.as_str()),
            Err(StoreError::Down(StoreFailure::Failed(kind))) => (StoreSignal::Failed, kind.as_str()),
            Err(StoreError::Down(StoreFailure::Unusable)) => return,
        };
        match self.update(heard) {
            Some(HealthChange::Fails) => {
                tracing::error!(kind, "the store fails: requests that need it are refused until it answers")
            }
            Some(HealthChange::Answers) => tracing::info!("the store answers"),
            None => {}
        }
    }

    /// Hears that the store cannot be opened yet, which has been logged.
    pub(super) fn record_closed(&self) {
        self.update(StoreSignal::Failed);
    }

    /// Hears that the store is now open.
    pub(super) fn record_opened(&self) {
        if self.update(StoreSignal::Opened).is_some() {
            tracing::info!("the store answers");
        }
    }

    #[expect(clippy::disallowed_methods, reason = "how long I/O fails is I/O's own clock")]
    fn update(&self, heard: StoreSignal) -> Option<HealthChange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).update(heard, Instant::now())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a moment to count from")]
mod tests {
    use super::{
        HealthChange::{Answers, Fails},
        StoreSignal::{Answered, Failed, Late, Opened},
        *,
    };
    use crate::{
        store::{
            sql::values,
            testing::{file, runtime},
        },
        testing::listen,
    };

    /// Returns what is logged when each of `heard` comes so many seconds after the start.
    fn told(heard: &[(u64, StoreSignal)]) -> Vec<(u64, HealthChange)> {
        let (start, mut state) = (Instant::now(), HealthState::default());
        let told = heard.iter().filter_map(|(second, heard)| {
            let told = state.update(*heard, start + Duration::from_secs(*second));
            told.map(|told| (*second, told))
        });
        told.collect()
    }

    #[test]
    fn failure_is_told_once_and_so_is_its_end() {
        let outage =
            [(0, Answered), (1, Failed), (2, Failed), (60, Failed), (61, Answered), (71, Answered), (80, Answered)];
        assert_eq!(told(&outage), [(1, Fails), (71, Answers)]);
        assert_eq!(told(&[(0, Failed), (9, Failed), (12, Opened), (13, Answered)]), [(0, Fails), (12, Answers)]);
        assert_eq!(told(&[(0, Opened), (1, Answered)]), []);
    }

    #[test]
    fn disk_that_is_full_fails_though_everything_can_be_read() {
        let full = (0..40).map(|second| (second, if second % 5 == 0 { Failed } else { Answered }));
        let freed = (40..60).map(|second| (second, Answered));
        assert_eq!(told(&full.chain(freed).collect::<Vec<_>>()), [(0, Fails), (45, Answers)]);
    }

    #[test]
    fn waiting_for_others_is_no_failure_of_the_store() {
        let flood = (0..60).map(|second| (second, if second % 4 == 0 { Answered } else { Late }));
        assert_eq!(told(&flood.collect::<Vec<_>>()), []);
        let silence = [(0, Answered), (1, Late), (5, Late), (6, Late), (7, Late), (60, Late), (61, Answered)];
        assert_eq!(told(&silence), [(6, Fails), (61, Answers)]);
    }

    #[test]
    fn file_that_is_removed_or_replaced_is_no_store_until_it_is_back() {
        let (kept, (_ear, lines)) = (file(), listen());
        let path = kept.folder().join("store.db");
        let aside = path.with_extension("aside");
        let is_lost = async || {
            let probed = kept.store.probe().await;
            matches!(probed, Err(StoreError::Down(StoreFailure::Failed(kind))) if kind.contains("removed or replaced"))
        };
        runtime().block_on(async {
            kept.store.probe().await.unwrap();
            std::fs::rename(&path, &aside).unwrap();
            assert!(is_lost().await);
            std::fs::copy(&aside, &path).unwrap();
            assert!(is_lost().await);
            std::fs::rename(&aside, &path).unwrap();
            kept.store.probe().await.unwrap();
        });
        let lines: Vec<_> = lines.try_iter().filter(|line| line.contains("ERROR")).collect();
        assert!(matches!(&lines[..], [line] if line.contains("removed or replaced")), "{lines:?}");
    }

    #[test]
    fn store_that_goes_away_is_told_once_whoever_asks_it_how_often() {
        let (kept, (_ear, lines)) = (file(), listen());
        runtime().block_on(async {
            kept.store.probe().await.unwrap();
            kept.replica.one("DROP TABLE counter", values![]).await.unwrap();
            for _ in 0..20 {
                assert!(matches!(kept.store.probe().await, Err(StoreError::Down(StoreFailure::Failed(_)))));
            }
        });
        let lines: Vec<_> = lines.try_iter().filter(|line| line.contains("WARN") || line.contains("ERROR")).collect();
        assert!(
            matches!(&lines[..], [line] if line.contains("ERROR") && line.contains("the store fails")),
            "{lines:?}"
        );
    }
}
