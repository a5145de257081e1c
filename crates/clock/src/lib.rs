//! The only place that reads the time; everything else is given it. How long to wait for a client, a body or the store
//! is measured where the waiting happens, by a clock without dates.

mod calendar;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

pub use self::calendar::{civil, timestamp};

/// A moment: milliseconds since 1970-01-01T00:00:00Z, as the store keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Time(i64);

impl Time {
    /// The last possible moment, which stands for something that never happens.
    pub const NEVER: Self = Self(i64::MAX);

    /// The moment `milliseconds` after the epoch.
    #[must_use]
    pub const fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// This moment plus `duration`, or the last possible moment.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// How long ago `earlier` was; zero if it lies in the future.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// A clock: either the machine's, or one that a test moves by hand.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System {
        start: Instant,
    },
    /// Starts at [`MANUAL_START`].
    Manual {
        nanoseconds: Arc<AtomicU64>,
    },
}

/// The time of a manual clock at first: 2026-01-01T00:00:00Z.
const MANUAL_START: Time = Time::from_millis(1_767_225_600_000);

impl Clock {
    /// The machine's clock, which starts at zero now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]
    pub fn system() -> Self {
        Self(Source::System { start: Instant::now() })
    }

    /// A clock that stands at 2026-01-01T00:00:00Z, and has run for no time, until [`Clock::advance`] moves it; clones
    /// move with it.
    #[must_use]
    pub fn manual() -> Self {
        Self(Source::Manual { nanoseconds: Arc::default() })
    }

    /// Moves a manual clock; has no effect on the machine's.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual { nanoseconds } = &self.0 {
            nanoseconds.fetch_add(by.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    /// The current time.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]
    pub fn now(&self) -> Time {
        match &self.0 {
            Source::System { .. } => {
                let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                Time::from_millis(0).plus(since_epoch)
            }
            Source::Manual { .. } => MANUAL_START.plus(Duration::from_nanos(self.nanoseconds())),
        }
    }

    /// Nanoseconds since the clock's start; these never run backwards.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]
    pub fn nanoseconds(&self) -> u64 {
        match &self.0 {
            Source::System { start } => start.elapsed().as_nanos() as u64,
            Source::Manual { nanoseconds } => nanoseconds.load(Ordering::Relaxed),
        }
    }
}

/// How far a clock may be set forward before it is doubted; it is also set when a machine wakes from sleep.
const LEAP: Duration = Duration::from_mins(10);
/// How long a store may go without a sweep before the clock that says so is doubted.
const AWAY: Duration = Duration::from_hours(24);
/// How long a clock that was set forward is doubted.
const DOUBT: Duration = Duration::from_hours(1);
/// How long ago a doubt of an earlier process may have begun to count as the same doubt: long enough for a service that
/// restarts again and again, and no longer, because a machine that has been off since may have come back with another
/// wrong time.
const SAME: Duration = Duration::from_hours(3);

/// Notices that the clock was set forward, perhaps by mistake: what has expired by it may not have expired, and what is
/// forgotten because of it cannot be recovered.
#[derive(Debug)]
pub struct Leaps {
    time: Time,
    nanoseconds: u64,
    doubted_until: u64,
    /// When the doubt began, by the clock's own time, if it was ever doubted.
    doubted: Option<Time>,
}

impl Leaps {
    /// Watches `clock` from now on.
    pub fn of(clock: &Clock) -> Self {
        Self { time: clock.now(), nanoseconds: clock.nanoseconds(), doubted_until: 0, doubted: None }
    }

    /// Whether a clock that says `time` and has run for `nanoseconds` can be believed.
    pub fn believes(&mut self, time: Time, nanoseconds: u64) -> bool {
        let ran = Duration::from_nanos(nanoseconds.saturating_sub(self.nanoseconds));
        let leap = time.since(self.time.plus(ran));
        if leap > LEAP {
            let seconds = leap.as_secs();
            tracing::error!(seconds, "the clock was set forward; nothing is deleted for an hour");
            self.doubt(time, nanoseconds);
        }
        (self.time, self.nanoseconds) = (time, nanoseconds);
        nanoseconds >= self.doubted_until
    }

    /// Records that the store was last swept at `swept`, and has not been since `doubted` because the time was in
    /// doubt. Long after `swept`, a clock that was set forward, or with which a machine woke up, cannot be told from a
    /// service that was away. The doubt of an earlier process continues: otherwise a process that never lives for an
    /// hour would never forget anything.
    pub fn look_back(&mut self, swept: Time, doubted: Option<Time>, nanoseconds: u64) {
        let away = self.time.since(swept);
        if away <= AWAY {
            return;
        }
        let now = self.time.plus(Duration::from_nanos(nanoseconds.saturating_sub(self.nanoseconds)));
        let began = doubted.filter(|began| *began <= now && now.since(*began) <= SAME).unwrap_or(now);
        let left = DOUBT.saturating_sub(now.since(began));
        if !left.is_zero() {
            let what =
                "the service was stopped for a long time, or its clock is wrong; nothing is deleted for up to an hour";
            tracing::warn!(seconds = away.as_secs(), "{what}");
        }
        self.doubted = Some(began);
        self.doubted_until = nanoseconds.saturating_add(left.as_nanos() as u64);
    }

