//! Request framing: the end of each request, however the bytes arrive.

use contract::routes;
use proptest::prelude::*;
use tests::{Connection, Firm as _, SyntheticFirm, eventually};

use crate::{Site, agent::build, mcp_site};

#[test]
fn rest_of_an_early_answered_body_is_not_a_request() {
    let site = SyntheticFirm::small().serve();
    let inner = b"GET /en/about HTTP/1.1\r\nHost: test.example\r\n\r\n";
    let head = "POST /en/about HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\n\r\n";
    let length = format!("{:x}\r\n", inner.len());
    for (first, then) in [(head.to_owned() + &length, ""), (head.to_owned(), length.as_str())] {
        let mut connection = site.connection();
        assert_eq!(connection.request("GET", "/en/about", &[]).status, 200);
        connection.send(first.as_bytes());
        let response = connection.response(false).unwrap();
        assert_eq!((response.status, response.header("connection")), (405, Some("close")));
        for part in [then.as_bytes(), inner, b"\r\n0\r\n\r\n", inner] {
            connection.send(part);
            // The service then usually reads each part separately. Otherwise the test proves less and does not fail.
            site.operator("/livez");
        }
        assert!(connection.is_closed(), "the answer was the last one");
    }
}

/// Sends `bytes` in pieces of `length` bytes.
fn send_in_pieces(connection: &mut Connection, bytes: &[u8], length: usize) {
    for piece in bytes.chunks(length) {
        connection.send(piece);
    }
}

/// Asserts that `bytes`, however split, get one last response with this status and error code.
fn assert_last(site: &Site, bytes: &[u8], status: u16, code: &str) {
    for length in [bytes.len(), bytes.len().div_ceil(2), bytes.len().div_ceil(200)] {
        for is_first in [true, false] {
            let mut connection = site.connection();
            if !is_first {
                assert_eq!(connection.request("GET", "/en/about", &[]).status, 200);
            }
            send_in_pieces(&mut connection, &[bytes, about().bytes.as_slice()].concat(), length);
            let is_head = bytes.starts_with(b"HEAD ");
            let name = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
            let response = connection.response(is_head).unwrap_or_else(|| panic!("no response to {name:?}"));
            assert_eq!(response.status, status, "{name:?}");
            if !is_head {
                assert_eq!(response.error(), code, "{name:?}");
                assert_eq!(response.header("content-type"), Some("application/json"));
                assert!(response.body.len() < 1000, "{name:?}");
            }
            assert_eq!(response.header("cache-control"), Some("no-store"));
            assert!(response.header("date").is_some() && response.header("x-request-id").is_some(), "{response:?}");
            assert_eq!(response.header("connection"), Some("close"), "{name:?}");
            assert!(connection.is_closed(), "something follows the last answer to {name:?}");
        }
    }
}

#[test]
fn requests_that_the_http_library_refuses_get_a_last_response_in_json() {
    let site: Site = build().serve();
    let long = |length: usize| "x".repeat(length);
    let malformed = [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        "GET /\r\nHost: a\r\n\r\n",
        "GET /h\u{e2}kim HTTP/1.1\r\nHost: a\r\n\r\n",
        "HEAD /h\u{e2}kim HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        // A single line feed ends a line for some parsers only.
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\nZ: z\r\n\r\n",
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\n",
    ];
    for text in malformed {
        assert_last(&site, text.as_bytes(), 400, "invalid_request");
    }
    for length in [70_000, 140_000] {
        let text = format!("GET /api/v1/team?x={} HTTP/1.1\r\nHost: a\r\n\r\n", long(length));
        assert_last(&site, text.as_bytes(), 414, "uri_too_long");
    }
    let fields = |count: usize| (0..count).fold(String::new(), |fields, number| fields + &format!("X-{number}: y\r\n"));
    let mut connection = site.connection();
    connection.send(format!("GET /en/about HTTP/1.1\r\nHost: a\r\n{}\r\n", fields(95)).as_bytes());
    assert_eq!(connection.response(false).unwrap().status, 200, "96 with the host");
    for fields in [fields(96), format!("X: {}\r\n", long(140_000))] {
        assert_last(&site, format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n").as_bytes(), 431, "invalid_request");
    }
    let metrics = site.metrics();
    let count = |status: &str| {
        let row = format!("mecelle_requests_total{{class=\"none\",status=\"{status}\"}} ");
        metrics.lines().find_map(|line| line.strip_prefix(row.as_str())).map(|count| count.parse::<usize>().unwrap())
    };
    assert_eq!([count("400"), count("414"), count("431")], [Some(malformed.len() * 6), Some(12), Some(12)]);
    assert_eq!(count("other"), None);
}

#[test]
fn authority_form_target_is_refused_in_json() {
    let site: Site = build().serve();
    for (text, status, code) in [
        ("CONNECT firm.example:443 HTTP/1.1\r\nHost: firm.example:443\r\n\r\n", 405, "method_not_allowed"),
        ("GET firm.example:443 HTTP/1.1\r\nHost: firm.example:443\r\n\r\n", 400, "invalid_request"),
    ] {
        let mut connection = site.connection();
        connection.send(text.as_bytes());
        let response = connection.response(false).unwrap();
        assert_eq!((response.status, response.error().as_str()), (status, code), "{text}");
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.header("allow"), (status == 405).then_some("GET, HEAD"));
        assert!(site.metrics().contains(&format!("mecelle_requests_total{{class=\"none\",status=\"{status}\"}} 1\n")));
    }
}

