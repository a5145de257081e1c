//! A service from the outside: what other threads can ask of it.

use std::{io, net::SocketAddr, sync::Arc, thread::JoinHandle};

use tokio::sync::mpsc::UnboundedSender;

use crate::edge::shared::Shared;

/// Speaks to a running service, from any thread.
#[derive(Clone)]
pub struct Handle {
    pub(super) commands: UnboundedSender<Command>,
    pub(super) shared: Arc<Shared>,
}

/// What a service can be asked for while it runs.
pub(super) enum Command {
    Stop,
    Reload,
}

impl Handle {
    /// Finishes the answers in the making and ends the service.
    pub fn stop(&self) {
        // A service that has ended already needs no telling.
        let _ = self.commands.send(Command::Stop);
    }

    /// Looks at the build again now.
    pub fn reload(&self) {
        let _ = self.commands.send(Command::Reload);
    }

    /// The name of the build in force.
    #[must_use]
    pub fn build(&self) -> String {
        self.shared.site.load().build.clone()
    }
}

/// A service on a thread of its own. Dropping it ends the service and waits for the end.
pub struct Running {
    pub(super) address: SocketAddr,
    pub(super) admin_address: Option<SocketAddr>,
    pub(super) handle: Handle,
    pub(super) thread: Option<JoinHandle<io::Result<()>>>,
}

impl Running {
    /// Where the public is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where operators are served.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    /// Speaks to the service.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
