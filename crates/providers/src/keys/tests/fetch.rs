//! Fetches from servers that are slow, send too much, fail, or have a forbidden address.

use std::{
    io::{Read as _, Write as _},
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use clock::Clock;
use ureq::{
    config::Config,
    http::Uri,
    tls::RootCerts,
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

use crate::keys::{
    address::Guarded,
    fetch::{Fetch as _, FetchError, Https},
};
use crate::testing::{KeyServer, answer};

/// Resolves to the addresses of the first entry, then to those of the second, and so on.
#[derive(Clone, Debug)]
pub(super) struct Stub(Arc<Mutex<Vec<Vec<SocketAddr>>>>);

impl Stub {
    pub(super) fn new(answers: &[&[(&str, u16)]]) -> Self {
        let address = |(ip, port): &(&str, u16)| SocketAddr::new(ip.parse::<IpAddr>().unwrap(), *port);
        let answers = answers.iter().rev().map(|addresses| addresses.iter().map(address).collect()).collect();
        Self(Arc::new(Mutex::new(answers)))
    }

    fn left(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl Resolver for Stub {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut found = self.empty();
        for address in self.0.lock().unwrap().pop().expect("more lookups than answers") {
            found.push(address);
        }
        Ok(found)
    }
}

/// Fetches from the addresses that `stub` resolves to, if they are allowed.
fn https_with(stub: Stub) -> Https {
    Https::with(Guarded(stub), RootCerts::WebPki)
}

#[test]
fn key_set_comes_with_its_age() {
    let server = KeyServer::start(|stream| {
        _ = stream.write_all(&answer("200 OK", "Cache-Control: public, max-age=7200\r\n", "{\"keys\":[]}"));
    });
    let fetched = Https::new().fetch(&format!("{}/keys", server.url())).unwrap();
    assert_eq!(fetched.body, b"{\"keys\":[]}");
    assert_eq!(fetched.max_age, Some(Duration::from_hours(2)));
    assert_eq!(server.paths(), ["/keys"]);
}

#[test]
fn redirect_is_not_followed() {
    let target = KeyServer::keys(&serde_json::json!({ "keys": [] }));
    for location in ["http://169.254.169.254/latest/meta-data/".to_owned(), target.url(), "/other".to_owned()] {
        for status in ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
            let field = format!("Location: {location}\r\n");
            let server = KeyServer::start(move |stream| _ = stream.write_all(&answer(status, &field, "")));
            let refused = Https::new().fetch(&server.url()).unwrap_err();
            assert!(matches!(refused, FetchError::Status(301..=308)), "{refused}");
            assert_eq!(server.paths().len(), 1);
        }
    }
    assert!(target.paths().is_empty());
}

#[test]
fn another_status_than_200_is_no_key_set() {
    for status in ["201 Created", "204 No Content", "206 Partial Content", "304 Not Modified", "404 Not Found", "500 X"]
    {
        let server = KeyServer::start(move |stream| _ = stream.write_all(&answer(status, "", "")));
        let refused = Https::new().fetch(&server.url()).unwrap_err();
        assert!(matches!(refused, FetchError::Status(_)), "{status}: {refused}");
    }
}

#[test]
fn gzip_bomb_is_not_unpacked() {
    for coding in ["gzip", "br", "deflate", "zstd", "GZIP", "gzip, identity"] {
        let field = format!("Content-Encoding: {coding}\r\n");
        let server = KeyServer::start(move |stream| _ = stream.write_all(&answer("200 OK", &field, "bomb")));
        let refused = Https::new().fetch(&server.url()).unwrap_err();
        assert!(matches!(refused, FetchError::Encoded), "{coding}: {refused}");
    }
}

#[test]
fn gigabyte_is_refused_as_soon_as_it_is_announced() {
    let server = KeyServer::start(|stream| {
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n{");
    });
    assert!(matches!(Https::new().fetch(&server.url()), Err(FetchError::TooLarge)));
}

#[test]
fn gigabyte_that_is_not_announced_is_refused_after_64_kib() {
    let written = Arc::new(AtomicUsize::new(0));
    let (end, done) = std::sync::mpsc::channel();
    let server = KeyServer::start({
        let written = Arc::clone(&written);
        move |stream| {
            let chunk = vec![b' '; 1 << 16];
            let mut outcome = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while outcome.is_ok() && written.load(Ordering::SeqCst) < 1 << 30 {
                outcome = stream.write_all(&chunk);
                written.fetch_add(chunk.len(), Ordering::SeqCst);
            }
            _ = end.send(());
        }
    });
    assert!(matches!(Https::new().fetch(&server.url()), Err(FetchError::TooLarge)));
    done.recv().unwrap();
    // The rest fits into the buffers of the two sockets.
    assert!(written.load(Ordering::SeqCst) < 64 << 20, "{written:?} bytes were taken");
}

#[test]
fn connections_to_providers_are_closed() {
    // Answers one request, then waits until the client disconnects.
    let server = KeyServer::start(|stream| {
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"keys\":[]}");
        _ = stream.read_to_end(&mut Vec::new());
    });
    let https = Https::new();
    for _ in 0..2 {
        assert!(https.fetch(&server.url()).is_ok());
    }
    assert_eq!(server.paths().len(), 2);
}

#[test]
fn exactly_64_kib_are_allowed() {
    for (length, is_allowed) in [(64 * 1024, true), (64 * 1024 + 1, false)] {
        let body = " ".repeat(length);
        let server = KeyServer::start(move |stream| {
            _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            _ = stream.write_all(body.as_bytes());
        });
        assert_eq!(Https::new().fetch(&server.url()).is_ok(), is_allowed, "{length}");
    }
}

#[test]
fn header_without_end_is_refused() {
    let server = KeyServer::start(|stream| {
        _ = stream.write_all(format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20)).as_bytes());
    });
    assert!(matches!(Https::new().fetch(&server.url()), Err(FetchError::Transport(_))));
}

