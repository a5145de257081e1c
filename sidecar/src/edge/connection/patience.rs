//! How long a connection waits for its client.
//!
//! Each connection has one timer that ticks slowly for as long as the connection lives; waiting is counted in ticks.
//! So a request that arrives whole and whose answer is taken touches no timer, where the library's own keep-alive would
//! make, register and drop one for every request.

use std::{io, pin::Pin, task::Context, time::Duration};

use tokio::time::{Instant, Sleep, sleep};

/// Time between two ticks. A bound of `n` ticks is met between `n - 1` and `n` times this long after the start.
pub(super) const TICK: Duration = Duration::from_secs(10);
/// How long a client may take from the first octet of a request to its last, the answer's making included. It is
/// counted from the first octet behind the last answer: a beginning that came with the request before is known to the
/// library only, and has the time of an idle connection until more of it comes.
pub(super) const REQUEST_TICKS: u8 = 4;
/// How long a client may take to read the next part of an answer.
pub(super) const ANSWER_TICKS: u8 = 4;
/// How long an idle connection is kept: longer than the 60 s of common proxies, which then never meet a closed one.
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
    /// The rest of a request, unless it is the service that is at work.
    Request,
    /// Room for the rest of an answer.
    Room,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { timer: Box::pin(sleep(TICK)), owed: Owed::Nothing, ticks: 0, ticking: false }
    }

    /// What is waited for.
    pub(super) const fn owed(&self) -> Owed {
        self.owed
    }

    /// Waits for `owed` from now on.
    pub(super) const fn wait_for(&mut self, owed: Owed) {
        self.owed = owed;
        self.ticks = 0;
    }

    /// Counts the ticks that are due, and fails when the patience is at an end.
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

    /// Sees to it, at the end of a turn, that the next tick comes.
    pub(super) fn keep_ticking(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        // A tick that came with octets of the client in one turn was looked at by nobody, and would be the last one.
        if !self.ticking || self.timer.is_elapsed() { self.tick(context) } else { Ok(()) }
    }
}
