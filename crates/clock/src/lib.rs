//! The only reader of the time of day; other code gets it as an argument. Timeouts use the monotonic clock of their
//! runtime.

mod calendar;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

pub use self::calendar::{civil, timestamp};

/// A moment: milliseconds since 1970-01-01T00:00:00Z, as the store holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Time(i64);

impl Time {
    /// The last possible moment, for events that never happen.
    pub const NEVER: Self = Self(i64::MAX);

    /// Returns the moment `milliseconds` after the epoch.
    pub const fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// Parses a moment (RFC 3339), or a day or a time of day in UTC.
    pub fn parse(text: &str) -> Option<Self> {
        calendar::parse(text).map(Self)
    }

    /// Returns the milliseconds since the epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Adds `duration`; saturates.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Subtracts `duration`; saturates.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Returns the time since `earlier`; zero if that is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// The clock of the machine, or a manual one for tests.
#[derive(Clone, Debug)]
pub struct Clock(ClockSource);

#[derive(Clone, Debug)]
enum ClockSource {
    System {
        start: Instant,
    },
    /// Starts at [`MANUAL_START`].
    Manual {
        nanoseconds: Arc<AtomicU64>,
    },
}

/// The start of a manual clock: 2026-01-01T00:00:00Z.
const MANUAL_START: Time = Time::from_millis(1_767_225_600_000);

impl Clock {
    /// Returns the clock of the machine; its nanoseconds start at zero now.
    #[expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]
    pub fn system() -> Self {
        Self(ClockSource::System { start: Instant::now() })
    }

    /// Returns a clock at 2026-01-01T00:00:00Z that only [`Clock::advance`] moves, together with its clones.
    pub fn manual() -> Self {
        Self(ClockSource::Manual { nanoseconds: Arc::default() })
    }

    /// Moves a manual clock; has no effect on that of the machine.
    pub fn advance(&self, by: Duration) {
        if let ClockSource::Manual { nanoseconds } = &self.0 {
            nanoseconds.fetch_add(by.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]
    pub fn now(&self) -> Time {
        match &self.0 {
            ClockSource::System { .. } => {
                let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                Time::from_millis(0).plus(since_epoch)
            }
            ClockSource::Manual { .. } => MANUAL_START.plus(Duration::from_nanos(self.nanoseconds())),
        }
    }

    /// Returns the nanoseconds since the start of the clock, which never decrease.
    #[expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]
    pub fn nanoseconds(&self) -> u64 {
        match &self.0 {
            ClockSource::System { start } => start.elapsed().as_nanos() as u64,
            ClockSource::Manual { nanoseconds } => nanoseconds.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_clock_moves_only_by_hand_and_with_its_clones() {
        let clock = Clock::manual();
        let same = clock.clone();
        clock.advance(Duration::from_nanos(7));
        assert_eq!(same.nanoseconds(), 7);
    }

    #[test]
    fn manual_clock_time_advances_with_it() {
        let clock = Clock::manual();
        let before = clock.now();
        clock.advance(Duration::from_secs(2));
        assert_eq!(clock.now(), before.plus(Duration::from_secs(2)));
        assert_eq!(clock.now().since(before), Duration::from_secs(2));
        assert_eq!(before.since(clock.now()), Duration::ZERO);
    }

    #[test]
    fn system_clock_starts_at_zero_and_moves_by_itself_and_not_by_hand() {
        const HOUR: Duration = Duration::from_hours(1);
        let clock = Clock::system();
        clock.advance(HOUR);
        let first = clock.nanoseconds();
        assert!(u128::from(first) < HOUR.as_nanos(), "{first}");
        assert!((0..1_000_000_000_u32).any(|_| clock.nanoseconds() > first), "it stands still");
    }
}
