//! One attempt of a claim: a link, a code, a time limit and a number of guesses.

use std::time::Duration;

use clock::Time;
use contract::{
    Locale,
    agent_replies::{CODE_LIFE, LINK_LIFE},
};
use secrets::{Mailbox, Seed};
use serde::{Deserialize, Serialize};

use super::MAX_TRIES;

/// Time to open the link after the e-mail was sent.
pub(super) const LINK: Duration = Duration::from_secs(LINK_LIFE);
/// Time to pass on the code after it was shown.
pub(super) const CODE: Duration = Duration::from_secs(CODE_LIFE);

/// An attempt. Its link and code derive from its seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub(crate) seed: Seed,
    pub(crate) email: Mailbox,
    pub(crate) locale: Locale,
    pub(crate) requested: Time,
    /// When the e-mail counts as sent, possibly in the future. Until then, the time limit does not run: slow mail costs
    /// the person nothing.
    sent: Option<Time>,
    /// When the code was first shown.
    shown: Option<Time>,
    tries: u8,
}

impl Attempt {
    pub(super) const fn new(seed: Seed, email: Mailbox, locale: Locale, now: Time) -> Self {
        Self { seed, email, locale, requested: now, sent: None, shown: None, tries: 0 }
    }

    /// Returns when the attempt ends, as known at `now`: until the e-mail is sent, the whole time lies ahead. People
    /// and agents see [`super::Claim::end_of`].
    pub(super) fn expires(&self, now: Time) -> Time {
        match self.shown {
            Some(shown) => shown.plus(CODE),
            None => self.sent.map_or(now, |sent| sent.min(now)).plus(LINK),
        }
    }

    pub(crate) const fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    pub(super) fn is_over(&self, now: Time) -> bool {
        now >= self.expires(now) || self.tries >= MAX_TRIES
    }

    /// Records the time of sending; a repeated e-mail keeps the first.
    pub(super) fn send(mut self, now: Time) -> Self {
        self.sent = self.sent.or(Some(now));
        self
    }

    pub(super) fn show(mut self, now: Time) -> Self {
        self.shown = self.shown.or(Some(now));
        self
    }

    pub(super) const fn with_try(mut self) -> Self {
        self.tries += 1;
        self
    }

    pub(super) const fn tries_left(&self) -> u8 {
        MAX_TRIES.saturating_sub(self.tries)
    }
}
