//! The cache of one provider's keys, fetched on demand by one request at a time.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clock::Time;
use metrics::Counter;

use super::{
    Algorithm, KeySet, NoKey, VerificationKey,
    fetch::{Fetch, FetchError},
    state::{FetchReason, KeyCacheState, KeyLookup},
};

#[derive(Debug)]
pub(crate) struct KeyCache {
    issuer: String,
    address: String,
    allowed: Vec<Algorithm>,
    fetch: Arc<dyn Fetch>,
    state: Mutex<KeyCacheState>,
    /// Failed fetches.
    failures: Counter,
    /// Held during a fetch; other callers wait for its result.
    turn: tokio::sync::Mutex<()>,
}

impl KeyCache {
    pub(super) fn new(issuer: &str, address: &str, allowed: &[Algorithm], fetch: Arc<dyn Fetch>) -> Self {
        Self {
            issuer: issuer.to_owned(),
            address: address.to_owned(),
            allowed: allowed.to_vec(),
            fetch,
            state: Mutex::default(),
            failures: Counter::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Whether both caches fetch the same keys.
    pub(crate) fn is_for_the_same(&self, other: &Self) -> bool {
        (&self.issuer, &self.address, &self.allowed) == (&other.issuer, &other.address, &other.allowed)
    }

    /// Returns the time since the last successful fetch.
    pub(crate) fn age(&self, now: Time) -> Option<Duration> {
        self.state().age(now)
    }

    /// Returns the number of failed fetches.
    pub(crate) fn failures(&self) -> u64 {
        self.failures.value()
    }

    /// Returns the key `id`, or the only key. Fetches the keys if necessary.
    pub(super) async fn find(self: &Arc<Self>, id: Option<&str>, now: Time) -> Result<Arc<VerificationKey>, NoKey> {
        let mut look = self.state().find(id, now);
        if let KeyLookup::Ask(why) = look {
            let name = id.map(str::to_owned);
            let is_due = move |state: &KeyCacheState| matches!(state.find(name.as_deref(), now), KeyLookup::Ask(it) if it == why);
            self.ask(why, now, is_due).await;
            look = self.state().find(id, now);
        }
        match look {
            KeyLookup::Found(key) => Ok(key),
            // Still missing after the fetch.
            KeyLookup::Unknown | KeyLookup::Ask(FetchReason::Missed) => Err(NoKey::Unknown),
            KeyLookup::Unavailable { retry_after } => Err(NoKey::Unavailable { retry_after }),
            KeyLookup::Ask(FetchReason::Due) => Err(NoKey::Unavailable { retry_after: 1 }),
        }
    }

    /// Returns the key that has replaced `former` under the same `id`, or without one. Fetches the keys if allowed now.
    pub(super) async fn successor(
        self: &Arc<Self>,
        id: Option<&str>,
        former: &Arc<VerificationKey>,
        now: Time,
    ) -> Option<Arc<VerificationKey>> {
        let found = |look: KeyLookup| match look {
            KeyLookup::Found(key) if !Arc::ptr_eq(&key, former) => Some(key),
            _ => None,
        };
        let look = self.state().find(id, now);
        if let Some(key) = found(look) {
            return Some(key);
        }
        self.ask(FetchReason::Missed, now, move |state| state.may_fetch_again(now)).await;
        let look = self.state().find(id, now);
        found(look)
    }

    /// Fetches if that `is_due`, in a task of its own: a client that disconnects must not cancel a fetch for which
    /// others wait.
    async fn ask(
        self: &Arc<Self>,
        why: FetchReason,
        now: Time,
        is_due: impl Fn(&KeyCacheState) -> bool + Send + 'static,
    ) {
        if !is_due(&self.state()) {
            return;
        }
        let cache = Arc::clone(self);
        let fetch = tokio::spawn(async move {
            let _turn = cache.turn.lock().await;
            // Another task may have fetched meanwhile.
            if is_due(&cache.state()) {
                cache.fetch(why, now).await;
            }
        });
        if let Err(error) = fetch.await {
            tracing::error!(issuer = self.issuer, "the task that fetches keys ended early: {error}");
        }
    }

    /// Fetches the keys. The caller holds the lock.
    async fn fetch(&self, why: FetchReason, now: Time) {
        let (fetch, address) = (Arc::clone(&self.fetch), self.address.clone());
        let answer = tokio::task::spawn_blocking(move || fetch.fetch(&address)).await;
        let answer = answer.unwrap_or(Err(FetchError::Aborted)).and_then(|answer| {
            let (keys, unusable) = KeySet::parse(&answer.body, &self.allowed).map_err(FetchError::NoKeySet)?;
            Ok((keys, unusable, answer.max_age))
        });
        match answer {
            Ok((keys, unusable, max_age)) => {
                for key in &unusable {
                    tracing::debug!(issuer = self.issuer, key = key.place, "a key is not used: {}", key.reason);
                }
                let (used, unused) = (keys.len(), unusable.len());
                tracing::info!(issuer = self.issuer, used, unused, "the provider's keys were fetched");
                self.state().record_answer(why, keys, max_age, now);
            }
            Err(error) => {
                tracing::warn!(issuer = self.issuer, "the provider's keys could not be fetched: {error}");
                self.failures.increment();
                self.state().record_fetch(why, now);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, KeyCacheState> {
        // Every change is complete when the lock is released, so a poisoned lock holds a valid state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
