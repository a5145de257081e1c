//! Where one request ends and the next begins, however they arrive.

use contract::routes;
use proptest::prelude::*;
use tests::{Connection, Firm as _, SyntheticFirm};

use crate::{Site, agent::build};

#[test]
fn rest_of_a_body_that_was_answered_early_is_no_request() {
    let site = SyntheticFirm::small().serve();
    let inner = b"GET /en/about HTTP/1.1\r\nHost: test.example\r\n\r\n";
    let head = "POST /en/about HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\n\r\n";
    let length = format!("{:x}\r\n", inner.len());
    for (first, then) in [(head.to_owned() + &length, ""), (head.to_owned(), length.as_str())] {
        let mut connection = site.connection();
        assert_eq!(connection.request("GET", "/en/about", &[]).status, 200);
        connection.send(first.as_bytes());
        assert_eq!(connection.response(false).unwrap().status, 405);
        for part in [then.as_bytes(), inner, b"\r\n0\r\n\r\n"] {
            connection.send(part);
            // Most often the service then reads each part alone. If it does not, less is proved and nothing fails.
            site.operator("/livez");
        }
        assert_eq!(connection.request("GET", "/en/nothing", &[]).status, 404, "the answer to this and to nothing else");
    }
}

/// A request as it is sent, and what its response has to be: a status, and what is in its body.
#[derive(Clone, Debug)]
struct Sent {
    bytes: Vec<u8>,
    status: u16,
    text: &'static str,
}

fn sent(bytes: impl Into<Vec<u8>>, status: u16, text: &'static str) -> Sent {
    Sent { bytes: bytes.into(), status, text }
}

fn get(target: &str, status: u16, text: &'static str) -> Sent {
    sent(format!("GET {target} HTTP/1.1\r\nHost: firm.example\r\n\r\n"), status, text)
}

fn about() -> Sent {
    get("/en/about", 200, "About the firm")
}

/// A request whose body, of an announced length or in chunks, reads like a request.
fn hidden(is_chunked: bool) -> Sent {
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

fn requests() -> impl Strategy<Value = Vec<Sent>> {
    let one = prop_oneof![
        4 => Just(about()),
        2 => Just(sent("HEAD /en/about HTTP/1.1\r\nHost: firm.example\r\n\r\n", 200, "")),
        2 => Just(get(routes::TEAM, 200, "\"locale\":\"en\"")),
        1 => Just(get("/en/nothing", 404, "Nothing here")),
        1 => Just(get("/en/former", 308, "")),
        2 => any::<bool>().prop_map(hidden),
        1 => Just(sent("GET /en HTTP/1.1\nHost: firm.example\n\n", 200, "Home")),
        1 => Just(sent("\r\nGET /en HTTP/1.1\r\nHost: firm.example\r\n\r\n", 200, "Home")),
    ];
    prop::collection::vec(one, 1..12)
}

fn is_answered(connection: &mut Connection, sent: &Sent) -> bool {
    let response = connection.response(sent.bytes.starts_with(b"HEAD")).expect("a response to each");
    response.status == sent.status && response.as_text().contains(sent.text)
}

#[test]
fn each_request_gets_its_own_response_in_whatever_pieces_it_arrives() {
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
