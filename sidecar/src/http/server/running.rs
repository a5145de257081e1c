//! Control of a running service from other threads.

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

pub(super) enum ServerCommand {
    Stop,
    Reload,
}

impl Handle {
    /// Finishes the responses in progress and ends the service.
    pub fn stop(&self) {
        // Fails only if the service has already ended.
        let _ = self.commands.send(ServerCommand::Stop);
    }

    /// Reloads the build and the settings.
    pub fn reload(&self) {
        let _ = self.commands.send(ServerCommand::Reload);
    }

    /// Returns the name of the build in force.
    pub fn build(&self) -> String {
        self.state.site.load().build.clone()
    }
}

/// A service on a separate thread, for tests. Dropping it ends the service and waits for the end.
///
/// # Panics
/// On drop, if the service ended in an error or a panic.
pub struct Running {
    pub(super) address: SocketAddr,
    pub(super) admin_address: Option<SocketAddr>,
    pub(super) handle: Handle,
    pub(super) thread: Option<JoinHandle<io::Result<()>>>,
}

impl Running {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    pub fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.stop();
        let Some(ended) = self.thread.take().map(JoinHandle::join) else { return };
        // A second panic would abort the program and hide the first.
        if !thread::panicking() {
            pass_on(ended);
        }
    }
}

/// Panics if the service ended in an error or a panic.
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
