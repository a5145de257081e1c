//! The state of a key cache, and when to fetch: decisions only, no I/O.

use std::{sync::Arc, time::Duration};

use clock::Time;

use super::{KeySet, VerificationKey};

/// Minimum time between two fetches for the same reason. An attacker who invents `kid`s or signatures causes one
/// request in this time, and so does a provider that is down.
const PAUSE: Duration = Duration::from_secs(30);
/// Bounds of `max-age`.
const FRESH: (Duration, Duration) = (Duration::from_mins(10), Duration::from_hours(24));
/// How long stale keys are used while fetches fail (RFC 5861, 4).
const STALE: Duration = Duration::from_hours(24);

#[derive(Debug, Default)]
pub(super) struct KeyCacheState {
    known: Option<KnownKeys>,
    /// The last fetch, successful or not.
    asked: Option<Time>,
    /// The last fetch for [`FetchReason::Missed`]. A provider may change its keys right after a fetch.
    missed: Option<Time>,
}

#[derive(Debug)]
struct KnownKeys {
    keys: KeySet,
    answered: Time,
    fresh_until: Time,
}

/// The reason of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FetchReason {
    /// No fresh keys.
    Due,
    /// A token was signed by an unknown key.
    Missed,
}

/// The result of a lookup.
#[derive(Debug)]
pub(super) enum KeyLookup {
    Found(Arc<VerificationKey>),
    Unknown,
    /// Fetch, then look again.
    Ask(FetchReason),
    /// No usable keys, and too early to fetch.
    Unavailable {
        /// Seconds, rounded up.
        retry_after: u64,
    },
}

impl KeyCacheState {
    /// Looks up the key `id` at `now`.
    pub(super) fn find(&self, id: Option<&str>, now: Time) -> KeyLookup {
        let wait = wait(self.asked, now);
        let Some(known) = self.known.as_ref().filter(|known| now < known.fresh_until.plus(STALE)) else {
            return if wait.is_zero() {
                KeyLookup::Ask(FetchReason::Due)
            } else {
                KeyLookup::Unavailable { retry_after: wait.as_secs() + 1 }
            };
        };
        if wait.is_zero() && (now >= known.fresh_until || self.was_set_back(now)) {
            return KeyLookup::Ask(FetchReason::Due);
        }
        match known.keys.find(id) {
            Some(key) => KeyLookup::Found(Arc::clone(key)),
            None if id.is_some() && self.may_fetch_again(now) => KeyLookup::Ask(FetchReason::Missed),
            None => KeyLookup::Unknown,
        }
    }

    /// Returns the time since the last successful fetch.
    pub(super) fn age(&self, now: Time) -> Option<Duration> {
        self.known.as_ref().map(|known| now.since(known.answered))
    }

    /// Whether an unknown key may cause a fetch at `now`.
    pub(super) fn may_fetch_again(&self, now: Time) -> bool {
        wait(self.missed, now).is_zero()
    }

    /// Records a successful fetch.
    pub(super) fn record_answer(&mut self, why: FetchReason, keys: KeySet, max_age: Option<Duration>, now: Time) {
        let fresh = max_age.unwrap_or_default().clamp(FRESH.0, FRESH.1);
        self.known = Some(KnownKeys { keys, answered: now, fresh_until: now.plus(fresh) });
        self.record_fetch(why, now);
    }

    /// Records a fetch, successful or not.
    pub(super) fn record_fetch(&mut self, why: FetchReason, now: Time) {
        self.asked = Some(now);
        if why == FetchReason::Missed {
            self.missed = Some(now);
        }
    }

    /// Whether the clock was set back since the last fetch, so that the age of the keys is unknown.
    fn was_set_back(&self, now: Time) -> bool {
        self.asked.is_some_and(|asked| is_ahead(asked, now))
    }
}

/// Returns the time until the next fetch is allowed.
fn wait(asked: Option<Time>, now: Time) -> Duration {
    match asked {
        Some(asked) if !is_ahead(asked, now) => PAUSE.saturating_sub(now.since(asked)),
        _ => Duration::ZERO,
    }
}

/// Whether a past time is ahead of `now` by more than concurrent requests explain.
fn is_ahead(past: Time, now: Time) -> bool {
    past.since(now) >= PAUSE
}
