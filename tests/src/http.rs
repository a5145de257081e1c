//! A small HTTP/1.1 client that sends exactly the bytes it is given and reads exactly one reply.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use crate::secrets;

/// Longest wait for a reply.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came back.
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
    /// The value of a header field that occurs at most once.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next();
        assert!(values.next().is_none(), "{name} was sent twice");
        first
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("the body is UTF-8")
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The text of a member of the body, which is there.
    #[must_use]
    pub fn text_of(&self, member: &str) -> String {
        let body = self.json();
        body[member].as_str().unwrap_or_else(|| panic!("there is no text {member} in {body}")).to_owned()
    }

    /// The `error` of an error reply; empty where it is none.
    #[must_use]
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }

    /// Fails unless this is the refusal with this status and this `error`.
    #[track_caller]
    pub fn assert_refused(&self, status: u16, error: &str) {
        assert_eq!((self.status, self.error().as_str()), (status, error), "{}", self.text());
    }
}

/// GET with further header lines (`"Accept: text/markdown"`).
#[must_use]
pub fn get(address: SocketAddr, target: &str, headers: &[&str]) -> Reply {
    request(address, "GET", target, headers, b"")
}

/// HEAD with further header lines.
#[must_use]
pub fn head(address: SocketAddr, target: &str, headers: &[&str]) -> Reply {
    request(address, "HEAD", target, headers, b"")
}

/// A request with any method, header lines and body.
#[must_use]
pub fn request(address: SocketAddr, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Reply {
    let headers: Vec<&str> = ["Connection: close"].iter().chain(headers).copied().collect();
    let bytes = write(address, method, target, &headers, body);
    send(address, &bytes, method == "HEAD").unwrap_or_else(|| panic!("no reply to {method} {target}"))
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
#[must_use]
pub fn send(address: SocketAddr, bytes: &[u8], is_head: bool) -> Option<Reply> {
    let mut stream = connect(address).expect("the service accepts connections");
    secrets::harvest(bytes);
    // A service may refuse before it has read everything; its reply is what counts.
    let _ = stream.write_all(bytes);
    let mut rest = Vec::new();
    let reply = read(&mut stream, &mut rest, is_head).ok();
    assert!(is_head || rest.is_empty(), "the body is longer than announced");
    reply
}

/// A connection that is kept between requests, and made again after one that failed.
#[derive(Debug)]
pub struct Connection {
    address: SocketAddr,
    stream: Option<TcpStream>,
    /// What came after the last reply.
    received: Vec<u8>,
}

impl Connection {
    /// A connection to `address`, made when it is first used.
    #[must_use]
    pub const fn to(address: SocketAddr) -> Self {
        Self { address, stream: None, received: Vec::new() }
    }

    /// Sends a request and waits for its reply. A request that fails may have had its effect.
    ///
    /// # Errors
    /// When the service is gone, ends the connection or does not answer in time.
    pub fn ask(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> io::Result<Reply> {
        self.send(method, target, headers, body)?;
        self.receive(method == "HEAD")
    }

    /// Sends a request and does not wait.
    ///
    /// # Errors
    /// As [`Connection::ask`].
    pub fn send(&mut self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> io::Result<()> {
        let bytes = write(self.address, method, target, headers, body);
        secrets::harvest(&bytes);
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => connect(self.address)?,
        };
        stream.write_all(&bytes)?;
        self.stream = Some(stream);
        Ok(())
    }

    /// Waits for the reply to a request that was sent.
    ///
    /// # Errors
    /// As [`Connection::ask`].
    pub fn receive(&mut self, is_head: bool) -> io::Result<Reply> {
        let mut stream = self.stream.take().ok_or(io::ErrorKind::NotConnected)?;
        let reply = read(&mut stream, &mut self.received, is_head);
        match &reply {
            Ok(reply) if reply.header("connection") != Some("close") => self.stream = Some(stream),
            _ => self.received.clear(),
        }
        reply
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Reads one reply; `received` is what was read already, and then what belongs to the next.
fn read(stream: &mut TcpStream, received: &mut Vec<u8>, is_head: bool) -> io::Result<Reply> {
    let mut more = |received: &mut Vec<u8>| -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        match stream.read(&mut buffer)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                received.extend_from_slice(&buffer[..count]);
                Ok(())
            }
        }
    };
    let end = loop {
        if let Some(at) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        more(received)?;
    };
    let head = String::from_utf8_lossy(&received[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let status = status.ok_or(io::ErrorKind::InvalidData)?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let has_body = !is_head && status != 204 && status != 304;
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let wanted: usize = if has_body { length.unwrap_or(usize::MAX) } else { 0 };
    let mut body = received.split_off(end);
    received.clear();
    while body.len() < wanted && more(&mut body).is_ok() {}
    if has_body && length.is_some_and(|length| body.len() < length) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if body.len() > wanted {
        *received = body.split_off(wanted);
    }
    let reply = Reply { status, headers, body };
    if reply.header("cache-control") == Some("no-store") {
        secrets::harvest(&reply.body);
    }
    Ok(reply)
}
