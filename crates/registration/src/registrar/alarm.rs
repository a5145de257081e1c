//! Tells the operator that everybody's budget of something is used up, once for each window in which that happens.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clock::Time;

/// Which budgets were reported, and until when they need not be reported again.
#[derive(Debug, Default)]
pub(super) struct Alarms(Mutex<BTreeMap<&'static str, Time>>);

impl Alarms {
    /// Writes an audit line that nothing is left of `what`, for which everybody has to wait, if this is the first time
    /// until then.
    pub(super) fn ring(&self, what: &'static str, wait: Duration, now: Time) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(what).is_some_and(|until| now < *until) {
            return;
        }
        told.insert(what, now.plus(wait));
        let seconds = wait.as_secs();
        tracing::warn!(target: "audit", event = "budget.exhausted", what, seconds, "everybody has to wait");
    }
}
