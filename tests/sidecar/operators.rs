//! Health and metrics for operators.

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
