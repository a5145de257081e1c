//! Clients that ask far ahead and read nothing of what they are given.

use std::{
    io::{ErrorKind, Write as _},
    net::TcpStream,
    thread,
    time::Duration,
};

use tests::Agent as _;

use super::stage;

/// Octets of requests: more than the HTTP library takes in at once, and answers to more than sockets hold back.
const AHEAD: usize = 512 * 1024;
const CLIENTS: usize = 40;
/// How long the sidecar is watched at a time.
const WATCH: Duration = Duration::from_secs(1);
/// What one of these clients may take of its memory.
const EACH: usize = 768 * 1024;

/// Asks for `target` as often as the service takes it, and reads nothing.
fn flood(stream: &mut TcpStream, target: &str) {
    let text = format!("GET {target} HTTP/1.1\r\nHost:a\r\n\r\n");
    let text = text.repeat(AHEAD / text.len());
    stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
    if let Err(error) = stream.write_all(text.as_bytes()) {
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    }
}

#[test]
fn who_asks_far_ahead_and_reads_nothing_costs_neither_time_nor_memory() {
    let stage = stage();
    let process = stage.start(&stage.file());
    assert_eq!(process.connection().content(None).unwrap().status, 200);
    let before = process.resident();
    let clients = ["/en", "/llms-full.txt"].into_iter().cycle().take(CLIENTS).map(|target| {
        let mut client = TcpStream::connect(process.address()).unwrap();
        flood(&mut client, target);
        client
    });
    let clients: Vec<_> = clients.collect();
    let mut last = process.processor_time();
    // Well before it gives them up, it has filled their buffers and rests.
    let rests = (0..15).any(|_| {
        thread::sleep(WATCH);
        let used = process.processor_time().saturating_sub(last);
        last += used;
        used < WATCH / 5
    });
    assert!(rests, "work for clients that read nothing");
    let each = process.resident().saturating_sub(before) / CLIENTS;
    assert!(each < EACH, "{each} octets for each of them");
    assert_eq!(process.connection().content(None).unwrap().status, 200);
    drop(clients);
}
