//! Systems on which every body is copied.

use std::{convert::Infallible, io};

use tokio::net::TcpStream;

/// There is none.
#[derive(Debug)]
pub(super) struct Pipe(Infallible);

impl Pipe {
    pub(super) fn of(_: &[u8]) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn send(&self, _: &TcpStream, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }
}
