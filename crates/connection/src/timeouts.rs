//! Time limits of a connection.
//!
//! A connection has one timer that ticks slowly during its whole life; limits are counted in ticks. So a request that
//! arrives complete and whose response is read at once touches no timer.

use std::{io, pin::Pin, task::Context, time::Duration};

use tokio::time::{Instant, Sleep, sleep};

/// The time between two ticks. A limit of `n` ticks takes between `n - 1` and `n` times as long.
pub(super) const TICK: Duration = Duration::from_secs(10);
/// How long a request may take from its first byte until its response is ready.
pub(super) const REQUEST_TICKS: u8 = 4;
/// How long a client may take to read the next part of a response.
pub(super) const RESPONSE_TICKS: u8 = 4;
/// How long an idle connection stays open: longer than the 60 s of common proxies, which so never meet a closed one.
pub(super) const IDLE_TICKS: u8 = 8;
/// How long a closing connection waits for its client.
pub(super) const CLOSING: Duration = Duration::from_secs(2);

/// The time limit of the current phase.
pub(super) struct Timeouts {
    timer: Pin<Box<Sleep>>,
    phase: Phase,
    /// Ticks since the phase began, or since its last progress.
    ticks: u8,
    /// Whether the timer has the waker of the task.
    is_ticking: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Between requests.
    Idle,
    /// A request is read or answered.
    Request,
    /// A response waits for the client to read.
    Response,
    /// The last response is written.
    Closing,
}

impl Timeouts {
    pub(super) fn new() -> Self {
        Self { timer: Box::pin(sleep(TICK)), phase: Phase::Idle, ticks: 0, is_ticking: false }
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) const fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.ticks = 0;
    }

    /// Begins the last phase, which ends after [`CLOSING`].
    #[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
    pub(super) fn close(&mut self) {
        self.enter(Phase::Closing);
        self.timer.as_mut().reset(Instant::now() + CLOSING);
    }

    /// Counts due ticks; fails once the phase exceeds its limit.
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

    /// Polls only if the timer is not armed.
    pub(super) fn keep_ticking(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.is_ticking && !self.timer.is_elapsed() { Ok(()) } else { self.poll(context) }
    }
}
