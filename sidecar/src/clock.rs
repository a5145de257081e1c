//! The only place that reads time. Everything else is told what time it is.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// A monotonic clock: either the machine's, or one that a test moves by hand.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System { start: Instant },
    Manual { nanoseconds: Arc<AtomicU64> },
}

impl Clock {
    /// The machine's clock, which starts at zero now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]
    pub fn system() -> Self {
        Self(Source::System { start: Instant::now() })
    }

    /// A clock that stands at zero until [`Clock::advance`] moves it; its clones move with it.
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

    /// Nanoseconds since the clock's start.
    #[must_use]
    pub fn nanoseconds(&self) -> u64 {
        match &self.0 {
            Source::System { start } => start.elapsed().as_nanos() as u64,
            Source::Manual { nanoseconds } => nanoseconds.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_by_hand_and_with_its_clones() {
        let clock = Clock::manual();
        let same = clock.clone();
        clock.advance(Duration::from_nanos(7));
        assert_eq!(same.nanoseconds(), 7);
    }

    #[test]
    fn the_system_clock_never_runs_backwards() {
        let clock = Clock::system();
        let before = clock.nanoseconds();
        assert!(clock.nanoseconds() >= before);
    }
}
