//! A service as seen from outside: what other threads can ask of it.

use std::{
    io,
    net::SocketAddr,
    panic,
    sync::Arc,
    thread::{self, JoinHandle},
};

use tokio::sync::mpsc::UnboundedSender;

use crate::http::state::AppState;

/// Controls a running service, from any thread.
#[derive(Clone)]
pub struct Handle {
    pub(super) commands: UnboundedSender<ServerCommand>,
    pub(super) state: Arc<AppState>,
}

/// What a service can be asked for while it runs.
pub(super) enum ServerCommand {
    Stop,
    Reload,
}

impl Handle {
    /// Finishes the responses that are being made and ends the service.
    pub fn stop(&self) {
        // A service that has already ended need not be told.
        let _ = self.commands.send(ServerCommand::Stop);
    }

    /// Takes the build and the settings over now.
    pub fn reload(&self) {
        let _ = self.commands.send(ServerCommand::Reload);
    }

    /// Returns the name of the build in force.
    #[must_use]
    pub fn build(&self) -> String {
        self.state.site.load().build.clone()
    }
}

/// A service on a separate thread. Dropping it ends the service and waits for the end.
///
/// # Panics
/// When it is dropped, if the service ended in an error or a panic: it is for tests, which would not notice otherwise.
pub struct Running {
    pub(super) address: SocketAddr,
    pub(super) admin_address: Option<SocketAddr>,
    pub(super) handle: Handle,
    pub(super) thread: Option<JoinHandle<io::Result<()>>>,
}

impl Running {
    /// Returns the address at which the public is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address at which operators are served.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    /// Returns the handle that controls the service.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.stop();
        let Some(ended) = self.thread.take().map(JoinHandle::join) else { return };
        // A second panic would end the whole program, and the first one says more.
        if !thread::panicking() {
            pass_on(ended);
        }
    }
}

/// Fails in the way that a service did.
fn pass_on(ended: thread::Result<io::Result<()>>) {
    let ended = ended.unwrap_or_else(|panic| panic::resume_unwind(panic));
    assert!(ended.is_ok(), "the service ended with an error: {ended:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_without_fault_is_no_failure() {
        pass_on(Ok(Ok(())));
    }

    #[test]
    #[should_panic(expected = "the service ended with an error: Err(Kind(AddrInUse))")]
    fn error_of_the_service_is_a_failure() {
        pass_on(Ok(Err(io::ErrorKind::AddrInUse.into())));
    }

    #[test]
    #[should_panic(expected = "what it said")]
    fn panic_of_the_service_is_a_failure() {
        pass_on(thread::spawn(|| panic::resume_unwind(Box::new("what it said"))).join());
    }
}
