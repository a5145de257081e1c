//! Clients that pipeline requests and read no response.

use std::{
    io::{ErrorKind, Write as _},
    net::TcpStream,
    thread,
    time::Duration,
};

use tests::Agent as _;

use super::sidecars;

/// Bytes of requests: more than the HTTP library reads at once; the responses exceed the buffers of sockets.
const AHEAD: usize = 512 * 1024;
const CLIENTS: usize = 40;
/// Length of one observation of the sidecar.
const WATCH: Duration = Duration::from_secs(1);
/// Maximum memory of one client, in bytes.
const EACH: usize = 768 * 1024;

/// Sends as much of `text` as the service accepts, and reads nothing.
fn flood(stream: &mut TcpStream, text: &str) {
    stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
    if let Err(error) = stream.write_all(text.as_bytes()) {
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    }
}

/// Returns pipelines of requests for small and for large responses, from the start and behind a slow one.
fn texts() -> [String; 4] {
    let get = |target: &str| format!("GET {target} HTTP/1.1\nHost:a\n\n");
    let (small, large) = (get("/en"), get("/llms-full.txt"));
    let body = r#"{"type":"anonymous"}"#;
    let head =
        format!("POST /agent/auth HTTP/1.1\nHost:a\nContent-Type:application/json\nContent-Length:{}", body.len());
    let slow = format!("{head}\n\n{body}");
    let many = small.repeat(AHEAD / small.len());
    [
        many.clone(),
        large.repeat(AHEAD / large.len()),
        format!("{slow}{}{many}", large.repeat(60)),
        format!("{slow}{}{}{many}", small.repeat(120), large.repeat(40)),
    ]
}

#[test]
fn pipelining_clients_that_never_read_cost_neither_time_nor_memory() {
    let sidecars = sidecars();
    let process = sidecars.start(&sidecars.file());
    assert_eq!(process.connection().content(None).unwrap().status, 200);
    let before = process.resident();
    let clients = texts().into_iter().cycle().take(CLIENTS).map(|text| {
        let mut client = TcpStream::connect(process.address()).unwrap();
        flood(&mut client, &text);
        client
    });
    let clients: Vec<_> = clients.collect();
    let mut last = process.processor_time();
    let mut is_at_rest = || {
        thread::sleep(WATCH);
        let used = process.processor_time().saturating_sub(last);
        last += used;
        used < WATCH / 5
    };
    // Long before it disconnects them, the sidecar has filled their buffers and is idle.
    assert!((0..15).any(|_| is_at_rest()) && is_at_rest(), "work for clients that read nothing");
    let each = process.resident().saturating_sub(before) / CLIENTS;
    assert!(each < EACH, "{each} bytes for each of them");
    assert_eq!(process.connection().content(None).unwrap().status, 200);
    drop(clients);
}
