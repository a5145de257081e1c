//! Waiting for what happens by itself.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// Looks again until `is_so`, or gives up on `what`.
#[expect(clippy::disallowed_methods, reason = "a bounded wait needs the clock")]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        thread::sleep(PAUSE);
    }
}
