//! How often an agent may poll (RFC 8628, 3.5).

use std::time::Duration;

use clock::Time;
use contract::agent_replies::POLL_INTERVAL;
use serde::{Deserialize, Serialize};

/// Seconds added to the interval by each early poll.
const PENALTY: u64 = 5;
/// Maximum interval in seconds.
const MAX_INTERVAL: u64 = 60;

/// The polling interval of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Poll {
    next: Time,
    interval: u64,
}

impl Poll {
    /// The first poll may come at any time.
    pub(crate) const fn new() -> Self {
        Self { next: Time::from_millis(0), interval: POLL_INTERVAL }
    }

    /// Resets the interval for a new attempt.
    pub(super) fn restart(&mut self) {
        *self = Self::new();
    }

    /// Returns the interval if the poll is too early and the interval cannot grow, so that nothing is stored.
    pub(super) fn idle(&self, now: Time) -> Option<u64> {
        (now < self.next && self.interval >= MAX_INTERVAL).then_some(self.interval)
    }

    /// Counts a poll. One that is too early lengthens the interval, returned as the error.
    pub(super) fn poll(&mut self, now: Time) -> Result<(), u64> {
        let is_early = now < self.next;
        if is_early {
            self.interval = (self.interval + PENALTY).min(MAX_INTERVAL);
        }
        self.next = now.plus(Duration::from_secs(self.interval));
        if is_early { Err(self.interval) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_polls_lengthen_the_interval_up_to_a_minute() {
        let mut poll = Poll::new();
        let now = Time::from_millis(1);
        assert_eq!(poll.poll(now), Ok(()));
        let intervals: Vec<_> = (0..13).map(|_| poll.poll(now).unwrap_err()).collect();
        assert_eq!(intervals[..3], [10, 15, 20]);
        assert_eq!(intervals.last(), Some(&60));
        assert_eq!((poll.idle(now), poll.idle(now.plus(Duration::from_mins(1)))), (Some(60), None));
        assert_eq!(poll.poll(now.plus(Duration::from_mins(1))), Ok(()));
    }
}
