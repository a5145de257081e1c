//! A client that sends exactly the bytes it is given, so that it can be as wrong as a test needs.

use std::net::SocketAddr;

use journal::wire::Wire;

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Returns the value of a field that occurs at most once.
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
        let reply = self.0.receive(is_head).unwrap_or_else(|error| panic!("no answer: {error}"))?;
        Some(Response { status: reply.status, fields: reply.headers, body: reply.body })
    }

    /// Returns whether the server closes the connection without another byte.
    #[track_caller]
    pub(crate) fn is_closed(&mut self) -> bool {
        self.0.is_closed().unwrap_or_else(|error| panic!("no end: {error}"))
    }
}
