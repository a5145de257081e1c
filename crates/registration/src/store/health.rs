//! Logs once when the store begins to fail, and once when it answers again.
//!
//! A late call alone is no failure: in a flood of registrations, which any client can cause, calls wait for each other.
//! Late calls count only if nothing was answered for a while. And an answer alone does not end a failure: with a full
//! disk, everything can still be read.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{StoreError, StoreFailure};

/// Time without any answer after which late calls count as a failure.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);
/// Time without a failed call after which an answer ends the failure.
const QUIET: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct StoreHealth(Mutex<HealthState>);

/// The outcome of a call, as far as it concerns health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoreSignal {
    Answered,
    Late,
    Failed,
    /// The store was opened for writing.
    Opened,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HealthChange {
    Fails,
    Answers,
}

#[derive(Clone, Copy, Debug, Default)]
struct HealthState {
    /// The first late call since the last answer.
    late: Option<Instant>,
    /// The last failed call, while the failure is logged and not over.
    failed: Option<Instant>,
}

impl HealthState {
    fn update(&mut self, signal: StoreSignal, now: Instant) -> Option<HealthChange> {
        match signal {
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
    /// Records the outcome of a call, and logs a change.
    pub(super) fn record<T>(&self, done: &Result<T, StoreError>) {
        let (signal, kind) = match done {
            Ok(_) | Err(StoreError::Conflict(_)) => (StoreSignal::Answered, ""),
            Err(StoreError::Down(StoreFailure::Late(kind))) => (StoreSignal::Late, kind.as_str()),
            Err(StoreError::Down(StoreFailure::Failed(kind))) => (StoreSignal::Failed, kind.as_str()),
            Err(StoreError::Down(StoreFailure::Unusable)) => return,
        };
        match self.update(signal) {
            Some(HealthChange::Fails) => {
                tracing::error!(kind, "the store fails: requests that need it are refused until it answers");
            }
            Some(HealthChange::Answers) => tracing::info!("the store answers"),
            None => {}
        }
    }

    /// Records that the store is not open yet. The caller has logged it.
    pub(super) fn record_closed(&self) {
        self.update(StoreSignal::Failed);
    }

    /// Records that the store is open, and logs it if it was not.
    pub(super) fn record_opened(&self) {
        if self.update(StoreSignal::Opened).is_some() {
            tracing::info!("the store answers");
        }
    }

    pub(super) fn is_failing(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).failed.is_some()
    }

    #[expect(clippy::disallowed_methods, reason = "how long I/O fails is I/O's own clock")]
    fn update(&self, signal: StoreSignal) -> Option<HealthChange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).update(signal, Instant::now())
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

    /// Returns the changes that are logged, with their seconds, if each signal comes at that second.
    fn changes(signals: &[(u64, StoreSignal)]) -> Vec<(u64, HealthChange)> {
        let (start, mut state) = (Instant::now(), HealthState::default());
        let changes = signals.iter().filter_map(|(second, signal)| {
            let change = state.update(*signal, start + Duration::from_secs(*second));
            change.map(|change| (*second, change))
        });
        changes.collect()
    }

    #[test]
    fn failure_and_its_end_are_reported_once() {
        let outage =
            [(0, Answered), (1, Failed), (2, Failed), (60, Failed), (61, Answered), (71, Answered), (80, Answered)];
        assert_eq!(changes(&outage), [(1, Fails), (71, Answers)]);
        assert_eq!(changes(&[(0, Failed), (9, Failed), (12, Opened), (13, Answered)]), [(0, Fails), (12, Answers)]);
        assert_eq!(changes(&[(0, Opened), (1, Answered)]), []);
    }

    #[test]
    fn full_disk_is_a_failure_although_reads_succeed() {
        let full = (0..40).map(|second| (second, if second % 5 == 0 { Failed } else { Answered }));
        let freed = (40..60).map(|second| (second, Answered));
        assert_eq!(changes(&full.chain(freed).collect::<Vec<_>>()), [(0, Fails), (45, Answers)]);
    }

    #[test]
    fn late_calls_among_answers_are_no_failure() {
        let flood = (0..60).map(|second| (second, if second % 4 == 0 { Answered } else { Late }));
        assert_eq!(changes(&flood.collect::<Vec<_>>()), []);
        let silence = [(0, Answered), (1, Late), (5, Late), (6, Late), (7, Late), (60, Late), (61, Answered)];
        assert_eq!(changes(&silence), [(6, Fails), (61, Answers)]);
    }

    #[test]
    fn removed_or_replaced_file_fails_until_it_is_back() {
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
    fn store_failure_is_logged_once_for_many_calls() {
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
