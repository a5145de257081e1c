//! Connections that carry exactly the bytes that a test writes, and read replies; anything with the form of a secret
//! is remembered, in either direction.

use std::{
    io::{self, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use crate::secrets;

/// Longer than any honest answer takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A reply.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Header fields in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, exactly.
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

    /// Returns the body as text.
    #[must_use]
    pub fn as_text(&self) -> &str {
        str::from_utf8(&self.body).expect("the body is UTF-8")
    }

    /// Returns a copy of the body as text.
    #[must_use]
    pub fn text(&self) -> String {
        self.as_text().to_owned()
    }

    /// Returns the body as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Returns the text of a member of the body, which must be there.
    #[must_use]
    pub fn text_of(&self, member: &str) -> String {
        let body = self.json();
        body[member].as_str().unwrap_or_else(|| panic!("there is no text {member} in {body}")).to_owned()
    }

    /// Returns the `error` of an error reply; empty if it is not one.
    #[must_use]
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }

    /// Asserts that this is exactly an error reply of the contract, and returns its code.
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

    /// Returns the status and code of a refusal of the registration flow, which must have the agreed form.
    #[must_use]
    #[track_caller]
    pub fn refusal(&self) -> (u16, String) {
        let body = self.json();
        let fields = (self.header("cache-control"), self.header("content-language"));
        assert_eq!(fields, (Some("no-store"), Some("en")), "{body}");
        for name in ["error", "message", "resolution", "error_description"] {
            assert!(body[name].is_string(), "{name} is missing in {body}");
        }
        assert!(self.status != 401 || self.header("www-authenticate").is_some());
        (self.status, self.error())
    }

    /// Fails unless this is the refusal with this status and this `error`.
    #[track_caller]
    pub fn assert_refused(&self, status: u16, error: &str) {
        assert_eq!((self.status, self.error().as_str()), (status, error), "{}", self.text());
    }
}

/// A connection.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    /// Bytes that came after the last reply.
    received: Vec<u8>,
}

impl Wire {
    /// Connects to `address`.
    ///
    /// # Errors
    /// When nobody is there.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new() })
    }

    /// Sends `bytes` as they are.
    ///
    /// # Errors
    /// When the other side no longer accepts them, though it may have answered all the same.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        secrets::harvest(bytes);
        self.stream.write_all(bytes)
    }

    /// Returns the next reply, or `None` if the other side ends the connection instead. A body without a length ends
    /// with the connection.
    ///
    /// # Errors
    /// When it does not come in time, ends early or is not a reply.
    pub fn receive(&mut self, is_head: bool) -> io::Result<Option<Reply>> {
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
        // An answer meant for a single client is marked as not to be stored.
        if reply.header("cache-control") == Some("no-store") {
            secrets::harvest(&reply.body);
        }
        Ok(Some(reply))
    }

    /// Returns whether bytes have come that belong to no reply yet.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.received.is_empty()
    }

    /// Waits for the other side to end the connection, and returns whether it does so without another byte.
    ///
    /// # Errors
    /// When neither happens in time.
    pub fn is_closed(&mut self) -> io::Result<bool> {
        Ok(self.received.is_empty() && !self.read()?)
    }

    /// Reads some of what comes; `false` if nothing comes any more.
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

/// Reads what there is. A stream with a time limit reports every signal that the process gets, even one that only stops it
/// for a moment; then it is asked again.
///
/// # Errors
/// When nothing comes in time, or the connection is broken.
pub fn read_some(stream: &mut impl io::Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Parses the status and the fields of a head.
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
    use std::{net::TcpListener, thread};

    use super::*;

    /// Returns what is read if the other side sends `bytes` and ends.
    fn read(bytes: &'static [u8]) -> io::Result<Option<Reply>> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || listener.accept().unwrap().0.write_all(bytes).unwrap());
        let reply = Wire::open(address).unwrap().receive(false);
        server.join().unwrap();
        reply
    }

    #[test]
    fn end_is_no_reply_and_what_is_none_is_a_fault() {
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
