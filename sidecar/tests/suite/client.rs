//! A client that sends exactly the octets it is given, and so can be as wrong as a test needs.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use journal::secrets;

/// Longer than any honest answer takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// The only value of a field.
    #[track_caller]
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "`{name}` stands more than once: {self:?}");
        value
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Asserts that this is exactly an error reply of the contract, and returns its code.
    #[track_caller]
    pub(crate) fn error_code(&self) -> String {
        assert_eq!(self.field("content-type"), Some("application/json"), "{self:?}");
        assert_eq!(self.field("cache-control"), Some("no-store"), "{self:?}");
        assert_eq!(self.field("content-language"), Some("en"));
        assert_eq!(self.field("x-content-type-options"), Some("nosniff"));
        assert_eq!(self.field("content-security-policy"), Some("default-src 'none'; frame-ancestors 'none'"));
        assert_eq!(self.field("access-control-allow-origin"), Some("*"));
        let body: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&self.body).unwrap();
        let keys: Vec<_> = body.keys().map(String::as_str).collect();
        assert_eq!(keys, ["error", "message", "resolution"]);
        body["error"].as_str().unwrap().to_owned()
    }
}

/// A connection.
pub(crate) struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream, read: Vec::new() }
    }

    /// Sends a request with a `Host` field and `lines` beside it, and reads the answer.
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

    pub(crate) fn send(&mut self, octets: &[u8]) {
        secrets::harvest(octets);
        // The server may answer and close before it has read everything; then the answer tells more.
        let _ = self.stream.write_all(octets);
    }

    /// The next response, or `None` where the server closed the connection instead.
    pub(crate) fn response(&mut self, is_head: bool) -> Option<Response> {
        let end = loop {
            if let Some(end) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if !self.read_more() {
                return None;
            }
        };
        let head = String::from_utf8(self.read.drain(..end + 4).collect()).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status: u16 = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let fields: Vec<_> = lines
            .map(|line| line.split_once(": ").unwrap_or_else(|| panic!("{line:?} is no field")))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let length = fields.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse().unwrap());
        let length = if is_head || matches!(status, 204 | 304) { 0 } else { length.unwrap_or(0) };
        while self.read.len() < length {
            assert!(self.read_more(), "the body ended early");
        }
        let body: Vec<u8> = self.read.drain(..length).collect();
        secrets::harvest(&body);
        Some(Response { status, fields, body })
    }

    /// Whether the server closes the connection without another octet.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.read.is_empty() && !self.read_more()
    }

    fn read_more(&mut self) -> bool {
        let mut part = [0; 8 * 1024];
        match self.stream.read(&mut part) {
            Ok(0) => false,
            Ok(length) => {
                self.read.extend_from_slice(&part[..length]);
                true
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("no answer: {error}"),
        }
    }
}
