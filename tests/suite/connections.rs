//! RFC 9112 on a single connection: many responses, large responses, slow readers, and every way to end it.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpStream},
    thread,
    time::Duration,
};

use tests::{Agent as _, Service, demonstration, read_some, secrets};

/// Far larger than the buffers of sockets and libraries.
const LARGE: &str = "/llms-full.txt";
/// A page of a size at which the body may be sent separately from the head.
const MIDDLE: &str = "/en/publications";
const SMALL: &str = "/api/v1/contact?locale=en";
const TIMEOUT: Duration = Duration::from_mins(2);

fn connect(service: &Service) -> TcpStream {
    let stream = TcpStream::connect(service.address()).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    stream
}

fn request(method: &str, target: &str, version: &str, more: &str) -> String {
    format!("{method} {target} HTTP/{version}\r\nHost: firm.example\r\n{more}\r\n")
}

/// Reads everything until the service ends the connection.
fn read_all(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Removes the first response from `bytes` and returns its status and body.
fn take(bytes: &mut Vec<u8>, is_head: bool) -> (u16, Vec<u8>) {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let lengths: Vec<_> = head.lines().filter_map(|line| line.strip_prefix("content-length: ")).collect();
    assert!(!head.contains("transfer-encoding"), "{head}");
    let length = match lengths[..] {
        [length] => length.parse().unwrap(),
        [] if head.starts_with("HTTP/1.1 304") => 0,
        _ => unreachable!("one length is announced: {head}"),
    };
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let end_of_body = if is_head { end } else { end + length };
    let rest = bytes.split_off(end_of_body);
    let body = std::mem::replace(bytes, rest).split_off(end);
    (status, body)
}

#[test]
fn pipelined_requests_are_answered_completely_and_in_order() {
    let service = demonstration();
    let etag = service.get(MIDDLE, &[]).header("etag").unwrap().to_owned();
    let known = format!("If-None-Match: {etag}\r\n");
    let bodies = [LARGE, MIDDLE, SMALL].map(|path| service.get(path, &[]).body);
    let [large, middle, small] = &bodies;
    let empty = Vec::new();
    let one_round = [
        ("GET", MIDDLE, "", 200, middle),
        ("GET", MIDDLE, known.as_str(), 304, &empty),
        ("GET", SMALL, "", 200, small),
        ("GET", LARGE, "", 200, large),
        ("HEAD", MIDDLE, "", 200, &empty),
        ("GET", MIDDLE, "", 200, middle),
        ("GET", MIDDLE, "", 200, middle),
        ("HEAD", LARGE, "", 200, &empty),
        ("GET", SMALL, "", 200, small),
    ];
    let requests: Vec<_> = one_round.iter().cycle().take(5 * one_round.len()).collect();
    let mut stream = connect(&service);
    let mut writer = stream.try_clone().unwrap();
    let texts: String =
        requests.iter().map(|(method, target, more, ..)| request(method, target, "1.1", more)).collect();
    let writing = thread::spawn(move || {
        writer.write_all(texts.as_bytes()).unwrap();
        writer.write_all(request("GET", SMALL, "1.1", "Connection: close\r\n").as_bytes()).unwrap();
    });
    let mut bytes = read_all(&mut stream);
    writing.join().unwrap();
    for (number, (method, target, _, status, body)) in requests.into_iter().enumerate() {
        let (got, received) = take(&mut bytes, *method == "HEAD");
        assert_eq!((got, received.len()), (*status, body.len()), "answer {number}: {method} {target}");
        assert!(received == **body, "answer {number}: {method} {target} has other bytes");
    }
    assert_eq!(take(&mut bytes, false), (200, small.clone()));
    assert!(bytes.is_empty(), "{} bytes too many", bytes.len());
}

/// Returns the head and the body, of at least `length` bytes, of a request that needs the store.
fn slow(length: usize, more: &str) -> [String; 2] {
    let body = format!("{:length$}", r#"{"type":"anonymous"}"#);
    let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n{more}", body.len());
    [request("POST", "/agent/auth", "1.1", &more), body]
}

#[test]
fn pipelined_requests_behind_a_slow_one_are_answered_soon() {
    let service = demonstration();
    let slow = slow(0, "").concat();
    let quick = request("GET", SMALL, "1.1", "");
    for count in [1, 15, 16, 17, 60, 400, 4_000] {
        for text in [slow.clone() + &quick.repeat(count), slow.repeat(3) + &quick.repeat(count) + &slow] {
            let requests = text.matches(" HTTP/1.1").count();
            let answered = most_of_some(requests, || {
                let mut stream = connect(&service);
                let (mut writer, text) = (stream.try_clone().unwrap(), text.clone());
                // If the responses stop, the service stops reading, so the write must be ended.
                let writing = thread::spawn(move || drop(writer.write_all(text.as_bytes())));
                let answered = answers(&mut stream, requests);
                let _ = stream.shutdown(Shutdown::Both);
                writing.join().unwrap();
                answered
            });
            assert_eq!(answered, requests, "{count} behind what takes time");
        }
    }
}

#[test]
fn pipelined_requests_beyond_the_buffer_are_all_answered() {
    const COUNT: usize = 8_000;
    let service = demonstration();
    let whole = service.get(SMALL, &[]).body;
    let mut stream = connect(&service);
    let mut writer = stream.try_clone().unwrap();
    let writing = thread::spawn(move || {
        writer.write_all(request("GET", SMALL, "1.1", "").repeat(COUNT - 1).as_bytes()).unwrap();
        writer.write_all(request("GET", SMALL, "1.1", "Connection: close\r\n").as_bytes()).unwrap();
    });
    // Long enough for the service to fill the buffers of the socket.
    thread::sleep(Duration::from_millis(300));
    let bytes = read_all(&mut stream);
    writing.join().unwrap();
    let ends = bytes.windows(whole.len()).filter(|part| *part == whole).count();
    assert_eq!(ends, COUNT);
}

/// Returns `all` if one of five attempts returns it, otherwise the last result. A busy machine may stall once, but not
/// every time, as a service with a lost wake-up does.
fn most_of_some(all: usize, attempt: impl Fn() -> usize) -> usize {
    let mut found = 0;
    for _ in 0..5 {
        found = attempt();
        if found == all {
            break;
        }
    }
    found
}

/// Counts responses until there are `count`, or the connection ends or stalls.
fn answers(stream: &mut TcpStream, count: usize) -> usize {
    const OK: &[u8] = b"HTTP/1.1 200 OK";
    // Shorter than the interval of the time-out check, which would wake the connection.
    stream.set_read_timeout(Some(Duration::from_secs(4))).unwrap();
    let (mut answers, mut bytes, mut some) = (0, Vec::new(), vec![0; 200_000]);
    while answers < count {
        match read_some(stream, &mut some) {
            Ok(0) | Err(_) => break,
            Ok(read) => bytes.extend_from_slice(&some[..read]),
        }
        answers += bytes.windows(OK.len()).filter(|part| *part == OK).count();
        // The rest may be the beginning of the next status line.
        bytes.drain(..bytes.len().saturating_sub(OK.len() - 1));
    }
    answers
}

/// Counts the responses to `count` requests for `target`, read after a delay.
fn answers_to_a_late_reader(service: &Service, target: &str, count: usize, is_half_closed: bool) -> usize {
    let mut stream = connect(service);
    stream.write_all(request("GET", target, "1.1", "").repeat(count).as_bytes()).unwrap();
    if is_half_closed {
        stream.shutdown(Shutdown::Write).unwrap();
    }
    thread::sleep(Duration::from_millis(500));
    answers(&mut stream, count)
}

#[test]
fn client_that_reads_late_gets_every_response() {
    let service = demonstration();
    thread::scope(|scope| {
        let readers: Vec<_> = (0..16)
            .map(|number| {
                let service = &service;
                let (target, step) = if number % 2 == 0 { ("/en", 42) } else { ("/sitemap.xml", 18) };
                let (count, is_half_closed) = (140 + number * step, number % 4 < 2);
                let attempt = move || answers_to_a_late_reader(service, target, count, is_half_closed);
                let reader = scope.spawn(move || most_of_some(count, attempt));
                (target, count, is_half_closed, reader)
            })
            .collect();
        for (target, count, is_half_closed, reader) in readers {
            assert_eq!(reader.join().unwrap(), count, "{target}, half-closed: {is_half_closed}");
        }
    });
}

#[test]
fn client_that_reads_slowly_gets_every_byte() {
    let service = demonstration();
    let whole = service.get(LARGE, &[]).body;
    let mut stream = connect(&service);
    for _ in 0..20 {
        stream.write_all(request("GET", LARGE, "1.1", "").as_bytes()).unwrap();
    }
    // Long enough for the service to fill the buffers of the socket.
    thread::sleep(Duration::from_millis(300));
    stream.shutdown(Shutdown::Write).unwrap();
    let mut bytes = Vec::new();
    let mut some = vec![0; 50_000];
    loop {
        match read_some(&mut stream, &mut some).unwrap() {
            0 => break,
            count => bytes.extend_from_slice(&some[..count]),
        }
        thread::yield_now();
    }
    for number in 0..20 {
        let (status, body) = take(&mut bytes, false);
        assert!(status == 200 && body == whole, "answer {number}");
    }
    assert!(bytes.is_empty());
}

#[test]
fn connection_close_ends_the_connection_after_the_last_byte() {
    let service = demonstration();
    for target in [LARGE, MIDDLE, SMALL] {
        let whole = service.get(target, &[]).body;
        for (version, more) in [("1.1", "Connection: close\r\n"), ("1.0", "")] {
            let mut stream = connect(&service);
            stream.write_all(request("GET", target, version, more).as_bytes()).unwrap();
            let mut bytes = read_all(&mut stream);
            assert_eq!(take(&mut bytes, false), (200, whole.clone()), "{target}, HTTP/{version}");
            assert!(bytes.is_empty());
        }
    }
}

/// Returns the fields `connection` and `upgrade` of a head.
fn connection_fields(head: &str) -> Vec<&str> {
    head.lines().filter(|line| line.starts_with("connection: ") || line.starts_with("upgrade: ")).collect()
}

#[test]
fn upgrade_to_another_protocol_is_ignored() {
    let service = demonstration();
    thread::scope(|scope| {
        for offer in [
            "Connection: Upgrade\r\nUpgrade: websocket\r\n",
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
            "Connection: keep-alive, upgrade\r\nUpgrade: foo/2\r\n",
            "Connection: Upgrade\r\n",
            "Upgrade: websocket\r\n",
            "Upgrade: h2c\r\n",
        ] {
            let service = &service;
            // In parallel: after a request that may have a body, the service lingers before it closes.
            scope.spawn(move || assert_offer_is_ignored(service, offer));
        }
    });
}

/// Asserts that requests with `offer` are answered as without it, and that `connection` is absent or `close`.
fn assert_offer_is_ignored(service: &Service, offer: &str) {
    for (text, status) in [
        (request("GET", MIDDLE, "1.1", offer), 200),
        (request("GET", MIDDLE, "1.0", offer), 200),
        (request("HEAD", SMALL, "1.1", offer), 200),
        (request("GET", "/nothing", "1.1", offer), 404),
        (slow(0, offer).concat(), 200),
        (slow(3_000, offer).concat(), 200),
    ] {
        let mut stream = connect(service);
        stream.write_all(text.as_bytes()).unwrap();
        let (mut bytes, mut some) = (Vec::new(), vec![0; 64 * 1024]);
        while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
            let count = read_some(&mut stream, &mut some).unwrap();
            assert!(count > 0, "no answer to {text}");
            bytes.extend_from_slice(&some[..count]);
        }
        let head = String::from_utf8_lossy(&bytes).split("\r\n\r\n").next().unwrap().to_owned();
        assert_eq!(head.split(' ').nth(1), Some(status.to_string().as_str()), "{text}{head}");
        let fields = connection_fields(&head);
        assert!(fields.is_empty() || fields == ["connection: close"], "{fields:?} to {text}");
        let goes_on = fields.is_empty() && head.starts_with("HTTP/1.1");
        if goes_on {
            stream.write_all(request("GET", SMALL, "1.1", "Connection: close\r\n").as_bytes()).unwrap();
        }
        bytes.append(&mut read_all(&mut stream));
        secrets::harvest(&bytes);
        take(&mut bytes, text.starts_with("HEAD"));
        if goes_on {
            assert_eq!(take(&mut bytes, false).0, 200, "{text}");
        }
        assert!(bytes.is_empty());
    }
}

#[test]
fn requests_behind_a_last_response_are_not_executed() {
    let service = demonstration();
    let close = "Connection: close\r\n";
    for last in [request("GET", SMALL, "1.1", close), request("GET", SMALL, "1.0", ""), slow(0, close).concat()] {
        assert_last(&service, &last, 200);
    }
}

#[test]
fn requests_behind_an_unread_body_are_not_executed() {
    let service = demonstration();
    let etag = service.get(MIDDLE, &[]).header("etag").unwrap().to_owned();
    for (method, target, more, status) in [
        ("GET", "/robots.txt", String::new(), 200),
        ("GET", MIDDLE, format!("If-None-Match: {etag}\r\n"), 304),
        ("GET", "/en/publications/", String::new(), 308),
        ("GET", SMALL, "X-API-Key: wrong\r\n".to_owned(), 401),
        ("DELETE", SMALL, String::new(), 405),
        ("POST", "/mcp", "Content-Type: text/plain\r\n".to_owned(), 415),
        ("POST", "/agent/auth", "Content-Type: text/plain\r\n".to_owned(), 415),
    ] {
        let fields = format!("Content-Length: 5\r\n{more}");
        let text = request(method, target, "1.1", &fields).replace("firm.example", "localhost");
        assert_last(&service, &(text + "hello"), status);
    }
}

#[test]
fn body_that_arrives_during_another_response_is_read() {
    let service = demonstration();
    let credential = service.connection().register().unwrap().text_of("credential");
    let known = request("GET", "/api/v1/team", "1.1", &format!("Authorization: Bearer {credential}\r\n"));
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let fields = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let fields = format!("{fields}Content-Length: {}\r\n", notice.len());
    let notification = (request("POST", "/mcp", "1.1", &fields) + notice).replace("firm.example", "localhost");
    let quick = request("GET", SMALL, "1.1", "");
    for (first, status) in [(known, 200), (notification, 202)] {
        for between in ["", &quick] {
            let text = first.clone() + between + &slow(0, "").concat();
            let mut stream = connect(&service);
            let (soon, late) = text.split_at(text.len() - 5);
            stream.write_all(soon.as_bytes()).unwrap();
            // Long enough for the response to the first part.
            thread::sleep(Duration::from_millis(400));
            stream.write_all(late.as_bytes()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut bytes = read_all(&mut stream);
            secrets::harvest(&bytes);
            // An announced end would end the connection here.
            assert!(!String::from_utf8_lossy(&bytes).contains("connection: close"));
            assert_eq!(take(&mut bytes, false).0, status);
            for _ in 1..text.matches(" HTTP/1.1\r\n").count() {
                assert_eq!(take(&mut bytes, false).0, 200);
            }
            assert!(bytes.is_empty());
        }
    }
}

#[test]
fn only_the_last_response_has_connection_close() {
    let service = demonstration();
    let close = request("GET", SMALL, "1.1", "Connection: close\r\n");
    for first in [slow(0, "").concat(), request("GET", LARGE, "1.1", ""), request("GET", "/en/", "1.1", "")] {
        let mut stream = connect(&service);
        stream.write_all((first + &request("HEAD", MIDDLE, "1.1", "").repeat(3) + &close).as_bytes()).unwrap();
        let bytes = read_all(&mut stream);
        secrets::harvest(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(text.matches("HTTP/1.1 ").count(), 5);
        assert_eq!(text.matches("\r\nconnection: close\r\n").count(), 1);
        assert!(text.rfind("\r\nconnection: close\r\n") > text.rfind("HTTP/1.1 "));
    }
}

/// Asserts that `last` is answered with `status` and the end of the connection, and later requests have no effect.
fn assert_last(service: &Service, last: &str, status: u16) {
    let mut stream = connect(service);
    let text = last.to_owned() + &slow(0, "").concat() + &request("GET", SMALL, "1.1", "");
    stream.write_all(text.as_bytes()).unwrap();
    let mut bytes = read_all(&mut stream);
    let version = if last.contains("HTTP/1.0") { "HTTP/1.0" } else { "HTTP/1.1" };
    let head = String::from_utf8_lossy(&bytes).split("\r\n\r\n").next().unwrap().to_owned();
    secrets::harvest(&bytes);
    let expected = if version == "HTTP/1.0" { vec![] } else { vec!["connection: close"] };
    assert_eq!(connection_fields(&head), expected, "{last}{head}");
    assert_eq!(take(&mut bytes, false).0, status, "{last}");
    while !bytes.is_empty() {
        assert_eq!(take(&mut bytes, false).0, 400, "{last}");
    }
}

#[test]
fn half_closed_client_is_answered() {
    let service = demonstration();
    for target in [LARGE, MIDDLE, SMALL] {
        let mut stream = connect(&service);
        stream.write_all(request("GET", target, "1.1", "").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut bytes = read_all(&mut stream);
        assert_eq!(take(&mut bytes, false), (200, service.get(target, &[]).body), "{target}");
    }
}

#[test]
fn half_closed_client_is_answered_after_a_slow_request() {
    let service = demonstration();
    for length in [0, 3_000, 30_000] {
        let mut stream = connect(&service);
        stream.write_all(slow(length, "").concat().as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut bytes = read_all(&mut stream);
        secrets::harvest(&bytes);
        assert_eq!(take(&mut bytes, false).0, 200, "a body of {length} bytes");
        assert!(bytes.is_empty());
    }
}

#[test]
fn long_body_behind_a_slow_response_is_read() {
    let service = demonstration();
    for length in [0, 1_900, 2_048, 2_100, 5_000, 30_000] {
        let text = slow(0, "").concat() + &slow(length, "").concat() + &request("GET", SMALL, "1.1", "");
        let mut stream = connect(&service);
        stream.write_all(text.as_bytes()).unwrap();
        // The connection may end after the second answer: clients repeat requests that got none (RFC 9112, 9.3.2).
        assert!(answers(&mut stream, 3) >= 2, "a body of {length} bytes");
    }
}

#[test]
fn expect_100_continue_is_answered() {
    const GO_ON: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    let service = demonstration();
    let [head, body] = slow(3_000, "Expect: 100-continue\r\n");
    for before in [String::new(), slow(0, "").concat(), request("GET", LARGE, "1.1", "")] {
        let mut stream = connect(&service);
        stream.write_all((before.clone() + &head).as_bytes()).unwrap();
        let mut bytes = Vec::new();
        while !bytes.ends_with(GO_ON) {
            let mut some = vec![0; 64 * 1024];
            let count = read_some(&mut stream, &mut some).unwrap();
            assert!(count > 0, "no 100 Continue");
            bytes.extend_from_slice(&some[..count]);
        }
        if !before.is_empty() {
            assert_eq!(take(&mut bytes, false).0, 200);
        }
        assert_eq!(bytes, GO_ON);
        stream.write_all(body.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut bytes = read_all(&mut stream);
        secrets::harvest(&bytes);
        assert_eq!(take(&mut bytes, false).0, 200);
        assert!(bytes.is_empty());
    }
}

#[test]
fn refused_request_gets_no_100_continue() {
    let service = demonstration();
    for (fields, status) in [
        ("Content-Type: application/json\r\nContent-Length: 99999999\r\n", 413),
        ("Content-Type: text/plain\r\nContent-Length: 9\r\n", 415),
        ("Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n", 415),
    ] {
        let mut stream = connect(&service);
        let expecting = format!("{fields}Expect: 100-continue\r\n");
        stream.write_all(request("POST", "/agent/auth", "1.1", &expecting).as_bytes()).unwrap();
        let mut bytes = read_all(&mut stream);
        assert_eq!(take(&mut bytes, false).0, status, "{fields}");
        assert!(bytes.is_empty(), "{fields}");
    }
}

#[test]
fn last_refusal_arrives_despite_unread_bytes() {
    let service = demonstration();
    let behind = [0, 3_000, 8_000, 20_000].map(|length| "x".repeat(length));
    for behind in &behind {
        for (head, status) in [("GET / HTTP/1.1\r\nno field\r\n\r\n", 400), ("GET /en HTTP/9.9\r\n\r\n", 400)] {
            let mut stream = connect(&service);
            stream.write_all((head.to_owned() + behind).as_bytes()).unwrap();
            // A reset connection would fail here.
            let mut bytes = read_all(&mut stream);
            assert_eq!(take(&mut bytes, false).0, status, "{head:?} before {} bytes", behind.len());
            assert!(bytes.is_empty());
        }
    }
}

#[test]
fn client_that_disconnects_does_not_disturb_others() {
    let service = demonstration();
    let whole = service.get(LARGE, &[]).body;
    for _ in 0..50 {
        let mut stream = connect(&service);
        stream.write_all(request("GET", LARGE, "1.1", "").repeat(3).as_bytes()).unwrap();
        let mut first = [0; 1000];
        stream.read_exact(&mut first).unwrap();
    }
    assert!(service.get(LARGE, &[]).body == whole);
}
