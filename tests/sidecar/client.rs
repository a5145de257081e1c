//! A client that sends exactly the bytes it is given, so that it can be as wrong as a test needs.

use std::net::SocketAddr;

pub(crate) use journal::wire::Reply as Response;
use journal::wire::Wire;

/// A connection.
pub(crate) struct Connection(Wire);

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self(Wire::open(address).unwrap())
    }

    /// Sends a request with a `Host` field and `lines`, and reads the answer.
    pub(crate) fn request(&mut self, method: &str, target: &str, lines: &[&str]) -> Response {
        let mut text = format!("{method} {target} HTTP/1.1\r\nHost: test.example\r\n");
        for line in lines {
            text.push_str(line);
            text.push_str("\r\n");
        }
        text.push_str("\r\n");
        self.send(text.as_bytes());
        self.response(method == "HEAD").expect("an answer")
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        // The server may answer and close before it has read everything; then the answer says more.
        let _ = self.0.send(bytes);
    }

    /// Returns the next response, or `None` if the server closed the connection instead.
    #[track_caller]
    pub(crate) fn response(&mut self, is_head: bool) -> Option<Response> {
        self.0.receive(is_head).unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    /// Returns whether the server closes the connection without another byte.
    #[track_caller]
    pub(crate) fn is_closed(&mut self) -> bool {
        self.0.is_closed().unwrap_or_else(|error| panic!("no end: {error}"))
    }
}