#[test]
fn answer_that_breaks_off_is_no_answer() {
    let server =
        KeyServer::start(|stream| _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"keys\":"));
    assert!(matches!(Https::new().fetch(&server.url()), Err(FetchError::Broken(_))));
    let nobody = { KeyServer::start(|_| ()).url() };
    assert!(matches!(Https::new().fetch(&nobody), Err(FetchError::Transport(_))));
}

#[test]
fn dripping_response_is_aborted_after_three_seconds() {
    let silent = KeyServer::start(|stream| drip(stream, b""));
    let in_the_header = KeyServer::start(|stream| drip(stream, b"HTTP/1.1 200 OK\r\nX: "));
    let in_the_body = KeyServer::start(|stream| drip(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"));
    thread::scope(|scope| {
        for server in [&silent, &in_the_header, &in_the_body] {
            scope.spawn(move || {
                let clock = Clock::system();
                assert!(Https::new().fetch(&server.url()).is_err());
                let seconds = clock.nanoseconds() / 1_000_000_000;
                // The servers would wait longer.
                assert!((2..PATIENCE).contains(&seconds), "{seconds} s");
            });
        }
    });
}

/// How many seconds a server drips.
const PATIENCE: u64 = 60;

/// Sends `first`, then a byte every 50 ms until the client disconnects; only waits if `first` is empty.
fn drip(stream: &mut std::net::TcpStream, first: &[u8]) {
    let mut sent = stream.write_all(first);
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    for _ in 0..PATIENCE * 20 {
        // The client sends nothing, so this read times out unless the client has disconnected.
        if stream.read(&mut [0]).is_ok() || sent.is_err() {
            return;
        }
        if !first.is_empty() {
            sent = stream.write_all(b"x");
        }
    }
}

#[test]
fn loopback_addresses_are_rejected_in_every_spelling() {
    let server = KeyServer::keys(&serde_json::json!({ "keys": [] }));
    let port = server.port();
    for host in
        ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f000001", "127.1", "[::ffff:127.0.0.1]", "0.0.0.0"]
    {
        let refused = Https::new().fetch(&format!("https://{host}:{port}/"));
        // The resolver of the machine may not know the notation.
        assert!(matches!(refused, Err(FetchError::Forbidden | FetchError::Transport(_))), "{host}: {refused:?}");
    }
    assert!(server.paths().is_empty());
}

#[test]
fn name_with_one_private_address_is_rejected() {
    for address in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fd00::1", "100.64.0.1"] {
        let stub = Stub::new(&[&[("1.1.1.1", 443), (address, 443)]]);
        let refused = https_with(stub).fetch("https://keys.example/");
        assert!(matches!(refused, Err(FetchError::Forbidden)), "{address}: {refused:?}");
    }
}

#[test]
fn plain_http_goes_to_this_machine_only() {
    for address in ["1.1.1.1", "10.0.0.1", "169.254.169.254"] {
        let refused = https_with(Stub::new(&[&[(address, 80)]])).fetch("http://localhost/");
        assert!(matches!(refused, Err(FetchError::Forbidden)), "{address}: {refused:?}");
    }
}

#[test]
fn rebinding_name_is_resolved_once_for_each_fetch() {
    let server = KeyServer::keys(&serde_json::json!({ "keys": [] }));
    let stub = Stub::new(&[&[("127.0.0.1", server.port())], &[("169.254.169.254", 80)]]);
    let fetch = https_with(stub.clone());
    // The connection goes to the address that was checked, whatever the name resolves to later.
    assert!(fetch.fetch("http://localhost/").is_ok());
    assert_eq!(stub.left(), 1);
    assert!(matches!(fetch.fetch("http://localhost/"), Err(FetchError::Forbidden)));
    assert_eq!(stub.left(), 0);
    assert_eq!(server.paths().len(), 1);
}
