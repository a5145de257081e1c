//! What the system tells the service.

use std::io;

use tokio::{
    runtime::{Builder, LocalOptions, LocalRuntime},
    signal::unix::{Signal, SignalKind, signal},
};

use super::{running::Command, start_error::StartError};

/// A thread that serves until a signal ends it.
///
/// From when it is made, SIGHUP does not end the process, as it would end one that does not listen: whoever has
/// published a build and says so does not know how far the service has come with its start. SIGTERM and SIGINT end a
/// start at once, and a service when its answers in the making are finished.
pub struct Foreground {
    runtime: LocalRuntime,
    hang_up: Signal,
}

impl Foreground {
    /// Prepares this thread.
    pub fn new() -> Result<Self, StartError> {
        let runtime = runtime().map_err(StartError::System)?;
        let context = runtime.enter();
        let hang_up = signal(SignalKind::hangup()).map_err(StartError::System)?;
        drop(context);
        Ok(Self { runtime, hang_up })
    }

    /// Runs what `service` makes of the signals.
    pub(super) fn run<S>(self, service: impl FnOnce(Signals) -> S) -> io::Result<()>
    where
        S: Future<Output = io::Result<()>>,
    {
        let Self { runtime, hang_up } = self;
        runtime.block_on(async { service(Signals::new(hang_up)?).await })
    }
}

/// What a service runs in.
///
/// No `System` of the HTTP library: there, every event of a connection goes through the locked queue of a `LocalSet`, on
/// the workers too.
pub(super) fn runtime() -> io::Result<LocalRuntime> {
    Builder::new_current_thread().enable_all().build_local(LocalOptions::default())
}

/// The signals that concern a service.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new(hang_up: Signal) -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())?, hang_up })
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
