//! Which certificates a fetch over HTTPS accepts.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    thread::{self, JoinHandle},
};

use rustls::{ServerConnection, StreamOwned};
use ureq::tls::{Certificate, RootCerts};

use super::fetch::Stub;
use crate::keys::fetch::{Fetch as _, FetchError, FetchedDocument, Https};
use crate::testing::{Certified, answer};

/// Serves one TLS connection. The result is whether it received a request.
fn serve(host: &Certified) -> (u16, JoinHandle<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = host.server();
    let serving = thread::spawn(move || {
        let stream = listener.accept().unwrap().0;
        answer_request(ServerConnection::new(config).unwrap(), stream).unwrap_or(false)
    });
    (port, serving)
}

fn answer_request(connection: ServerConnection, stream: TcpStream) -> std::io::Result<bool> {
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Ok(false);
        }
    }
    stream.get_mut().write_all(&answer("200 OK", "", "{\"keys\":[]}"))?;
    stream.get_mut().conn.send_close_notify();
    stream.get_mut().flush()?;
    Ok(true)
}

/// Fetches from `host` with these roots. Returns the outcome, and whether the host received a request.
fn fetch(host: &Certified, roots: RootCerts) -> (Result<FetchedDocument, FetchError>, bool) {
    let (port, serving) = serve(host);
    // Without the check of addresses: this machine stands for a public host.
    let resolver = Stub::new(&[&[("127.0.0.1", port)]]);
    let fetched = Https::with(resolver, roots).fetch(&format!("https://localhost:{port}/keys"));
    (fetched, serving.join().unwrap())
}

fn roots(authority: &Certified) -> RootCerts {
    RootCerts::from([Certificate::from_der(&authority.der).to_owned()])
}

#[test]
fn host_with_a_certificate_of_a_root_is_trusted() {
    let authority = Certified::authority();
    let (fetched, came_through) = fetch(&authority.host("localhost"), roots(&authority));
    assert_eq!(fetched.unwrap().body, b"{\"keys\":[]}");
    assert!(came_through);
}

#[test]
fn host_without_a_trusted_certificate_gets_no_request() {
    let (authority, stranger) = (Certified::authority(), Certified::authority());
    for roots in [RootCerts::WebPki, roots(&stranger)] {
        let (fetched, came_through) = fetch(&authority.host("localhost"), roots);
        assert!(matches!(fetched, Err(FetchError::Transport(_))), "{fetched:?}");
        assert!(!came_through);
    }
}

#[test]
fn certificate_of_another_host_is_refused() {
    let authority = Certified::authority();
    for host in ["keys.example", "localhost.example", "*.localhost"] {
        let (fetched, came_through) = fetch(&authority.host(host), roots(&authority));
        assert!(matches!(fetched, Err(FetchError::Transport(_))), "{host}: {fetched:?}");
        assert!(!came_through);
    }
}
