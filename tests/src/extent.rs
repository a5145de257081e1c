//! How much a normal run looks at.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The length of a day.
const DAY: Duration = Duration::from_hours(24);

/// Returns the third of `all` whose turn it is on this day, or all in a long run. `TEST_SEED` names another day by its number
/// since 1970; three numbers in a row choose everything.
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
