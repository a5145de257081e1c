//! What is known of a provider's keys, and when to ask again: decisions only, no I/O.

use std::{sync::Arc, time::Duration};

use super::{Key, KeySet};
use crate::Time;

/// How soon a provider is asked again for the same reason, however the last answer was: an attacker who invents names of
/// keys, or signatures, makes one request in this time, and so does a provider that is down.
const PAUSE: Duration = Duration::from_secs(30);
/// How long an answer is fresh at least and at most, whatever the provider says.
const FRESH: (Duration, Duration) = (Duration::from_mins(10), Duration::from_hours(24));
/// How long keys are used after that while no new answer can be had (RFC 5861, 4).
const STALE: Duration = Duration::from_hours(24);

/// What is known of a provider's keys.
#[derive(Debug, Default)]
pub(super) struct State {
    known: Option<Known>,
    /// When the provider was last asked, for whatever reason, with or without success.
    asked: Option<Time>,
    /// When it was last asked for [`Why::Missed`]. A provider may change its keys right after it was asked.
    missed: Option<Time>,
}

#[derive(Debug)]
struct Known {
    keys: KeySet,
    fresh_until: Time,
}

/// Why a provider is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Its keys are not known, or no longer fresh.
    Due,
    /// A token is by a key that is not among those that are known.
    Missed,
}

/// What to do about a key that is looked for.
#[derive(Debug)]
pub(super) enum Look {
    /// Verify with it.
    Found(Arc<Key>),
    /// There is no such key.
    Unknown,
    /// Ask the provider, then look again.
    Ask(Why),
    /// There are no keys that may still be used, and it is too early to ask again.
    Unavailable {
        /// Seconds, rounded up.
        retry_after: u64,
    },
}

impl State {
    /// Looks for the key with this name at `now`.
    pub(super) fn look(&self, id: Option<&str>, now: Time) -> Look {
        let wait = wait(self.asked, now);
        let Some(known) = self.known.as_ref().filter(|known| now < known.fresh_until.plus(STALE)) else {
            return if wait.is_zero() {
                Look::Ask(Why::Due)
            } else {
                Look::Unavailable { retry_after: wait.as_secs() + 1 }
            };
        };
        if wait.is_zero() && (now >= known.fresh_until || self.was_set_back(now)) {
            return Look::Ask(Why::Due);
        }
        match known.keys.find(id) {
            Some(key) => Look::Found(Arc::clone(key)),
            None if id.is_some() && self.may_ask_again(now) => Look::Ask(Why::Missed),
            None => Look::Unknown,
        }
    }

    /// Whether the provider may be asked at `now` for a key that it had not when it was asked last.
    pub(super) fn may_ask_again(&self, now: Time) -> bool {
        wait(self.missed, now).is_zero()
    }

    /// The provider was asked at `now`, and answered with `keys`.
    pub(super) fn answered(&mut self, why: Why, keys: KeySet, max_age: Option<Duration>, now: Time) {
        let fresh = max_age.unwrap_or_default().clamp(FRESH.0, FRESH.1);
        self.known = Some(Known { keys, fresh_until: now.plus(fresh) });
        self.asked(why, now);
    }

    /// The provider was asked at `now`, with or without an answer that can be used.
    pub(super) fn asked(&mut self, why: Why, now: Time) {
        self.asked = Some(now);
        if why == Why::Missed {
            self.missed = Some(now);
        }
    }

    /// Whether the clock was set back since the provider was asked. What is known then has an age that nobody can tell.
    fn was_set_back(&self, now: Time) -> bool {
        self.asked.is_some_and(|asked| is_ahead(asked, now))
    }
}

/// How long to wait before a provider that was asked at `asked` may be asked again for the same reason.
fn wait(asked: Option<Time>, now: Time) -> Duration {
    match asked {
        Some(asked) if !is_ahead(asked, now) => PAUSE.saturating_sub(now.since(asked)),
        _ => Duration::ZERO,
    }
}

/// Whether a moment of the past is ahead of `now` by more than requests overtake each other.
fn is_ahead(past: Time, now: Time) -> bool {
    past.since(now) >= PAUSE
}
