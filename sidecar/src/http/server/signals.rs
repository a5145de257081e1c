//! Signals of the system.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::running::ServerCommand;

/// The signals that a service handles.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Installs the handlers in the current runtime.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal and returns its command; never ready if `signals` is `None`.
    pub(super) async fn next(signals: &mut Option<Self>) -> ServerCommand {
        let Some(Self { terminate, interrupt, hang_up }) = signals else { return std::future::pending().await };
        tokio::select! {
            _ = terminate.recv() => ServerCommand::Stop,
            _ = interrupt.recv() => ServerCommand::Stop,
            _ = hang_up.recv() => ServerCommand::Reload,
        }
    }

    /// Waits for SIGTERM or SIGINT.
    pub(super) async fn stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
