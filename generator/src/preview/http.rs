//! A minimal HTTP/1.1 server for a browser on this machine: GET and HEAD, one request per connection, and a stream of
//! events.

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use contract::manifest::Class;
use findings::messages::{self, Text};
use percent_encoding::percent_decode_str;
use render::classes::policy;

use super::Preview;

const MAX_REQUEST_BYTES: usize = 16 * 1024;
const MAX_FIELDS: usize = 100;
/// A browser opens a few connections for each window.
const MAX_CONNECTIONS: usize = 128;
/// Consecutive failures of `accept` before the preview ends.
const MAX_FAILURES: usize = 600;
/// The pause after a failure of `accept`.
const AFTER_FAILURE: Duration = Duration::from_millis(100);
const EVENTS: &str = "/_preview/events";
const TIMEOUT: Duration = Duration::from_secs(10);
/// Time for a whole head; a browser of this machine needs milliseconds.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Pages load only from this server; the preview frames pages of the site.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'self'";

#[derive(Debug)]
pub(super) struct PreviewRequest {
    /// The path, percent-decoded.
    pub(super) path: String,
    pub(super) host: String,
    is_head: bool,
    query: String,
}

impl PreviewRequest {
    /// Returns a field of the query, percent-decoded.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        let value = self.query.split('&').find_map(|field| field.strip_prefix(name)?.strip_prefix('='))?;
        Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
    }
}

#[derive(Debug)]
pub(super) struct PreviewResponse {
    status: u16,
    media_type: String,
    location: Option<String>,
    policy: String,
    body: Vec<u8>,
}

impl PreviewResponse {
    pub(super) fn new(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let (media_type, policy) = (media_type.to_owned(), POLICY.to_owned());
        Self { status, media_type, location: None, policy, body: body.into() }
    }

    pub(super) fn text(status: u16, words: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{words}\n"))
    }

    /// Returns the response with the content security policy of a class of a published site.
    pub(super) fn with_policy(self, class: Class) -> Self {
        let headers = policy(class, String::new(), None, true).headers;
        let policy = headers.into_iter().find_map(|(name, value)| (name == "content-security-policy").then_some(value));
        Self { policy: policy.unwrap_or(self.policy), ..self }
    }

    /// Returns a redirect to another path of this site.
    pub(super) fn redirect(to: &str) -> Self {
        Self { location: Some(to.to_owned()), ..Self::text(302, "") }
    }
}

/// Answers requests, each on a thread of its own.
pub(super) fn serve(listener: &TcpListener, preview: &Arc<Preview>) -> io::Result<()> {
    let open = Arc::new(AtomicUsize::new(0));
    let mut failures = 0;
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // Most failures are temporary: a browser disconnected, or too many files are open.
            Err(_) if failures < MAX_FAILURES => {
                failures += 1;
                thread::sleep(AFTER_FAILURE);
                continue;
            }
            Err(error) => return Err(error),
        };
        failures = 0;
        let Some(slot) = ConnectionPermit::take(&open) else { continue };
        let preview = Arc::clone(preview);
        // If no thread can be started, the connection is closed and the browser tries again.
        let _ = thread::Builder::new().spawn(move || {
            let _slot = slot;
            // A browser may disconnect before the end of the response.
            let _ = handle_connection(stream, &preview);
        });
    }
}

/// A permit for one of [`MAX_CONNECTIONS`]. Dropping it returns it, also during a panic.
#[derive(Debug)]
struct ConnectionPermit(Arc<AtomicUsize>);

