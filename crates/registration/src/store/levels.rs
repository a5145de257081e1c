//! How much of what all clients share is used up: what operators are told, once in each window, and what they can read.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clock::Time;
use metrics::{Text, label};

use super::budget::{Budget, BudgetScope};

/// What this process knows of the budgets that all clients share. Security: knows no client and no mailbox, and of a
/// domain only its masked form.
#[derive(Debug, Default)]
pub(crate) struct Levels(Mutex<LevelsState>);

#[derive(Debug, Default)]
struct LevelsState {
    kinds: BTreeMap<&'static str, Level>,
    /// What was told, and until when it need not be told again.
    told: BTreeMap<String, Time>,
}

/// How full the budget of one kind is; of domains, that of the one whose budget is the fullest.
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
    /// Notes that `used` are taken of `budget`.
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

    /// Notes that nothing is left of `what` for `wait`.
    pub(crate) fn note_exhausted(&self, what: &'static str, wait: Duration, now: Time) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).note_exhausted(what, what, None, wait, now);
    }

    /// Writes the state of the budgets of these kinds, with their limits. A kind without a limit is counted by the
    /// number of rows that are kept.
    pub(crate) fn write(&self, text: &mut Text, kinds: &[(&'static str, Option<u32>)], now: Time) {
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

    /// Whether this was not told yet.
    fn is_first_report(&mut self, name: String, until: Time, now: Time) -> bool {
        self.told.retain(|_, until| now < *until);
        self.told.insert(name, until).is_none()
    }
}
