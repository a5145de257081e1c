//! The part of all cases that a normal run tests.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: Duration = Duration::from_hours(24);

/// Returns today's third of `all`, or all in a long run. `TEST_SEED` sets another day since 1970; three consecutive
/// days cover everything.
#[expect(clippy::disallowed_methods, reason = "the choice changes with the day")]
pub fn third<T>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    if journal::times() > 1 {
        return all.into_iter().collect();
    }
    let today = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / DAY.as_secs());
    let seed = std::env::var("TEST_SEED").map_or(today, |seed| seed.parse().expect("a number"));
    println!("a third by seed {seed}: TEST_SEED={seed} repeats this choice, TEST_TIMES=2 takes all");
    (0..).zip(all).filter(|(at, _)| at % 3 == seed % 3).map(|(_, item)| item).collect()
}
