//! An address that is taken before anybody can be answered there.

use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

use super::start_error::StartError;

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 4096;

/// An address that was found free at the beginning of a start, so that a start that takes long does not fail because of
/// it at the end. Until the service is ready, clients are refused: a proxy then asks elsewhere instead of waiting for a
/// build.
pub(super) struct Bound {
    socket: Socket,
    address: SocketAddr,
    setting: String,
}

impl Bound {
    /// Takes `address`, which is the value of `setting`.
    pub(super) fn take(address: SocketAddr, setting: String) -> Result<Self, StartError> {
        let open = || {
            let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
            // Connections of the previous process that the system still remembers must not block the port.
            socket.set_reuse_address(true)?;
            socket.bind(&address.into())?;
            Ok(socket)
        };
        match open() {
            Ok(socket) => Ok(Self { socket, address, setting }),
            Err(source) => Err(StartError::Listen { address, setting, source }),
        }
    }

    /// Lets connections wait there from now on. Fails if another process did so first.
    pub(super) fn listen(self) -> Result<TcpListener, StartError> {
        let Self { socket, address, setting } = self;
        match socket.listen(BACKLOG) {
            Ok(()) => Ok(socket.into()),
            Err(source) => Err(StartError::Listen { address, setting, source }),
        }
    }
}
