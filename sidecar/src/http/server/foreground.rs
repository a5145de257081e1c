//! The thread of a process that does nothing but serve.

use std::{io, thread};

use tokio::{
    runtime::{Builder, LocalOptions, LocalRuntime},
    sync::oneshot,
};

use super::{Dependencies, Server, signals::Signals, start_error::StartError};
use crate::config::Config;

/// A thread that listens for signals, and serves until one ends it.
///
/// From its creation on, no signal does to the process what it would do to one that does not listen. SIGHUP would end
/// it, and may be sent before the service has started: a build was published meanwhile. And SIGTERM
/// would be lost if the service is the first process of a container.
pub struct Foreground {
    runtime: LocalRuntime,
    signals: Signals,
}

impl Foreground {
    /// Listens from now on.
    ///
    /// # Errors
    /// If the system refuses what a thread needs in order to hear signals.
    pub fn listen() -> Result<Self, StartError> {
        let runtime = runtime().map_err(StartError::System)?;
        let context = runtime.enter();
        let signals = Signals::listen().map_err(StartError::System)?;
        drop(context);
        Ok(Self { runtime, signals })
    }

    /// Binds a server as [`Server::bind`] does. Returns `None` if SIGTERM or SIGINT came first: a start that waits for
    /// a disk or a name waits on another thread, which ends with the process.
    ///
    /// # Errors
    /// As [`Server::bind`].
    pub fn bind(&mut self, config: Config, dependencies: Dependencies) -> Result<Option<Server>, StartError> {
        // Outlives the runtime's turn: what may be in the channel when a signal comes first holds a runtime of its own.
        let (sender, mut bound) = oneshot::channel();
        let start = thread::Builder::new().name("start".to_owned());
        start.spawn(move || drop(sender.send(Server::bind(config, dependencies)))).map_err(StartError::System)?;
        let Self { runtime, signals } = self;
        runtime.block_on(async {
            tokio::select! {
                bound = &mut bound => match bound {
                    Ok(server) => server.map(Some),
                    Err(_) => Err(StartError::System(io::Error::other("the start panicked"))),
                },
                () = signals.stop() => Ok(None),
            }
        })
    }

    /// Runs what `service` makes from the signals.
    pub(super) fn run<S: Future<Output = io::Result<()>>>(self, service: impl FnOnce(Signals) -> S) -> io::Result<()> {
        self.runtime.block_on(service(self.signals))
    }
}

/// Creates the runtime of a service.
///
/// It has no `System` of the HTTP library: with that, every event of a connection goes through the locked queue of a
/// `LocalSet`, on the workers too.
pub(super) fn runtime() -> io::Result<LocalRuntime> {
    Builder::new_current_thread().enable_all().build_local(LocalOptions::default())
}
