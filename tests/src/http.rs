//! A small HTTP/1.1 client that sends exactly the bytes it is given and reads exactly one reply.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

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

    /// The `error` of an error reply.
    #[must_use]
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
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
    let mut bytes = format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n").into_bytes();
    for line in headers {
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    if !body.is_empty() {
        bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    send(address, &bytes, method == "HEAD").unwrap_or_else(|| panic!("no reply to {method} {target}"))
}

/// Sends `bytes` as they are and reads one reply; `None` if the connection ends without one.
#[must_use]
pub fn send(address: SocketAddr, bytes: &[u8], is_head: bool) -> Option<Reply> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).expect("the service accepts connections");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket option");
    stream.set_write_timeout(Some(PATIENCE)).expect("a socket option");
    // A service may refuse before it has read everything; its reply is what counts.
    let _ = stream.write_all(bytes);
    let mut received = Vec::new();
    let mut buffer = [0; 16 * 1024];
    let end = loop {
        if let Some(at) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(count) => received.extend_from_slice(&buffer[..count]),
        }
    };
    let head = String::from_utf8_lossy(&received[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut body = received.split_off(end);
    let has_body = !is_head && status != 204 && status != 304;
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let wanted: usize = if has_body { length.unwrap_or(usize::MAX) } else { 0 };
    while body.len() < wanted {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => body.extend_from_slice(&buffer[..count]),
        }
    }
    assert!(!has_body || length.is_none_or(|length| length == body.len()), "the body is shorter than announced");
    Some(Reply { status, headers, body })
}
