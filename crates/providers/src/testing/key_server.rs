//! A local HTTP server for key sets, whose answers and failures a test chooses.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use serde_json::Value;

type Answering = dyn Fn(&mut TcpStream) + Send + Sync;

/// Gives every request the same answer until a test changes it, and records the requested paths.
pub struct KeyServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    answering: Mutex<Arc<Answering>>,
    paths: Mutex<Vec<String>>,
    is_failing: AtomicBool,
    is_over: AtomicBool,
}

impl KeyServer {
    /// Answers with what `answering` writes, then closes the connection.
    pub fn start(answering: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            answering: Mutex::new(Arc::new(answering)),
            paths: Mutex::default(),
            is_failing: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        });
        let accepting = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    if shared.is_over.load(Ordering::SeqCst) {
                        return;
                    }
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || shared.serve(stream));
                }
            }
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    /// Starts a server that publishes a key set.
    pub fn keys(document: &Value) -> Self {
        let server = Self::start(|_| ());
        server.publish(document);
        server
    }

    /// Publishes another key set from now on.
    pub fn publish(&self, document: &Value) {
        self.answer_with(answer("200 OK", "Content-Type: application/json\r\n", &document.to_string()));
    }

    /// Writes `answer` to every client from now on.
    pub fn answer_with(&self, answer: Vec<u8>) {
        *self.shared.answering.lock().unwrap() = Arc::new(move |stream| _ = stream.write_all(&answer));
    }

    /// Answers 503 to every request while `is_failing`.
    pub fn fail(&self, is_failing: bool) {
        self.shared.is_failing.store(is_failing, Ordering::SeqCst);
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the requested paths in order.
    pub fn paths(&self) -> Vec<String> {
        self.shared.paths.lock().unwrap().clone()
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        let Some(first) = lines.next() else { return };
        // An empty line ends the header. A client that speaks no HTTP disconnects first.
        if !lines.any(|line| line.is_empty()) {
            return;
        }
        self.paths.lock().unwrap().push(first.split(' ').nth(1).unwrap_or_default().to_owned());
        if self.is_failing.load(Ordering::SeqCst) {
            _ = stream.write_all(&answer("503 Service Unavailable", "", ""));
            return;
        }
        let answering = Arc::clone(&self.answering.lock().unwrap());
        answering(&mut stream);
    }
}

impl Drop for KeyServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            _ = accepting.join();
        }
    }
}

/// Returns a complete HTTP answer; each of `fields` ends with CRLF.
pub fn answer(status: &str, fields: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}").into_bytes()
}
