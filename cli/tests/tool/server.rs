//! An HTTP server that replies from `tests/fixtures`, with scripted faults.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

/// Limits every wait, so that a defect fails a test and does not hang it.
const TIMEOUT: Duration = Duration::from_mins(2);

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// The reply to one request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// The fixture of the path, with a tag; 304 if the request has the tag.
    Good,
    /// A complete reply.
    Plain { status: u16, fields: Vec<(&'static str, String)>, body: Vec<u8> },
    /// Announces `announced` bytes, sends `body` and closes.
    CutOff { announced: usize, body: Vec<u8> },
    /// Sends the bytes and closes.
    Raw(Vec<u8>),
    /// Sends a body until the tool closes the connection.
    Endless,
    /// Sends nothing.
    Silent,
    /// Sends the head of a reply and nothing more.
    Stalled,
}

impl Reply {
    /// Returns an error reply of the service.
    pub(crate) fn error(status: u16, code: &str) -> Self {
        let body = format!(
            "{{\"error\":\"{code}\",\"message\":\"Message of {code}.\",\"resolution\":\"Resolution of {code}.\"}}"
        );
        Self::Plain {
            status,
            fields: vec![("Content-Type", "application/json".to_owned()), ("X-Request-Id", "req-7".to_owned())],
            body: body.into_bytes(),
        }
    }

    /// Returns the reply with one more field.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Plain { fields, .. } = &mut self {
            fields.push((name, value.to_owned()));
        }
        self
    }

    /// Returns the same reply with another status.
    pub(crate) fn of(mut self, other: u16) -> Self {
        if let Self::Plain { status, .. } = &mut self {
            *status = other;
        }
        self
    }

    /// Returns a reply with status 200.
    pub(crate) fn body(kind: &str, body: &str) -> Self {
        Self::Plain { status: 200, fields: vec![("Content-Type", kind.to_owned())], body: body.as_bytes().to_vec() }
    }
}

/// A server that runs until the process ends.
pub(crate) struct Server {
    port: u16,
    script: Arc<Mutex<VecDeque<Reply>>>,
    seen: Arc<Seen>,
}

/// All requests so far, and a signal for each new one.
#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Request>>,
    another: Condvar,
}

impl Server {
    /// Follows `script` for the first requests, then replies with [`Reply::Good`].
    pub(crate) fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let script: Arc<Mutex<VecDeque<Reply>>> = Arc::new(Mutex::new(script.into_iter().collect()));
        let seen = Arc::new(Seen::default());
        let (replies, requests) = (Arc::clone(&script), Arc::clone(&seen));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (replies, requests) = (Arc::clone(&replies), Arc::clone(&requests));
                thread::spawn(move || serve(&stream, &replies, &requests));
            }
        });
        Self { port, script, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn then(&self, reply: Reply) {
        self.script.lock().unwrap().push_back(reply);
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// Waits for `count` requests.
    pub(crate) fn wait_for(&self, count: usize) {
        let Seen { requests, another } = &*self.seen;
        let requests = requests.lock().unwrap();
        let waited = another.wait_timeout_while(requests, TIMEOUT, |requests| requests.len() < count).unwrap();
        assert!(!waited.1.timed_out(), "the tool sends no request");
    }
}

/// Returns an address without a server.
pub(crate) fn unused_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

pub(crate) fn fixture(target: &str) -> Option<Vec<u8>> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let name = path.rsplit('/').next()?.trim_end_matches(".json");
    let suffix = query.strip_prefix("locale=").map(|locale| format!(".{locale}")).unwrap_or_default();
    std::fs::read(format!("{}/tests/fixtures/{name}{suffix}.json", env!("CARGO_MANIFEST_DIR"))).ok()
}

fn serve(stream: &TcpStream, script: &Mutex<VecDeque<Reply>>, seen: &Seen) {
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let reply = script.lock().unwrap().pop_front().unwrap_or(Reply::Good);
        seen.requests.lock().unwrap().push(request.clone());
        seen.another.notify_all();
        if !answer(stream, &request, reply) {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut fields = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        fields.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = fields.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, target, fields, body: String::from_utf8(body).ok()? })
}

/// Writes the reply; returns whether the connection stays open. An error means that the tool closed it.
fn answer(mut stream: &TcpStream, request: &Request, reply: Reply) -> bool {
    match reply {
        Reply::Good => {
            let reply = match fixture(&request.target) {
                None => Reply::error(404, "not_found"),
                Some(_) if request.fields.get("if-none-match").is_some_and(|tag| tag == "\"good\"") => {
                    Reply::Plain { status: 304, fields: vec![("ETag", "\"good\"".to_owned())], body: Vec::new() }
                }
                Some(body) => Reply::Plain {
                    status: 200,
                    fields: vec![("Content-Type", "application/json".to_owned()), ("ETag", "\"good\"".to_owned())],
                    body,
                },
            };
            answer(stream, request, reply)
        }
        Reply::Plain { status, fields, body } => {
            let mut lines = vec![format!("HTTP/1.1 {status} Reason")];
            lines.extend(fields.into_iter().map(|(name, value)| format!("{name}: {value}")));
            if status != 304 {
                lines.push(format!("Content-Length: {}", body.len()));
            }
            let head = lines.join("\r\n") + "\r\n\r\n";
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).is_ok()
        }
        Reply::CutOff { announced, body } => {
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {announced}\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            false
        }
        Reply::Raw(bytes) => {
            let _ = stream.write_all(&bytes);
            false
        }
        Reply::Endless => {
            let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[");
            while sent.is_ok() {
                sent = stream.write_all(&[b' '; 8192]);
            }
            false
        }
        Reply::Silent => {
            wait_for_the_end(stream);
            false
        }
        Reply::Stalled => {
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
            wait_for_the_end(stream);
            false
        }
    }
}

/// Reads until the tool closes the connection.
fn wait_for_the_end(mut stream: &TcpStream) {
    let mut rest = [0; 64];
    while matches!(stream.read(&mut rest), Ok(1..)) {}
}
