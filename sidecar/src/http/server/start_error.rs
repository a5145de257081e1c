//! Errors of a start: one line each, with the remedy.

use std::{error::Error, fmt, io, net::SocketAddr};

use crate::{published::DistError, services::ServicesError};

/// Why the service did not start.
#[derive(Debug)]
pub enum StartError {
    /// The build cannot be served.
    Dist(DistError),
    /// The services behind registration cannot be opened.
    Services(ServicesError),
    /// An address cannot be used.
    Listen {
        address: SocketAddr,
        /// The setting of the address, with its place.
        setting: String,
        source: io::Error,
    },
    /// The system refused a thread, a signal handler or the like.
    System(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dist(error) => error.fmt(out),
            Self::Services(error) => error.fmt(out),
            Self::Listen { address, setting, source } => {
                let remedy = match source.kind() {
                    io::ErrorKind::AddrInUse => "stop the program that uses it, or choose another address",
                    io::ErrorKind::AddrNotAvailable => "this machine does not have that address; choose another",
                    io::ErrorKind::PermissionDenied => "ports below 1024 are reserved for root; choose another",
                    _ => "choose another address",
                };
                write!(out, "{setting}: cannot listen on {address} ({source}); {remedy}")
            }
            Self::System(error) => write!(out, "cannot start the service: {error}"),
        }
    }
}

impl Error for StartError {}

impl From<DistError> for StartError {
    fn from(error: DistError) -> Self {
        Self::Dist(error)
    }
}

impl From<ServicesError> for StartError {
    fn from(error: ServicesError) -> Self {
        Self::Services(error)
    }
}
