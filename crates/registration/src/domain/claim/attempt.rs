//! One attempt to ask one person: a link, a code, a window of time and a handful of guesses.

use std::time::Duration;

use clock::Time;
use contract::{
    Locale,
    agent_replies::{CODE_LIFE, LINK_LIFE},
};
use serde::{Deserialize, Serialize};

use super::MAX_TRIES;
use crate::domain::{Mailbox, secret::Seed};

/// How long a person has to look at the question after it was sent.
pub(super) const LINK: Duration = Duration::from_secs(LINK_LIFE);
/// How long a person has to hand over the code after they have seen it.
pub(super) const CODE: Duration = Duration::from_secs(CODE_LIFE);

/// An attempt to ask one person. Its link and its code are derived from its seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub(crate) seed: Seed,
    pub(crate) email: Mailbox,
    pub(crate) locale: Locale,
    pub(crate) requested: Time,
    /// When the message counts as sent, perhaps a little later than now. Until then no time has passed: slow mail
    /// costs the person nothing.
    sent: Option<Time>,
    /// When the person first asked for the code.
    shown: Option<Time>,
    tries: u8,
}

impl Attempt {
    pub(super) const fn new(seed: Seed, email: Mailbox, locale: Locale, now: Time) -> Self {
        Self { seed, email, locale, requested: now, sent: None, shown: None, tries: 0 }
    }

    /// Returns when the attempt's own time ends, as far as is known at `now`: until the message has left, all of it
    /// lies ahead. The time that people and agents are given is [`super::Claim::end_of`].
    pub(super) fn expires(&self, now: Time) -> Time {
        match self.shown {
            Some(shown) => shown.plus(CODE),
            None => self.sent.map_or(now, |sent| sent.min(now)).plus(LINK),
        }
    }

    /// Whether the person has seen the code.
    pub(crate) const fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    pub(super) fn is_over(&self, now: Time) -> bool {
        now >= self.expires(now) || self.tries >= MAX_TRIES
    }

    /// Records when the message left; one that is sent again keeps the time of its first sending.
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
