//! One asking of one person: a link, a code, a window of time and a handful of guesses.

use std::time::Duration;

use contract::{Locale, agent_replies::CLAIM_LIFE};
use serde::{Deserialize, Serialize};

use super::MOST_TRIES;
use crate::{
    Time,
    registration::{Mailbox, secret::Seed},
};

/// How long a person has: to look at the question once it was sent, and to hand over the code once they have seen it.
pub(super) const WINDOW: Duration = Duration::from_secs(CLAIM_LIFE);

/// One asking of one person. The link and the code follow from its seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) seed: Seed,
    pub(crate) email: Mailbox,
    pub(crate) locale: Locale,
    pub(crate) requested: Time,
    /// From when on the message counts as sent, perhaps a little later than now. Until then nobody's time runs: slow mail
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

    /// When its own time is over, as far as can be said at `now`: while the message has not left, all of it is yet to come.
    /// What people and agents are told is [`super::Claim::end_of`].
    pub(super) fn expires(&self, now: Time) -> Time {
        self.shown.or(self.sent.map(|sent| sent.min(now))).unwrap_or(now).plus(WINDOW)
    }

    /// Whether the person has seen the code.
    pub(crate) const fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    pub(super) fn is_over(&self, now: Time) -> bool {
        now >= self.expires(now) || self.tries >= MOST_TRIES
    }

    /// What leaves once more counts as sent when it first did.
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
        MOST_TRIES.saturating_sub(self.tries)
    }
}
