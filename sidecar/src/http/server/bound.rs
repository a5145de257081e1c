//! Binds an address before the service listens on it.

use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

use super::start_error::StartError;

/// The most connections that wait to be accepted.
const BACKLOG: i32 = 4096;

/// A bound address. A slow start binds first, so that a taken address fails at once; it listens last, so that a proxy
/// tries another replica instead of waiting for a build.
pub(super) struct Bound {
    socket: Socket,
    address: SocketAddr,
    setting: String,
}

impl Bound {
    /// Binds `address`, the value of `setting`.
    pub(super) fn take(address: SocketAddr, setting: String) -> Result<Self, StartError> {
        let open = || {
            let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
            // Connections of the previous process in TIME_WAIT must not block the port.
            socket.set_reuse_address(true)?;
            socket.bind(&address.into())?;
            Ok(socket)
        };
        match open() {
            Ok(socket) => Ok(Self { socket, address, setting }),
            Err(source) => Err(StartError::Listen { address, setting, source }),
        }
    }

    /// Listens on the address. Fails if another process listens on it already.
    pub(super) fn listen(self) -> Result<TcpListener, StartError> {
        let Self { socket, address, setting } = self;
        match socket.listen(BACKLOG) {
            Ok(()) => Ok(socket.into()),
            Err(source) => Err(StartError::Listen { address, setting, source }),
        }
    }
}
