//! What the system tells the service.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::running::Command;

/// The signals that concern a service.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// What the next signal asks for; never ready where `signals` is `None`.
    pub(super) async fn next(signals: &mut Option<Self>) -> Command {
        let Some(signals) = signals else { return std::future::pending().await };
        tokio::select! {
            _ = signals.terminate.recv() => Command::Stop,
            _ = signals.interrupt.recv() => Command::Stop,
            _ = signals.hang_up.recv() => Command::Reload,
        }
    }
}
