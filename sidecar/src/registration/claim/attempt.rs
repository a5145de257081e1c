//! One asking of one person: a link, a code, a window of time and a handful of guesses.

use std::time::Duration;

use contract::Locale;
use serde::{Deserialize, Serialize};

use super::MOST_TRIES;
use crate::{
    Time,
    registration::{Mailbox, secret::Seed},
};

/// How long a person has.
pub(crate) const WINDOW: Duration = Duration::from_mins(10);

/// One asking of one person. The link and the code follow from its seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) seed: Seed,
    pub(crate) email: Mailbox,
    pub(crate) locale: Locale,
    pub(crate) requested: Time,
    /// When the person first asked for the code.
    shown: Option<Time>,
    tries: u8,
}

impl Attempt {
    pub(super) const fn new(seed: Seed, email: Mailbox, locale: Locale, now: Time) -> Self {
        Self { seed, email, locale, requested: now, shown: None, tries: 0 }
    }

    /// When it is over.
    pub(crate) fn expires(&self) -> Time {
        self.requested.plus(WINDOW)
    }

    /// Whether the person has seen the code.
    pub(crate) const fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    pub(super) fn is_over(&self, now: Time) -> bool {
        now >= self.expires() || self.tries >= MOST_TRIES
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
