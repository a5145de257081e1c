//! How long a connection waits for its client.
//!
//! A connection has one timer, which ticks slowly for as long as the connection lives, and waiting is counted in ticks.
//! So a request that arrives whole and whose response is read at once touches no timer.

use std::{io, pin::Pin, task::Context, time::Duration};

use tokio::time::{Instant, Sleep, sleep};

/// The time between two ticks. A limit of `n` ticks is reached between `n - 1` and `n` times this long after the start.
pub(super) const TICK: Duration = Duration::from_secs(10);
/// How long a request may take from its first byte to its last, including the making of the response.
pub(super) const REQUEST_TICKS: u8 = 4;
/// How long a client may take to read the next part of a response.
pub(super) const RESPONSE_TICKS: u8 = 4;
/// How long an idle connection is kept: longer than the 60 s of common proxies, which then never find it closed.
pub(super) const IDLE_TICKS: u8 = 8;
/// How long a connection that is over waits for its client to end it.
pub(super) const CLOSING: Duration = Duration::from_secs(2);

/// The time limit of what a connection is doing.
pub(super) struct Timeouts {
    timer: Pin<Box<Sleep>>,
    phase: Phase,
    /// Ticks since the phase began, or since its last progress.
    ticks: u8,
    /// Whether the timer knows which task to wake.
    is_ticking: bool,
}

/// What a connection is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The client may send another request or leave.
    Idle,
    /// A request is being read or answered.
    Request,
    /// The client does not read the response.
    Response,
    /// No more requests are answered.
    Closing,
}

impl Timeouts {
    pub(super) fn new() -> Self {
        Self { timer: Box::pin(sleep(TICK)), phase: Phase::Idle, ticks: 0, is_ticking: false }
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase
    }

    /// Begins `phase`.
    pub(super) const fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.ticks = 0;
    }

    /// Begins the last phase, which ends with the next tick.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) fn close(&mut self) {
        self.enter(Phase::Closing);
        self.timer.as_mut().reset(Instant::now() + CLOSING);
    }

    /// Counts the ticks that are due, and fails once the phase has taken too long.
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        self.is_ticking = true;
        while self.timer.as_mut().poll(context).is_ready() {
            self.ticks += 1;
            let limit = match self.phase {
                Phase::Idle => IDLE_TICKS,
                Phase::Request => REQUEST_TICKS,
                Phase::Response => RESPONSE_TICKS,
                Phase::Closing => 1,
            };
            if self.ticks >= limit {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let next = Instant::now() + TICK;
            self.timer.as_mut().reset(next);
        }
        Ok(())
    }

    /// Does the same if no tick is being waited for.
    pub(super) fn keep_ticking(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.is_ticking && !self.timer.is_elapsed() { Ok(()) } else { self.poll(context) }
    }
}
