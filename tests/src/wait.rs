//! Waiting for things that happen by themselves.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The longest wait for anything, on a machine that is busy with other things as well.
const TIMEOUT: Duration = Duration::from_mins(2);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(2);

/// Ends the threads that run beside a test when it is dropped: at the end of the test, even one that has failed.
#[derive(Debug)]
pub struct StopOnDrop<'a>(pub &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Checks repeatedly until `is_so`, or gives up on `what`.
#[expect(clippy::disallowed_methods, reason = "a bounded wait needs the clock")]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIMEOUT, "{what} did not happen");
        thread::sleep(PAUSE);
    }
}
