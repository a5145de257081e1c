//! The proxy of the environment: used if set, never silently bypassed.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use cli::Exit;

use crate::{
    server::{Server, fixture, unused_address},
    tool::Tool,
};

/// An address for documentation, without any host (RFC 5737).
const ELSEWHERE: &str = "http://192.0.2.1";

/// Starts an HTTP and SOCKS5 proxy that forwards every connection to `server`. Returns its address and a count of its
/// connections.
fn start(server: &Server) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (target, used) = (server.url().replace("http://", ""), Arc::new(AtomicUsize::default()));
    let count = Arc::clone(&used);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            count.fetch_add(1, Ordering::Relaxed);
            let _ = forward(client, &target);
        }
    });
    (address, used)
}

fn forward(mut client: TcpStream, target: &str) -> io::Result<()> {
    let mut first = [0; 1];
    client.read_exact(&mut first)?;
    if first == [5] {
        // RFC 1928: one method, no authentication; then an IPv4 address with its port.
        client.read_exact(&mut [0; 2])?;
        client.write_all(&[5, 0])?;
        client.read_exact(&mut [0; 10])?;
        client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    } else {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            client.read_exact(&mut first)?;
            head.extend_from_slice(&first);
        }
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    }
    let mut host = TcpStream::connect(target)?;
    let (mut from, mut to) = (client.try_clone()?, host.try_clone()?);
    thread::spawn(move || io::copy(&mut from, &mut to).and_then(|_| to.shutdown(Shutdown::Write)));
    io::copy(&mut host, &mut client).and_then(|_| client.shutdown(Shutdown::Both))
}

#[test]
fn proxy_of_each_kind_is_used() {
    let server = Server::start([]);
    let (proxy, used) = start(&server);
    for (at, (name, scheme)) in
        [("HTTP_PROXY", "http://"), ("https_proxy", ""), ("ALL_PROXY", "socks5://"), ("all_proxy", "socks5h://")]
            .into_iter()
            .enumerate()
    {
        let outcome = Tool::asking(ELSEWHERE).with(name, &format!("{scheme}{proxy}")).run("team");
        assert_eq!(outcome.exit, Exit::Success, "{name} {scheme}: {}", outcome.notes);
        assert!(outcome.data == fixture("/api/v1/team?locale=en").unwrap());
        assert_eq!(used.load(Ordering::Relaxed), at + 1, "{name} {scheme}");
    }
}

#[test]
fn invalid_proxy_is_reported_and_no_request_is_sent() {
    let server = Server::start([]);
    let (proxy, used) = start(&server);
    for (name, value) in
        [("ALL_PROXY", "htps://127.0.0.1:1"), ("HTTPS_PROXY", "http://me:a secret@127.0.0.1:1"), ("https_proxy", "/")]
    {
        // A variable of lower precedence is not used instead.
        let tool = Tool::asking(ELSEWHERE).with("HTTP_PROXY", &proxy).with(name, value);
        let outcome = tool.run("team");
        assert_eq!(outcome.exit, Exit::Usage, "{name}: {}", outcome.notes);
        assert!(outcome.notes.contains(&format!("{name} is `")), "{}", outcome.notes);
        assert!(!outcome.notes.contains("secret") && !outcome.notes.contains("me:"), "{}", outcome.notes);
        assert_eq!(
            tool.with("MECELLE_BASE_URL", &server.url()).run("team").exit,
            Exit::Success,
            "it is not needed here"
        );
    }
    assert_eq!(used.load(Ordering::Relaxed), 0);
}

#[test]
fn error_of_a_proxy_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("socks5h://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let mut client = listener.accept()?.0;
        client.read_exact(&mut [0; 3])?;
        client.write_all(&[5, 0])?;
        client.read_exact(&mut [0; 10])?;
        client.write_all(&[5, 2, 0, 1, 0, 0, 0, 0, 0, 0])
    });
    let outcome = Tool::asking(ELSEWHERE).with("ALL_PROXY", &proxy).run("team --retries 0");
    assert_eq!(outcome.exit, Exit::Network);
    assert!(
        outcome.notes.contains("of ALL_PROXY: connection not allowed") && !outcome.notes.contains("other error"),
        "{}",
        outcome.notes
    );
}

#[test]
fn unreachable_proxy_is_not_reported_as_the_host() {
    let secret = format!("http://me:hunter2@{}", unused_address().replace("http://", ""));
    let (shown, silent) = (unused_address(), TcpListener::bind("127.0.0.1:0").unwrap());
    for (name, value, message, remedy) in [
        ("HTTPS_PROXY", secret.as_str(), "cannot be reached through the proxy http://127.0.0.1:", "NO_PROXY"),
        ("ALL_PROXY", &shown.replace("http", "socks5h"), "cannot be reached through the proxy socks5h://", "NO_PROXY"),
        ("ALL_PROXY", "http://proxy.invalid:3128", "proxy http://proxy.invalid:3128 of ALL_PROXY", "NO_PROXY"),
        (
            "ALL_PROXY",
            &silent.local_addr().unwrap().to_string(),
            "The request went through the proxy 127.0.0.1:",
            "Raise --timeout",
        ),
    ] {
        let tool = Tool::asking(ELSEWHERE).with(name, value);
        for line in ["team --retries 0 --timeout 2", "search tax --timeout 2"] {
            let outcome = tool.run(line);
            assert_eq!(outcome.exit, Exit::Network, "{line}: {}", outcome.notes);
            assert!(outcome.notes.contains(message) && outcome.notes.contains(remedy), "{line}: {}", outcome.notes);
            assert!(outcome.notes.contains(&format!(" of {name}")), "{line}: {}", outcome.notes);
            assert!(!outcome.notes.contains("Check the network and the host"), "{line}: {}", outcome.notes);
            assert!(!outcome.notes.contains("--base-url https://HOST"), "{line}: {}", outcome.notes);
            assert!(!outcome.notes.contains("hunter2") && !outcome.notes.contains("me:"), "{line}: {}", outcome.notes);
        }
    }
    let excepted = Tool::asking(&unused_address().replace("127.0.0.1", "0.0.0.0")).with("ALL_PROXY", &shown);
    let outcome = excepted.with("NO_PROXY", "0.0.0.0").run("team --retries 0 --timeout 2");
    assert!(!outcome.notes.contains("proxy"), "{}", outcome.notes);
}

#[test]
fn excepted_hosts_are_contacted_without_the_proxy() {
    let server = Server::start([]);
    let (proxy, used) = start(&server);
    let tool = Tool::asking(ELSEWHERE).with("ALL_PROXY", &proxy).with("NO_PROXY", "a.example, 192.0.2.1");
    assert_eq!(tool.run("team --timeout 0.2 --retries 0").exit, Exit::Network);
    assert_eq!(used.load(Ordering::Relaxed), 0);
    assert_eq!(tool.with("NO_PROXY", "a.example").run("team").exit, Exit::Success);
}
