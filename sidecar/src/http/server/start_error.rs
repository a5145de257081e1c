//! Errors of a start: one line each, with the remedy.

use std::{io, net::SocketAddr};

use crate::{published::DistError, services::ServicesError};

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The build cannot be served.
    #[error(transparent)]
    Dist(#[from] DistError),
    /// The services behind registration cannot be opened.
    #[error(transparent)]
    Services(#[from] ServicesError),
    /// An address cannot be used.
    #[error("{setting}: cannot listen on {address} ({source}); {}", remedy(.source))]
    Listen {
        address: SocketAddr,
        /// The setting of the address, with its place.
        setting: String,
        source: io::Error,
    },
    /// The system refused a thread, a signal handler or the like.
    #[error("cannot start the service: {0}")]
    System(io::Error),
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::AddrInUse => "stop the program that uses it, or choose another address",
        io::ErrorKind::AddrNotAvailable => "this machine does not have that address; choose another",
        io::ErrorKind::PermissionDenied => "ports below 1024 are reserved for root; choose another",
        _ => "choose another address",
    }
}
