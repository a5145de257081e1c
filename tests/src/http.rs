//! HTTP/1.1 requests, each with exactly one reply.

use std::{io, net::SocketAddr};

pub use journal::wire::Reply;
use journal::wire::Wire;

/// Sends a GET with further header lines (`"Accept: text/markdown"`).
#[must_use]
pub fn get(address: SocketAddr, target: &str, headers: &[&str]) -> Reply {
    request(address, "GET", target, headers, b"")
}

/// Sends a HEAD with further header lines.
#[must_use]
pub fn head(address: SocketAddr, target: &str, headers: &[&str]) -> Reply {
    request(address, "HEAD", target, headers, b"")
}

/// Sends a request with any method, header lines and body.
#[must_use]
pub fn request(address: SocketAddr, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Reply {
    let headers: Vec<&str> = ["Connection: close"].iter().chain(headers).copied().collect();
    let bytes = write(address, method, target, &headers, body);
    let reply =
        send(address, &bytes, method == "HEAD").and_then(|reply| reply.ok_or(io::ErrorKind::UnexpectedEof.into()));
    reply.unwrap_or_else(|error| panic!("no reply to {method} {target}: {error}"))
}

fn write(address: SocketAddr, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\n").into_bytes();
    for line in headers {
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    if !body.is_empty() {
        bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

/// Sends `bytes` as they are and reads one reply; `None` if the connection ends without one.
///
/// # Errors
/// When nothing comes in time, or something that is not a reply.
pub fn send(address: SocketAddr, bytes: &[u8], is_head: bool) -> io::Result<Option<Reply>> {
    let mut wire = Wire::open(address)?;
    // A service may refuse before it has read everything; its reply is what counts.
    let _ = wire.send(bytes);
    let reply = wire.receive(is_head)?;
    assert!(is_head || !wire.has_more(), "the body is longer than announced");
    Ok(reply)
}

/// A connection that is kept between requests, and reopened after a request that failed.
#[derive(Debug)]
pub struct Connection {
    address: SocketAddr,
    wire: Option<Wire>,
}

impl Connection {
    /// Returns a connection to `address`, which is opened on first use.
    #[must_use]
    pub const fn to(address: SocketAddr) -> Self {
        Self { address, wire: None }
    }

    /// Sends a request and waits for its reply. A request that fails may have taken effect.
    ///
    /// # Errors
    /// When the service is gone, ends the connection or does not answer in time.
    pub fn ask(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> io::Result<Reply> {
        self.send(method, target, headers, body)?;
        self.receive(method == "HEAD")
    }

    /// Sends a request without waiting for the reply.
    ///
    /// # Errors
    /// As [`Connection::ask`].
    pub fn send(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> io::Result<()> {
        let bytes = write(self.address, method, target, headers, body);
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => Wire::open(self.address)?,
        };
        wire.send(&bytes)?;
        self.wire = Some(wire);
        Ok(())
    }

    /// Waits for the reply to a request that was sent before.
    ///
    /// # Errors
    /// As [`Connection::ask`].
    pub fn receive(&mut self, is_head: bool) -> io::Result<Reply> {
        let mut wire = self.wire.take().ok_or(io::ErrorKind::NotConnected)?;
        let reply = wire.receive(is_head)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if reply.header("connection") != Some("close") {
            self.wire = Some(wire);
        }
        Ok(reply)
    }
}