#[test]
fn target_beyond_8_kib_is_refused_and_the_connection_stays_open() {
    let site: Site = build().serve();
    let mut connection = site.connection();
    for (length, status) in [(8 * 1024, 404), (8 * 1024 + 1, 414), (u16::MAX as usize - 1, 414)] {
        let target = format!("/{}", "x".repeat(length - 1));
        connection.send(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        let response = connection.response(false).unwrap();
        assert_eq!((response.status, response.header("connection")), (status, None), "{length}");
    }
    assert_eq!(connection.request("GET", "/en/about", &[]).status, 200);
    // One byte more, and the library cannot read it.
    connection.send(format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(u16::MAX as usize - 1)).as_bytes());
    let response = connection.response(false).unwrap();
    assert_eq!((response.status, response.header("connection")), (414, Some("close")));
}

#[test]
fn body_whose_chunks_are_malformed_or_followed_by_trailers_gets_a_last_response() {
    let site: Site = build().serve();
    let body = br#"{"type":"anonymous"}"#;
    let chunk = format!("{:x}\r\n{}\r\n", body.len(), str::from_utf8(body).unwrap());
    let framed = |rest: &str| {
        let fields = "Host: firm.example\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked";
        format!("POST {} HTTP/1.1\r\n{fields}\r\n\r\n{chunk}{rest}", routes::REGISTER)
    };
    let rests = [
        "0\r\nX-Api-Key: forged\r\n\r\n",
        "0\r\nContent-Length: 5\r\n\r\n",
        "0\r\nX: a\n\nGET /en/about HTTP/1.1\r\nHost: b\r\n\r\n",
        "0\n\r\n",
        "1\r\nxy\r\n0\r\n\r\n",
        "1;x\ny\r\nx\r\n0\r\n\r\n",
        "-1\r\n\r\n",
        "fffffffffffffffff\r\n\r\n",
    ];
    for rest in rests {
        assert_last(&site, framed(rest).as_bytes(), 400, "invalid_request");
    }
    // Malformed and incomplete bodies are counted as malformed requests.
    let mut connection = site.connection();
    connection.send(b"POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n");
    connection.send(b"Content-Length: 9\r\n\r\na=");
    drop(connection);
    let row = format!("mecelle_requests_total{{class=\"none\",status=\"400\"}} {}\n", rests.len() * 6 + 1);
    eventually("all are counted", || site.metrics().contains(&row));
    assert!(!site.metrics().contains("class=\"endpoint\",status=\"400\""), "{}", site.metrics());
    let of_mcp = mcp_site::serve_build();
    for (target, status) in [(routes::MCP, 400), (routes::TOKEN, 400), (routes::TEAM, 405)] {
        let content = if matches!(target, routes::MCP) { "json" } else { "x-www-form-urlencoded" };
        let fields = format!("Host: localhost\r\nContent-Type: application/{content}\r\nTransfer-Encoding: chunked");
        let mut connection = if target == routes::MCP { &of_mcp } else { &site }.connection();
        connection.send(format!("POST {target} HTTP/1.1\r\n{fields}\r\n\r\n0\r\nX: y\r\n\r\n").as_bytes());
        let response = connection.response(false).unwrap();
        assert_eq!((response.status, response.header("connection")), (status, Some("close")), "{target} {response:?}");
        assert!(connection.is_closed(), "{target}");
    }
    let mut connection = site.connection();
    for _ in 0..2 {
        connection.send(framed("0\r\n\r\n").as_bytes());
        assert_eq!(connection.response(false).unwrap().status, 200, "the body as it should be");
    }
}

/// A request, and the status and a part of the body of the expected response.
#[derive(Clone, Debug)]
struct SentRequest {
    bytes: Vec<u8>,
    status: u16,
    text: &'static str,
}

fn sent(bytes: impl Into<Vec<u8>>, status: u16, text: &'static str) -> SentRequest {
    SentRequest { bytes: bytes.into(), status, text }
}

fn get(target: &str, status: u16, text: &'static str) -> SentRequest {
    sent(format!("GET {target} HTTP/1.1\r\nHost: firm.example\r\n\r\n"), status, text)
}

