//! HTTP/1.1 with exactly the bytes that a test writes. Secrets in requests and replies are collected.

use std::{
    io::{self, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use journal::secrets;

/// Longer than any response on a busy machine; a test that waits this long fails.
const TIMEOUT: Duration = Duration::from_mins(2);

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    /// Header fields in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// Returns the value of a header field that occurs at most once.
    #[must_use]
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next();
        assert!(values.next().is_none(), "{name} was sent twice: {self:?}");
        first
    }

    #[must_use]
    pub fn as_text(&self) -> &str {
        str::from_utf8(&self.body).expect("the body is UTF-8")
    }

    #[must_use]
    pub fn text(&self) -> String {
        self.as_text().to_owned()
    }

    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Returns the string `member` of the body, which must exist.
    #[must_use]
    pub fn text_of(&self, member: &str) -> String {
        let body = self.json();
        body[member].as_str().unwrap_or_else(|| panic!("there is no text {member} in {body}")).to_owned()
    }

    /// Returns the `error` of an error reply, or an empty string.
    #[must_use]
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }

    /// Asserts that this is an error reply of the contract, and returns its code.
    #[must_use]
    #[track_caller]
    pub fn error_code(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        assert_eq!(self.header("cache-control"), Some("no-store"), "{self:?}");
        assert_eq!(self.header("content-language"), Some("en"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(self.header("content-security-policy"), Some("default-src 'none'; frame-ancestors 'none'"));
        assert_eq!(self.header("access-control-allow-origin"), Some("*"));
        let body = self.json();
        let members: Vec<_> = body.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["error", "message", "resolution"]);
        self.error()
    }

    /// Asserts that this is a refusal of the registration flow, and returns its status and code.
    #[must_use]
    #[track_caller]
    pub fn status_and_error(&self) -> (u16, String) {
        let body = self.json();
        let fields = (self.header("cache-control"), self.header("content-language"));
        assert_eq!(fields, (Some("no-store"), Some("en")), "{body}");
        for name in ["error", "message", "resolution", "error_description"] {
            assert!(body[name].is_string(), "{name} is missing in {body}");
        }
        assert!(self.status != 401 || self.header("www-authenticate").is_some());
        (self.status, self.error())
    }

    /// Asserts the status and `error` of a refusal.
    #[track_caller]
    pub fn assert_refused(&self, status: u16, error: &str) {
        assert_eq!((self.status, self.error().as_str()), (status, error), "{}", self.text());
    }
}

/// Sends a GET with further header lines (`"Accept: text/markdown"`).
#[must_use]
pub fn get(address: SocketAddr, target: &str, headers: &[&str]) -> Reply {
    request(address, "GET", target, headers, b"")
}