    /// When the present doubt about the time began, or the last one if there is none now.
    pub const fn doubted(&self) -> Option<Time> {
        self.doubted
    }

    fn doubt(&mut self, time: Time, nanoseconds: u64) {
        self.doubted = Some(time);
        self.doubted_until = nanoseconds.saturating_add(DOUBT.as_nanos() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_leaps_forward_is_doubted_for_an_hour() {
        let clock = Clock::manual();
        let mut leaps = Leaps::of(&clock);
        let minute = Duration::from_mins(1);
        let (mut time, mut ran) = (clock.now(), Duration::ZERO);
        let mut after = |run: Duration, leap: i64| {
            ran += run;
            time = Time::from_millis(time.plus(run).millis() + leap);
            leaps.believes(time, ran.as_nanos() as u64)
        };
        let year = 365 * 24 * 60 * 60 * 1000;
        assert!(after(minute, 0) && after(minute * 500, 0), "however long it runs");
        assert!(after(minute, 60_000) && after(minute, -60_000), "a little is set right");
        assert!(!after(minute, year));
        assert!(!after(minute, -year), "nor is it believed as soon as it is set back");
        assert!(!after(minute * 58, 0) && after(minute, 0));
        assert!(after(minute, -year) && !after(minute, year));
    }

    #[test]
    fn a_clock_is_doubted_that_finds_a_store_long_left_alone() {
        let (day, hour) = (Duration::from_hours(24), Duration::from_hours(1));
        let late = Duration::from_millis(1);
        for (away, is_believed) in [(Duration::ZERO, true), (day, true), (day + late, false), (day * 400, false)] {
            let clock = Clock::manual();
            let swept = clock.now();
            clock.advance(away);
            let mut leaps = Leaps::of(&clock);
            // However long the store could not be asked, the doubt begins with its answer.
            clock.advance(hour * 2);
            assert!(leaps.believes(clock.now(), clock.nanoseconds()));
            leaps.look_back(swept.plus(hour * 2), None, clock.nanoseconds());
            assert_eq!(leaps.believes(clock.now(), clock.nanoseconds()), is_believed, "{away:?}");
            clock.advance(hour);
            assert!(leaps.believes(clock.now(), clock.nanoseconds()), "{away:?}");
        }
        let clock = Clock::manual();
        let mut leaps = Leaps::of(&clock);
        leaps.look_back(clock.now().plus(day * 400), None, clock.nanoseconds());
        assert!(leaps.believes(clock.now(), clock.nanoseconds()), "a time that has not come was a wrong clock's");
    }

    #[test]
    fn a_doubt_goes_on_where_an_earlier_process_has_left_it() {
        let minute = Duration::from_mins(1);
        // Minutes since the doubt began, and how many of it are left; a doubt from a time that is yet to come, or from
        // long ago, was about another wrong time.
        for (ago, left) in
            [(0, 60), (1, 59), (59, 1), (60, 0), (3 * 60, 0), (3 * 60 + 1, 60), (3 * 24 * 60, 60), (-1, 60)]
        {
            let clock = Clock::manual();
            clock.advance(minute * 60 * 24 * 400);
            let mut leaps = Leaps::of(&clock);
            let began = Time::from_millis(clock.now().millis() - ago * 60_000);
            leaps.look_back(Time::from_millis(0), Some(began), clock.nanoseconds());
            assert_eq!(leaps.doubted(), Some(if left == 60 { clock.now() } else { began }), "{ago}");
            if left > 0 {
                clock.advance(minute * (left - 1));
                assert!(!leaps.believes(clock.now(), clock.nanoseconds()), "{ago}");
                clock.advance(minute);
            }
            assert!(leaps.believes(clock.now(), clock.nanoseconds()), "{ago}");
        }
    }

    #[test]
    fn a_manual_clock_moves_only_by_hand_and_with_its_clones() {
        let clock = Clock::manual();
        let same = clock.clone();
        clock.advance(Duration::from_nanos(7));
        assert_eq!(same.nanoseconds(), 7);
    }

    #[test]
    fn a_manual_clock_tells_a_time_that_moves_with_it() {
        let clock = Clock::manual();
        let before = clock.now();
        clock.advance(Duration::from_secs(2));
        assert_eq!(clock.now(), before.plus(Duration::from_secs(2)));
        assert_eq!(clock.now().since(before), Duration::from_secs(2));
        assert_eq!(before.since(clock.now()), Duration::ZERO);
    }

    #[test]
    fn the_system_clock_never_runs_backwards() {
        let clock = Clock::system();
        let before = clock.nanoseconds();
        assert!(clock.nanoseconds() >= before);
    }
}