fn about() -> SentRequest {
    get("/en/about", 200, "About the firm")
}

/// A request whose body, with a length or in chunks, looks like a request.
fn request_in_a_body(is_chunked: bool) -> SentRequest {
    let body = String::from_utf8(about().bytes).unwrap();
    let length = body.len();
    let (field, body) = if is_chunked {
        ("Transfer-Encoding: chunked".to_owned(), format!("{length:x}\r\n{body}\r\n0\r\n\r\n"))
    } else {
        (format!("Content-Length: {length}"), body)
    };
    let lines = format!("Host: firm.example\r\nContent-Type: application/json\r\n{field}");
    sent(format!("POST {} HTTP/1.1\r\n{lines}\r\n\r\n{body}", routes::REGISTER), 400, "invalid_request")
}

fn requests() -> impl Strategy<Value = Vec<SentRequest>> {
    let one = prop_oneof![
        4 => Just(about()),
        2 => Just(sent("HEAD /en/about HTTP/1.1\r\nHost: firm.example\r\n\r\n", 200, "")),
        2 => Just(get(routes::TEAM, 200, "\"locale\":\"en\"")),
        1 => Just(get("/en/nothing", 404, "Nothing here")),
        1 => Just(get("/en/former", 308, "")),
        2 => any::<bool>().prop_map(request_in_a_body),
        1 => Just(sent("\r\nGET /en HTTP/1.1\r\nHost: firm.example\r\n\r\n", 200, "Home")),
    ];
    prop::collection::vec(one, 1..12)
}

fn is_answered(connection: &mut Connection, sent: &SentRequest) -> bool {
    let response = connection.response(sent.bytes.starts_with(b"HEAD")).expect("a response to each");
    response.status == sent.status && response.as_text().contains(sent.text)
}

#[test]
fn each_request_gets_its_own_response_however_it_is_split() {
    let site: Site = build().serve();
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() };
    let cases = (requests(), prop::collection::vec(1_usize..200, 1..20), any::<bool>());
    proptest!(config, |((all, pieces, is_ahead) in cases)| {
        let mut connection = site.connection();
        let mut lengths = pieces.iter().cycle();
        let mut send = |connection: &mut Connection, mut bytes: &[u8]| {
            while !bytes.is_empty() {
                let (piece, rest) = bytes.split_at(bytes.len().min(*lengths.next().unwrap()));
                connection.send(piece);
                bytes = rest;
            }
        };
        if is_ahead {
            send(&mut connection, &all.iter().flat_map(|one| one.bytes.clone()).collect::<Vec<_>>());
        }
        for one in &all {
            if !is_ahead {
                send(&mut connection, &one.bytes);
            }
            prop_assert!(is_answered(&mut connection, one), "{one:?}");
        }
        prop_assert_eq!(connection.request("GET", "/en/nothing", &["Connection: close"]).status, 404);
        prop_assert!(connection.is_closed(), "one response too many");
    });
    let registered = site.register();
    assert!(registered["credential"].is_string(), "the service goes on");
}

/// Changes to the bytes of a request: position, number of replaced bytes, replacement.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Vec<u8>)>> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"\r\n\0 :;,0f/".to_vec())];
    prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, prop::collection::vec(byte, 0..4)), 1..4)
}

#[test]
fn spoiled_bytes_get_complete_responses_and_none_after_the_last() {
    let site: Site = build().serve();
    let config = ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((all, changes, length) in (requests(), changes(), 1_usize..200))| {
        let all = all.iter().filter(|one| !one.bytes.starts_with(b"HEAD"));
        let mut bytes: Vec<u8> = all.flat_map(|one| one.bytes.clone()).collect();
        for (index, count, new) in changes {
            let start = index.index(bytes.len() + 1);
            bytes.splice(start..(start + count).min(bytes.len()), new);
        }
        let mut connection = site.connection();
        send_in_pieces(&mut connection, &bytes, length);
        // This ends an unfinished request, and is refused behind a finished one.
        connection.send(&b"\r\n\r\n\0".repeat(800));
        let mut was_last = false;
        while let Some(response) = connection.response(false) {
            prop_assert!(!was_last, "an answer after the last one");
            prop_assert!(response.header("x-request-id").is_some(), "{response:?}");
            prop_assert!(response.status < 500, "{response:?}");
            was_last = response.header("connection") == Some("close");
            if response.header("content-type") == Some("application/json") {
                prop_assert!(response.json().is_object(), "{response:?}");
            }
            if matches!(response.status, 400 | 408 | 414 | 431) {
                prop_assert!(response.json()["message"].is_string(), "{response:?}");
            }
        }
        prop_assert_eq!(site.get("/en/about", &[]).status, 200);
    });
}
