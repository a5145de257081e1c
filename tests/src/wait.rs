//! Waiting for conditions.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The longest wait on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(2);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(2);

/// Sets the flag that ends the threads of a test, even if the test fails.
#[derive(Debug)]
pub struct StopOnDrop<'a>(pub &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Waits until `is_so`, or panics with `what`.
#[expect(clippy::disallowed_methods, reason = "a bounded wait needs the clock")]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIMEOUT, "{what} did not happen");
        thread::sleep(PAUSE);
    }
}
