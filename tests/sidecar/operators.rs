//! Health and metrics for operators.

use std::{fs, time::Duration};

use contract::routes;
use sidecar::Config;
use tests::{Connection, Firm as _, SyntheticFirm, eventually};

use crate::agent;

#[test]
fn service_is_alive_and_ready_once_it_answers() {
    let site = SyntheticFirm::small().serve();
    for target in ["/livez", "/readyz"] {
        let response = site.operator(target);
        assert_eq!((response.status, response.as_text()), (200, "ok\n"));
    }
    assert_eq!(site.operator("/en").status, 404);
}

#[test]
fn ending_service_is_alive_but_not_ready() {
    let build = agent::build();
    let config = Config { workers: 1, ..build.config() };
    let site = build.serve_with(config);
    let mut connection = site.connection();
    let (begin, rest) = ("{\"type\"", ": \"anonymous\"}");
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: test.example\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{begin}",
        routes::REGISTER,
        begin.len() + rest.len()
    );
    connection.send(head.as_bytes());
    // There is one worker: when it answers a later connection, it has accepted the unfinished request.
    assert_eq!(site.get("/en", &[]).status, 200);
    site.stop();
    eventually("the announcement", || site.operator("/readyz").status == 503);
    let alive = site.operator("/livez");
    assert_eq!((alive.status, alive.as_text()), (200, "ok\n"));
    connection.send(rest.as_bytes());
    assert_eq!(connection.response(false).unwrap().status, 200);
}

#[test]
fn draining_service_answers_each_connection_once_while_it_is_not_ready() {
    let build = SyntheticFirm::small();
    // Dropping the service asks it to end a second time, which ends the wait.
    let config = Config { drain: Duration::from_mins(1), ..build.config() };
    let site = build.serve_with(config);
    assert_eq!(site.get("/en", &[]).header("connection"), Some("close"), "the client asks for it");
    let mut connection = site.connection();
    let kept = connection.ask("GET", "/en", &[], b"").unwrap();
    assert_eq!((kept.status, kept.header("connection")), (200, None));
    site.stop();
    eventually("the announcement", || site.operator("/readyz").status == 503);
    assert_eq!(site.operator("/readyz/content").as_text(), "the service is ending\n");
    // A connection from before, and a new one.
    for _ in 0..2 {
        let last = connection.ask("GET", "/en", &[], b"").unwrap();
        assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    }
}

#[test]
fn readiness_names_a_lost_build_and_content_stays_ready() {
    let site = SyntheticFirm::small().serve();
    let manifest = site.firm.dist().join("manifest.json");
    let aside = manifest.with_extension("aside");
    fs::rename(&manifest, &aside).unwrap();
    let response = site.operator("/readyz");
    let text = response.as_text();
    assert!(response.status == 503 && text.starts_with("build: ") && text.lines().count() == 1, "{text}");
    for target in ["/readyz/content", "/readyz/store", "/livez"] {
        assert_eq!(site.operator(target).as_text(), "ok\n", "{target}");
    }
    assert_eq!(site.get("/en", &[]).status, 200);
    fs::rename(&aside, &manifest).unwrap();
    assert_eq!(site.operator("/readyz").status, 200);
}

#[test]
fn admin_address_answers_to_addresses_names_without_a_dot_and_listed_names_only() {
    let build = SyntheticFirm::small();
    let config = Config { admin_hosts: vec!["one.internal.example".to_owned()], ..build.config() };
    let site = build.serve_with(config);
    let status = |hosts: &[&str]| {
        let lines: Vec<_> = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        let lines = lines.concat();
        let mut connection = Connection::open(site.admin_address());
        connection.send(format!("GET /livez HTTP/1.1\r\n{lines}Connection: close\r\n\r\n").as_bytes());
        connection.response(false).unwrap().status
    };
    for host in ["127.0.0.1:8081", "[::1]", "10.1.2.3", "localhost:1", "sidecar-1:8081", "One.Internal.Example:8081"] {
        assert_eq!(status(&[host]), 200, "{host}");
    }
    for host in
        ["firm.example", "127.0.0.1.evil.example", "two.internal.example:8081", "", "one.internal.example.evil.example"]
    {
        assert_eq!(status(&[host]), 403, "{host}");
    }
    assert_ne!(status(&["sidecar-1", "firm.example"]), 200);
}

#[test]
fn requests_are_counted_by_class_and_status() {
    let site = SyntheticFirm::small().serve();
    site.get(routes::TEAM, &[]);
    site.get(routes::TEAM, &[]);
    site.get(routes::TEAM, &["X-Api-Key: wrong"]);
    site.get("/nothing", &[]);
    site.get("/en/former", &[]);
    assert_eq!(site.get("/en/about/", &[]).status, 308);
    let bytes = site.get("/en/about", &[]).body.len();
    assert_eq!(site.head("/en/about", &[]).status, 200);
    let connections = [site.address(); 2].map(Connection::open);
    eventually("that only these are open", || site.metrics().contains("mecelle_open_connections 2\n"));
    drop(connections);
    eventually("that none is open", || site.metrics().contains("mecelle_open_connections 0\n"));
    let metrics = site.operator("/metrics");
    for line in [
        "mecelle_requests_total{class=\"api\",status=\"200\"} 2\n",
        "mecelle_requests_total{class=\"api\",status=\"401\"} 1\n",
        "mecelle_requests_total{class=\"none\",status=\"404\"} 1\n",
        "mecelle_requests_total{class=\"redirect\",status=\"308\"} 2\n",
        "mecelle_request_duration_seconds_count{class=\"api\"} 3\n",
        "mecelle_request_duration_seconds_bucket{class=\"api\",le=\"+Inf\"} 3\n",
        "mecelle_response_size_bytes_count{class=\"page\"} 2\n",
        &format!("mecelle_response_size_bytes_sum{{class=\"page\"}} {bytes}\n"),
        "mecelle_budget_exhausted_total{kind=\"letter\"} 0\n",
        "mecelle_mail_waiting 0\n",
        "# TYPE process_cpu_seconds_total counter\n",
        &format!("mecelle_build_info{{build=\"{}\"}} 1\n", site.build()),
    ] {
        assert!(metrics.as_text().contains(line), "{line} is not in\n{}", metrics.as_text());
    }
}

#[test]
fn operator_endpoints_are_not_public() {
    let site = SyntheticFirm::small().serve();
    for target in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(site.get(target, &[]).status, 404);
    }
}