/// Sends a request on a new connection and returns its reply.
#[must_use]
pub fn request(address: SocketAddr, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Reply {
    let headers: Vec<&str> = ["Connection: close"].iter().chain(headers).copied().collect();
    let mut connection = Connection::to(address);
    connection.send(&connection.write(method, target, &headers, body));
    let reply = connection.response(method == "HEAD").unwrap_or_else(|| panic!("no reply to {method} {target}"));
    assert!(method == "HEAD" || !connection.has_more(), "the body is longer than announced");
    reply
}

/// A persistent connection, opened when it is first used.
#[derive(Debug)]
pub struct Connection {
    address: SocketAddr,
    wire: Option<Wire>,
    /// Whether the service has announced or shown that it answers no more requests on it.
    is_over: bool,
}

impl Connection {
    /// Returns a connection to `address` that is opened on first use.
    #[must_use]
    pub const fn to(address: SocketAddr) -> Self {
        Self { address, wire: None, is_over: false }
    }

    /// Opens a connection to `address` now.
    #[must_use]
    pub fn open(address: SocketAddr) -> Self {
        Self { wire: Some(Wire::open(address).expect("a connection")), ..Self::to(address) }
    }

    /// Sends a request and waits for its reply, on a new connection if the last one was closed. A request that fails may
    /// have taken effect.
    ///
    /// # Errors
    /// When the service is gone, ends the connection or does not answer in time.
    pub fn ask(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> io::Result<Reply> {
        self.begin(method, target, headers, body)?;
        self.receive(method == "HEAD")
    }

    /// Sends a request without waiting for the reply.
    ///
    /// # Errors
    /// As [`Connection::ask`].
    pub fn begin(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> io::Result<()> {
        let bytes = self.write(method, target, headers, body);
        if std::mem::take(&mut self.is_over) {
            self.wire = None;
        }
        let sent = self.wire().and_then(|wire| wire.send(&bytes));
        self.is_over = sent.is_err();
        sent
    }

    /// Waits for the reply to a request that was sent before.
    ///
    /// # Errors
    /// As [`Connection::ask`].
    pub fn receive(&mut self, is_head: bool) -> io::Result<Reply> {
        let wire = self.wire.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let reply = wire.receive(is_head).and_then(|reply| reply.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()));
        self.is_over = reply.as_ref().map_or(true, |reply| reply.header("connection") == Some("close"));
        reply
    }

    /// Sends a request on this connection, and returns its reply.
    #[track_caller]
    pub fn request(&mut self, method: &str, target: &str, headers: &[&str]) -> Reply {
        self.send(&self.write(method, target, headers, b""));
        self.response(method == "HEAD").expect("an answer")
    }

    /// Sends `bytes` unchanged on this connection.
    pub fn send(&mut self, bytes: &[u8]) {
        // The service may answer and end the connection before it has read everything; then the response counts.
        let _ = self.wire().expect("a connection").send(bytes);
    }

    /// Returns the next reply, or `None` at the end of the connection.
    #[track_caller]
    pub fn response(&mut self, is_head: bool) -> Option<Reply> {
        let wire = self.wire.as_mut().expect("something was sent");
        wire.receive(is_head).unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    /// Returns whether bytes have arrived behind the last reply.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.wire.as_ref().is_some_and(|wire| !wire.received.is_empty())
    }

    /// Waits for the end of the connection; returns whether no more bytes precede it.
    #[track_caller]
    pub fn is_closed(&mut self) -> bool {
        let wire = self.wire.as_mut().expect("a connection");
        wire.received.is_empty() && !wire.read().unwrap_or_else(|error| panic!("no end: {error}"))
    }

    /// Returns the bytes of a request, with `Content-Length` unless `headers` have it.
    fn write(&self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
        let mut bytes = format!("{method} {target} HTTP/1.1\r\nHost: {}\r\n", self.address).into_bytes();
        for line in headers {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        let is_framed = headers.iter().any(|line| line.starts_with("Content-Length:"));
        if !is_framed && (!body.is_empty() || method == "POST") {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        bytes
    }

    fn wire(&mut self) -> io::Result<&mut Wire> {
        match &mut self.wire {
            Some(wire) => Ok(wire),
            empty => Ok(empty.insert(Wire::open(self.address)?)),
        }
    }
}

/// An open connection and the bytes received on it.
#[derive(Debug)]
struct Wire {
    stream: TcpStream,
    /// Bytes behind the last reply.
    received: Vec<u8>,
}

impl Wire {
    fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new() })
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        secrets::harvest(bytes);
        self.stream.write_all(bytes)
    }

    /// Returns the next reply, or `None` at the end of the connection. A body without a length ends with the
    /// connection.
    fn receive(&mut self, is_head: bool) -> io::Result<Option<Reply>> {
        let end = loop {
            if let Some(at) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            match self.read()? {
                true => {}
                false if self.received.is_empty() => return Ok(None),
                false => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        };
        let (status, headers) = head(&self.received[..end - 4]).ok_or(io::ErrorKind::InvalidData)?;
        self.received.drain(..end);
        let length = headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
        let length: Option<usize> = length.transpose().map_err(io::Error::other)?;
        let wanted = if is_head || matches!(status, 204 | 304) { Some(0) } else { length };
        while wanted.is_none_or(|wanted| self.received.len() < wanted) && self.read()? {}
        let rest = self.received.split_off(wanted.unwrap_or(usize::MAX).min(self.received.len()));
        let body = std::mem::replace(&mut self.received, rest);
        if wanted.is_some_and(|wanted| body.len() < wanted) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let reply = Reply { status, headers, body };
        // Responses with secrets are `no-store`.
        if reply.header("cache-control") == Some("no-store") {
            secrets::harvest(&reply.body);
        }
        Ok(Some(reply))
    }

    /// Reads available bytes; `false` at the end of the connection.
    fn read(&mut self) -> io::Result<bool> {
        let mut part = [0; 16 * 1024];
        match read_some(&mut self.stream, &mut part) {
            Ok(0) => Ok(false),
            Ok(count) => {
                self.received.extend_from_slice(&part[..count]);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Reads available bytes. A stream with a time limit is interrupted by every signal, even SIGSTOP; then it is read
/// again.
///
/// # Errors When nothing arrives in time, or the connection breaks.
pub fn read_some(stream: &mut impl io::Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Parses a status line and header fields.
fn head(bytes: &[u8]) -> Option<(u16, Vec<(String, String)>)> {
    let mut lines = str::from_utf8(bytes).ok()?.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let field = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        Some((name.to_ascii_lowercase(), value.to_owned()))
    };
    Some((status, lines.map(field).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, net::TcpListener, thread};

    use super::*;

    /// Returns the result of reading `bytes` followed by the end of the connection.
    fn read(bytes: &'static [u8]) -> io::Result<Option<Reply>> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || listener.accept().unwrap().0.write_all(bytes).unwrap());
        let reply = Wire::open(address).unwrap().receive(false);
        server.join().unwrap();
        reply
    }

    #[test]
    fn closed_connection_is_no_reply_and_a_malformed_reply_panics() {
        assert!(read(b"").unwrap().is_none());
        let reply = read(b"HTTP/1.1 200 OK\r\nVary: Accept\r\n\r\nto the end").unwrap().unwrap();
        assert_eq!((reply.status, reply.header("vary"), reply.text().as_str()), (200, Some("Accept"), "to the end"));
        for broken in
            [&b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfour"[..], b"no reply\r\n\r\n", b"HTTP/1.1 200 OK\r\n"]
        {
            assert!(read(broken).is_err(), "{broken:?}");
        }
    }
}
