//! How long a connection waits for its client.
//!
//! Each connection has one timer that ticks slowly for as long as the connection lives; waiting is counted in ticks. So
//! a request that arrives whole and whose answer is read touches no timer, whereas the library's own keep-alive would
//! create, register and drop one for every request.

use std::{io, pin::Pin, task::Context, time::Duration};

use tokio::time::{Instant, Sleep, sleep};

/// The time between two ticks. A bound of `n` ticks is reached between `n - 1` and `n` times this long after the start.
pub(super) const TICK: Duration = Duration::from_secs(10);
/// How long a client may take from the first octet of a request to the last, including the making of the answer. It is
/// counted from the first octet after the last answer: a beginning that came with the previous request is known only to
/// the library, and has the time of an idle connection until more of it comes.
pub(super) const REQUEST_TICKS: u8 = 4;
/// How long a client may take to read the next part of an answer.
pub(super) const ANSWER_TICKS: u8 = 4;
/// How long an idle connection is kept: longer than the 60 s of common proxies, which then never find it closed.
pub(super) const IDLE_TICKS: u8 = 8;

/// What a client owes, and since when.
pub(super) struct Patience {
    timer: Pin<Box<Sleep>>,
    owed: Owed,
    /// Ticks since `owed` last changed or made progress.
    ticks: u8,
    /// Whether the timer knows whom to wake.
    ticking: bool,
}

/// What a client owes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owed {
    /// Nothing: it may ask again or leave.
    Nothing,
    /// The rest of a request, unless the service is the one at work.
    Request,
    /// Room for the rest of an answer.
    Room,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { timer: Box::pin(sleep(TICK)), owed: Owed::Nothing, ticks: 0, ticking: false }
    }

    /// Returns what is being waited for.
    pub(super) const fn owed(&self) -> Owed {
        self.owed
    }

    /// Waits for `owed` from now on.
    pub(super) const fn wait_for(&mut self, owed: Owed) {
        self.owed = owed;
        self.ticks = 0;
    }

    /// Counts the ticks that are due, and fails once the patience is at an end.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) fn tick(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        self.ticking = true;
        while self.timer.as_mut().poll(context).is_ready() {
            self.ticks += 1;
            let most = match self.owed {
                Owed::Nothing => IDLE_TICKS,
                Owed::Request => REQUEST_TICKS,
                Owed::Room => ANSWER_TICKS,
            };
            if self.ticks >= most {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let next = Instant::now() + TICK;
            self.timer.as_mut().reset(next);
        }
        Ok(())
    }

    /// Makes sure, at the end of a turn, that the next tick comes.
    pub(super) fn keep_ticking(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        // If a tick came in the same turn as octets of the client, nobody looked at it, and it would be the last one.
        if !self.ticking || self.timer.is_elapsed() { self.tick(context) } else { Ok(()) }
    }
}
