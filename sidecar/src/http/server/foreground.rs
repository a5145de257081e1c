//! The main thread of a process that only serves.

use std::{io, thread};

use tokio::{
    runtime::{Builder, LocalOptions, LocalRuntime},
    sync::oneshot,
};

use super::{Dependencies, Server, signals::Signals, start_error::StartError};
use crate::config::Config;

/// Handles signals, and serves until one ends the service.
///
/// It replaces the default actions of signals before the service starts: an early SIGHUP for a new build would end the
/// process, and the first process of a container would ignore SIGTERM.
pub struct Foreground {
    runtime: LocalRuntime,
    signals: Signals,
}

impl Foreground {
    /// Installs the signal handlers.
    pub fn listen() -> Result<Self, StartError> {
        let runtime = runtime().map_err(StartError::System)?;
        let context = runtime.enter();
        let signals = Signals::listen().map_err(StartError::System)?;
        drop(context);
        Ok(Self { runtime, signals })
    }

    /// Binds a server as [`Server::bind`] does, on another thread, because a start may wait for a disk or a name.
    /// Returns `None` if SIGTERM or SIGINT came first.
    pub fn bind(&mut self, config: Config, dependencies: Dependencies) -> Result<Option<Server>, StartError> {
        // Declared outside `block_on`: the server in the channel has its own runtime, which must not be dropped inside.
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

    pub(super) fn run<S: Future<Output = io::Result<()>>>(self, service: impl FnOnce(Signals) -> S) -> io::Result<()> {
        self.runtime.block_on(service(self.signals))
    }
}

/// Creates the runtime of a service.
///
/// Without the `System` of the HTTP library, which would send every event of a connection through the locked queue of a
/// `LocalSet`, on the workers too.
pub(super) fn runtime() -> io::Result<LocalRuntime> {
    Builder::new_current_thread().enable_all().build_local(LocalOptions::default())
}