impl ConnectionPermit {
    fn take(open: &Arc<AtomicUsize>) -> Option<Self> {
        let slot = Self(Arc::clone(open));
        (open.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS).then_some(slot)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn handle_connection(mut stream: TcpStream, preview: &Preview) -> io::Result<()> {
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    let refused = |(status, words): (u16, Text)| PreviewResponse::text(status, &words[preview.language]);
    let request = match read(&mut stream)? {
        Ok(request) => request,
        Err(why) => return write(&mut stream, &refused(why), false),
    };
    if !preview.is_own_host(&request.host) {
        return write(&mut stream, &refused((421, messages::preview_of_this_machine())), request.is_head);
    }
    if request.path == EVENTS && !request.is_head {
        return stream_events(&mut stream, preview, &request);
    }
    let response = preview.answer(&request);
    write(&mut stream, &response, request.is_head)
}

/// Reads a request, whose head must be complete within [`HEAD_TIMEOUT`]. The inner error is the status and the message for a malformed one.
#[expect(clippy::disallowed_methods, reason = "a deadline of I/O")]
fn read(stream: &mut TcpStream) -> io::Result<Result<PreviewRequest, (u16, Text)>> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    let start = Instant::now();
    loop {
        // Security: each read ends in time by itself, but a client that sends a byte now and then would keep its place.
        let left = HEAD_TIMEOUT.checked_sub(start.elapsed()).filter(|left| !left.is_zero());
        stream.set_read_timeout(Some(left.ok_or(io::ErrorKind::TimedOut)?))?;
        let length = stream.read(&mut part)?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&part[..length]);
        if bytes.len() > MAX_REQUEST_BYTES {
            return Ok(Err((431, messages::request_too_long())));
        }
        let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut request = httparse::Request::new(&mut fields);
        match request.parse(&bytes) {
            Ok(status) if status.is_partial() => {}
            Ok(_) => return Ok(parse_request(&request)),
            Err(_) => return Ok(Err((400, messages::request_not_one()))),
        }
    }
}

fn parse_request(request: &httparse::Request<'_, '_>) -> Result<PreviewRequest, (u16, Text)> {
    let is_head = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err((405, messages::request_method_unknown())),
    };
    let target = request.path.unwrap_or("/");
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut hosts = request.headers.iter().filter(|field| field.name.eq_ignore_ascii_case("host"));
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => String::from_utf8_lossy(host.value).trim().to_owned(),
        _ => String::new(),
    };
    let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
    Ok(PreviewRequest { path, host, is_head, query: query.to_owned() })
}

fn write(stream: &mut TcpStream, response: &PreviewResponse, is_head: bool) -> io::Result<()> {
    let PreviewResponse { status, media_type, location, policy, body } = response;
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         content-security-policy: {policy}\r\nx-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n\
         x-robots-tag: noindex\r\ncross-origin-resource-policy: same-origin\r\nconnection: close\r\n",
        reason(*status),
        body.len(),
    );
    if let Some(location) = location.as_ref().filter(|location| !location.contains(['\r', '\n'])) {
        head.extend(["location: ", location, "\r\n"]);
    }
    head += "\r\n";
    stream.write_all(head.as_bytes())?;
    if !is_head {
        stream.write_all(body)?;
    }
    stream.flush()
}

/// Sends an event when the page that the browser shows has changed (server-sent events).
fn stream_events(stream: &mut TcpStream, preview: &Preview, request: &PreviewRequest) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\nconnection: close\r\n\
                x-content-type-options: nosniff\r\n\r\nretry: 500\n\n";
    stream.write_all(head.as_bytes())?;
    let path = request.field("path").unwrap_or_default();
    let print = request.field("print").unwrap_or_default();
    let mut version = request.field("version").and_then(|version| version.parse().ok()).unwrap_or_default();
    loop {
        if let Some(now) = preview.wait(&path, version, &print) {
            version = now;
            stream.write_all(b": nothing new\n\n")?;
        } else {
            stream.write_all(b"data: changed\n\n")?;
            return stream.flush();
        }
        stream.flush()?;
    }
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        302 => "Found",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_that_trickles_in_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let reader = thread::spawn(move || read(&mut stream).map_err(|error| error.kind()));
        // Each byte alone would be in time.
        while !reader.is_finished() && client.write_all(b"G").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
        let ended = reader.join().unwrap().unwrap_err();
        assert!(matches!(ended, io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock), "{ended:?}");
        let mut whole = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        whole.write_all(b"GET /en HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        assert_eq!(read(&mut stream).unwrap().unwrap().path, "/en");
    }

    #[test]
    fn slot_is_returned_after_a_panic() {
        let open = Arc::new(AtomicUsize::new(MAX_CONNECTIONS - 1));
        let slot = ConnectionPermit::take(&open).unwrap();
        assert!(ConnectionPermit::take(&open).is_none(), "all are taken");
        let ended = thread::spawn(move || {
            let _slot = slot;
            panic!("while answering");
        });
        assert!(ended.join().is_err());
        assert!(ConnectionPermit::take(&open).is_some());
    }
}
