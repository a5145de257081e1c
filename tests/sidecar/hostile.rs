//! Requests of hostile clients. None may hang, crash or reach the disk.

use std::fs;

use contract::routes;
use proptest::prelude::*;
use serde_json::Value;
use tests::{Firm as _, SyntheticFirm};

use crate::{Site, mcp_site::serve_build};

#[test]
fn every_spelling_of_a_path_stays_in_the_build() {
    let site = SyntheticFirm::small().serve();
    fs::write(site.firm.file_path("secret.txt"), "secret").unwrap();
    for target in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/en/..%2fsecret.txt",
        "/en/%2e%2e%2f%2e%2e%2fetc/passwd",
        "/..%5c..%5csecret.txt",
        "/secret.txt",
        "/manifest.json",
        "/en.html",
        "/%00",
        "/en%00",
        "/%ff%fe",
        "/%c0%ae%c0%ae/secret.txt",
        "/%252e%252e/secret.txt",
        "/en%2fabout",
        "/%zz",
    ] {
        let response = site.get(target, &[]);
        assert_eq!(response.status, 404, "{target}");
        assert!(!response.as_text().contains("secret"), "{target}");
    }
    assert_eq!(site.get("/api%2fv1/team", &[]).status, 404);
    assert_eq!(site.get("/api/v1/%2e%2e/x", &[]).error_code(), "not_found");
}

#[test]
fn slow_body_is_answered_with_408() {
    let site = serve_build();
    // In parallel, so that the time-outs overlap.
    let waiting = [routes::MCP, routes::REGISTER, routes::CLAIM, routes::CLAIM_CHALLENGE].map(|target| {
        let mut slow = site.connection();
        let head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 99";
        slow.send(format!("POST {target} HTTP/1.1\r\n{head}\r\n\r\n{{").as_bytes());
        (target, slow)
    });
    for (target, mut slow) in waiting {
        let response = slow.response(false).expect(target);
        assert_eq!(response.status, 408, "{target} {response:?}");
        let body: Value = serde_json::from_slice(&response.body).unwrap();
        assert_eq!(body["error"], "invalid_request", "{target}");
        // The connection ends, since its request has no end.
        assert!(slow.is_closed(), "{target}");
    }
}

#[test]
fn target_that_is_too_long_is_refused() {
    let site = SyntheticFirm::small().serve();
    for target in [format!("/{}", "a".repeat(9_000)), format!("/api/v1/team?x={}", "a".repeat(9_000))] {
        let response = site.get(&target, &[]);
        assert_eq!((response.status, response.error_code().as_str()), (414, "uri_too_long"));
    }
    assert_eq!(site.get(&format!("/{}", "a".repeat(8_000)), &[]).status, 404);
}

#[test]
fn absolute_target_is_read_as_its_path() {
    let site = SyntheticFirm::small().serve();
    assert_eq!(site.get("http://other.example/en/about", &[]).status, 200);
}

#[test]
fn invalid_host_is_refused_on_every_path() {
    let site = serve_build();
    let mut connection = site.connection();
    let mut ask = |target: &str, host: &str| {
        connection.send(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        connection.response(false).unwrap()
    };
    for host in ["a b/c@d", "a/b", "user@firm.example", "firm.example:8x", "[::1", "<a>", "\u{e7}"] {
        for target in
            ["/en/about", "/api/v1/team", "/nothing", routes::MCP, routes::ACCESS, "http://firm.example/en/about"]
        {
            let response = ask(target, host);
            assert_eq!((response.status, response.error_code().as_str()), (400, "invalid_request"), "{target} {host}");
        }
    }
    for host in ["", "firm.example", "[::1]:8080"] {
        assert_eq!(ask("/en/about", host).status, 200, "{host}");
    }
}

#[test]
fn malformed_requests_are_refused_and_the_service_goes_on() {
    let site = SyntheticFirm::small().serve();
    for bytes in [
        &b"\r\n\r\n\0\0\0"[..],
        b"GET\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut connection = site.connection();
        connection.send(bytes);
        connection.send(b"\r\n\r\n");
        let response = connection.response(false).unwrap_or_else(|| panic!("no answer to {bytes:?}"));
        assert_eq!((response.status, response.error_code().as_str()), (400, "invalid_request"), "{bytes:?}");
        assert!(connection.is_closed(), "{bytes:?}");
    }
    assert_eq!(site.get("/en/about", &[]).status, 200);
}

#[test]
fn request_with_too_many_fields_is_refused() {
    let site = SyntheticFirm::small().serve();
    let many: Vec<_> = (0..200).map(|number| format!("X-{number}: y")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert!((400..500).contains(&site.get("/en", &many).status));
    let mut connection = site.connection();
    connection.send(b"GET / HTTP/1.1\r\nHost: a\r\nX: ");
    connection.send(&vec![b'x'; 1 << 20]);
    assert_eq!(connection.response(false).unwrap().status, 431);
}

#[test]
fn unexpected_body_is_ignored_and_ends_the_connection() {
    let site = SyntheticFirm::small().serve();
    let mut connection = site.connection();
    let response = connection.request("GET", "/en/about", &["Content-Length: 1000000"]);
    assert_eq!((response.status, response.header("connection")), (200, Some("close")));
    connection.send(&[b'x'; 4096]);
    assert!(connection.is_closed());
}

#[test]
fn http_1_0_clients_are_answered_and_disconnected() {
    let site = SyntheticFirm::small().serve();
    let mut connection = site.connection();
    connection.send(b"GET /en/about HTTP/1.0\r\n\r\n");
    assert_eq!(connection.response(false).unwrap().status, 200);
    assert!(connection.is_closed());
}

#[test]
fn shutdown_does_not_wait_for_idle_connections() {
    let site = SyntheticFirm::small().serve();
    let mut connection = site.connection();
    assert_eq!(connection.request("GET", "/en/about", &[]).status, 200);
    let _firm = site.end();
    assert!(connection.is_closed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bytes_get_a_response_or_a_closed_connection(bytes in proptest::collection::vec(any::<u8>(), 0..200), target in "[ -~]{0,40}") {
        thread_local! {
            static SITE: Site = SyntheticFirm::small().serve();
        }
        SITE.with(|site| {
            let mut connection = site.connection();
            connection.send(format!("GET /{target} HTTP/1.1\r\nHost: a\r\n").as_bytes());
            connection.send(&bytes);
            connection.send(b"\r\nConnection: close\r\n\r\n");
            if let Some(response) = connection.response(false) {
                assert!(response.status < 500, "{response:?}");
            }
            assert_eq!(site.get("/en/about", &[]).status, 200);
        });
    }
}
