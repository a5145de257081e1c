//! What is known about a provider's keys, and when to ask again: decisions only, no I/O.

use std::{sync::Arc, time::Duration};

use clock::Time;

use super::{Key, KeySet};

/// The pause before a provider is asked again for the same reason, whatever the last answer was. An attacker who
/// invents names of keys, or signatures, causes one request in this time, and so does a provider that is down.
const PAUSE: Duration = Duration::from_secs(30);
/// The shortest and longest time for which an answer is fresh, whatever the provider says.
const FRESH: (Duration, Duration) = (Duration::from_mins(10), Duration::from_hours(24));
/// How long keys are used after that while no new answer can be obtained (RFC 5861, 4).
const STALE: Duration = Duration::from_hours(24);

/// What is known about a provider's keys.
#[derive(Debug, Default)]
pub(super) struct KeyCacheState {
    known: Option<KnownKeys>,
    /// When the provider was last asked, for whatever reason, successfully or not.
    asked: Option<Time>,
    /// When it was last asked for [`FetchReason::Missed`]. A provider may change its keys right after it was asked.
    missed: Option<Time>,
}

#[derive(Debug)]
struct KnownKeys {
    keys: KeySet,
    answered: Time,
    fresh_until: Time,
}

/// Why a provider is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FetchReason {
    /// Its keys are not known, or no longer fresh.
    Due,
    /// A token is signed by a key that is not among the known ones.
    Missed,
}

/// What to do about a key that is being looked for.
#[derive(Debug)]
pub(super) enum KeyLookup {
    /// Verify with this key.
    Found(Arc<Key>),
    /// There is no such key.
    Unknown,
    /// Ask the provider, then look again.
    Ask(FetchReason),
    /// There are no keys that may still be used, and it is too early to ask again.
    Unavailable {
        /// Seconds, rounded up.
        retry_after: u64,
    },
}

impl KeyCacheState {
    /// Looks for the key with this name at `now`.
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

    /// Returns how long ago the provider answered with keys, if it ever did.
    pub(super) fn age(&self, now: Time) -> Option<Duration> {
        self.known.as_ref().map(|known| now.since(known.answered))
    }

    /// Whether the provider may be asked at `now` for a key that it did not have when it was last asked.
    pub(super) fn may_fetch_again(&self, now: Time) -> bool {
        wait(self.missed, now).is_zero()
    }

    /// Records that the provider was asked at `now`, and answered with `keys`.
    pub(super) fn record_answer(&mut self, why: FetchReason, keys: KeySet, max_age: Option<Duration>, now: Time) {
        let fresh = max_age.unwrap_or_default().clamp(FRESH.0, FRESH.1);
        self.known = Some(KnownKeys { keys, answered: now, fresh_until: now.plus(fresh) });
        self.record_fetch(why, now);
    }

    /// Records that the provider was asked at `now`, with or without a usable answer.
    pub(super) fn record_fetch(&mut self, why: FetchReason, now: Time) {
        self.asked = Some(now);
        if why == FetchReason::Missed {
            self.missed = Some(now);
        }
    }

    /// Whether the clock was set back since the provider was asked. The age of what is known is then unknown.
    fn was_set_back(&self, now: Time) -> bool {
        self.asked.is_some_and(|asked| is_ahead(asked, now))
    }
}

/// Returns how long to wait before a provider that was asked at `asked` may be asked again for the same reason.
fn wait(asked: Option<Time>, now: Time) -> Duration {
    match asked {
        Some(asked) if !is_ahead(asked, now) => PAUSE.saturating_sub(now.since(asked)),
        _ => Duration::ZERO,
    }
}

/// Whether a past moment is ahead of `now` by more than one request can overtake another.
fn is_ahead(past: Time, now: Time) -> bool {
    past.since(now) >= PAUSE
}
