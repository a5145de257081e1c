//! How often an agent may poll (RFC 8628, 3.5).

use std::time::Duration;

use clock::Time;
use contract::agent_replies::POLL_INTERVAL;
use serde::{Deserialize, Serialize};

/// Seconds added to the interval by each early poll.
const PENALTY: u64 = 5;
/// How early a poll may come: clients that keep to the interval are not exact.
const TOLERANCE: Duration = Duration::from_millis(500);
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
        (self.is_early(now) && self.interval >= MAX_INTERVAL).then_some(self.interval)
    }

    /// Counts a poll. One that is too early lengthens the interval, returned as the error. It does not postpone the next
    /// poll that counts: otherwise a client that is a little too fast would never come out again.
    pub(super) fn poll(&mut self, now: Time) -> Result<(), u64> {
        if self.is_early(now) {
            self.interval = (self.interval + PENALTY).min(MAX_INTERVAL);
            return Err(self.interval);
        }
        self.next = now.plus(Duration::from_secs(self.interval));
        Ok(())
    }

    fn is_early(&self, now: Time) -> bool {
        now.plus(TOLERANCE) < self.next
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
        let next = now.plus(Duration::from_secs(5));
        assert_eq!((poll.idle(now), poll.idle(next)), (Some(60), None));
        assert_eq!(poll.poll(next), Ok(()), "early polls do not postpone it");
        assert_eq!(poll.poll(next.plus(Duration::from_mins(1))), Ok(()));
    }

    #[test]
    fn client_that_polls_at_the_interval_is_never_told_to_slow_down() {
        let mut poll = Poll::new();
        let mut now = Time::from_millis(1_000);
        for _ in 0..100 {
            assert_eq!(poll.poll(now), Ok(()));
            // A timer that fires a little too soon.
            now = now.plus(Duration::from_millis(4_501));
        }
    }

    #[test]
    fn client_that_heeds_slow_down_is_served_at_its_next_poll() {
        let mut poll = Poll::new();
        let mut now = Time::from_millis(1_000);
        assert_eq!(poll.poll(now), Ok(()));
        now = now.plus(Duration::from_millis(4_499));
        assert_eq!(poll.poll(now), Err(10));
        for _ in 0..10 {
            now = now.plus(Duration::from_secs(10));
            assert_eq!(poll.poll(now), Ok(()));
        }
    }
}
