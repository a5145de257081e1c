//! Why the service did not start, in one line with the remedy.

use std::{error::Error, fmt, io, net::SocketAddr};

use crate::{build::DistError, services::ServicesError};

/// Why the service did not start.
#[derive(Debug)]
pub enum StartError {
    /// The build cannot be served.
    Dist(DistError),
    /// Registrations cannot be kept.
    Services(ServicesError),
    /// An address cannot be used.
    Listen {
        /// The address.
        address: SocketAddr,
        /// The setting that holds it.
        variable: &'static str,
        /// What the system said.
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
            Self::Listen { address, variable, source } => {
                let remedy = match source.kind() {
                    io::ErrorKind::AddrInUse => "stop what uses it or set",
                    io::ErrorKind::AddrNotAvailable => "this machine does not have that address: set another in",
                    io::ErrorKind::PermissionDenied => {
                        "ports below 1024 are reserved for the administrator: set another in"
                    }
                    _ => "set another address in",
                };
                write!(out, "cannot listen on {address} ({source}); {remedy} {variable}")
            }
            Self::System(error) => write!(out, "the system refuses to start the service: {error}"),
        }
    }
}

impl Error for StartError {}
