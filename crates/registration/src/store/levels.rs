//! The use of shared budgets: one log line per window when nearly or wholly used up, and metrics.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clock::Time;
use metrics::{MetricsText, label};

use super::budget::{Budget, BudgetScope};

/// The use of shared budgets, as far as this process sees it. Security: holds no client and no mailbox, and domains
/// only masked.
#[derive(Debug, Default)]
pub(crate) struct Levels(Mutex<LevelsState>);

#[derive(Debug, Default)]
struct LevelsState {
    kinds: BTreeMap<&'static str, Level>,
    /// Reports that were logged, with the time until which they are not repeated.
    logged: BTreeMap<String, Time>,
}

/// The use of one kind of budget; for domains, of the fullest one.
#[derive(Debug)]
struct Level {
    used: i64,
    end: Time,
    exhausted: u64,
}

impl Default for Level {
    fn default() -> Self {
        Self { used: 0, end: Time::from_millis(0), exhausted: 0 }
    }
}

impl Levels {
    /// Records that `used` of `budget` are taken, and logs it if that is much.
    pub(super) fn note(&self, budget: &Budget, used: i64, now: Time) {
        let domain = match &budget.whose {
            BudgetScope::AllClients => None,
            BudgetScope::Domain { masked, .. } => Some(masked.as_str()),
            BudgetScope::One(_) => return,
        };
        let (bucket, end) = budget.bucket(now);
        let most = i64::from(budget.most);
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let level = state.kinds.entry(budget.what).or_default();
        if level.end <= now {
            level.used = 0;
        }
        level.end = end;
        level.used = level.used.max(used.min(most));
        let (what, wait) = (budget.what, end.since(now));
        if used >= most {
            state.note_exhausted(&bucket, what, domain, wait, now);
        } else if used > most - most / 5 && state.is_first_report(format!("{bucket} nearly"), end, now) {
            let seconds = wait.as_secs();
            tracing::warn!(
                target: "audit", event = "budget.nearly_exhausted", what, domain, seconds,
                "budget at 80 %: only new networks are served"
            );
        }
    }

    /// Records and logs that `what` is used up for `wait`.
    pub(crate) fn note_exhausted(&self, what: &'static str, wait: Duration, now: Time) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).note_exhausted(what, what, None, wait, now);
    }

    /// Writes the metrics of these kinds. A kind without a limit has only its exhausted windows counted.
    pub(crate) fn write(&self, text: &mut MetricsText, kinds: &[(&'static str, Option<u32>)], now: Time) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let level = |kind: &str| state.kinds.get(kind);
        let used = |kind: &str| level(kind).filter(|level| now < level.end).map_or(0, |level| level.used.max(0));
        let limited = || kinds.iter().filter_map(|(kind, most)| most.map(|most| (*kind, most)));
        text.gauges(
            "mecelle_budget_used",
            "Use of a limit that all clients share, in the current window, as this process last saw it; for domains, \
             the highest.",
            limited().map(|(kind, most)| (label("kind", kind), used(kind).unsigned_abs().min(most.into()))),
        );
        text.gauges(
            "mecelle_budget_limit",
            "The limit that all clients share.",
            limited().map(|(kind, most)| (label("kind", kind), most)),
        );
        text.counters(
            "mecelle_budget_exhausted_total",
            "Windows in which the limit was used up.",
            kinds.iter().map(|(kind, _)| (label("kind", kind), level(kind).map_or(0, |level| level.exhausted))),
        );
    }
}

impl LevelsState {
    fn note_exhausted(&mut self, name: &str, what: &'static str, domain: Option<&str>, wait: Duration, now: Time) {
        if !self.is_first_report(name.to_owned(), now.plus(wait), now) {
            return;
        }
        self.kinds.entry(what).or_default().exhausted += 1;
        let seconds = wait.as_secs();
        tracing::warn!(
            target: "audit", event = "budget.exhausted", what, domain, seconds,
            "budget used up: requests are refused until the window ends"
        );
    }

    /// Whether the report `name` was not logged yet; it is not repeated before `until`.
    fn is_first_report(&mut self, name: String, until: Time, now: Time) -> bool {
        self.logged.retain(|_, until| now < *until);
        self.logged.insert(name, until).is_none()
    }
}
