//! Tells the operator that everybody's budget of something is used up, once for each window in which that happens.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::{Time, store::Exhausted};

/// Which budgets were reported, and until when they need not be reported again.
#[derive(Debug, Default)]
pub(super) struct Alarms(Mutex<BTreeMap<&'static str, Time>>);

impl Alarms {
    /// Writes an audit line about `exhausted`, if it is everybody's budget and this is the first time in its window.
    pub(super) fn ring(&self, exhausted: &Exhausted, now: Time) {
        let Some((what, wait)) = exhausted.of_all else { return };
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(what).is_some_and(|until| now < *until) {
            return;
        }
        told.insert(what, now.plus(wait));
        let seconds = wait.as_secs();
        tracing::warn!(target: "audit", event = "budget.exhausted", what, seconds, "everybody has to wait");
    }
}
