//! Endpoints that are not built yet.

use contract::routes;

use crate::fixture::Build;

const POSTED: [&str; 7] = [
    routes::MCP,
    routes::REGISTER,
    routes::CLAIM,
    routes::CLAIM_COMPLETE,
    routes::PROVIDER_REVOKE,
    routes::TOKEN,
    routes::REVOKE,
];

#[test]
fn what_is_not_built_is_unavailable_and_says_when_to_try_again() {
    let site = Build::small().serve();
    let target = routes::MCP;
    let response = site.request("POST", target, &["Content-Length: 0"]);
    assert_eq!((response.status, response.error_code().as_str()), (503, "unavailable"), "{target}");
    assert!(response.field("retry-after").unwrap().parse::<u32>().is_ok());
}

#[test]
fn what_is_posted_is_not_read() {
    let site = Build::small().serve();
    for target in POSTED {
        for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
            let response = site.request(method, target, &[]);
            assert_eq!((response.status, response.field("allow")), (405, Some("POST, OPTIONS")), "{method} {target}");
        }
    }
}

#[test]
fn scripts_may_ask_whether_they_may_post() {
    let site = Build::small().serve();
    let lines = ["Origin: https://app.example", "Access-Control-Request-Method: POST"];
    let response = site.request("OPTIONS", routes::MCP, &lines);
    assert_eq!((response.status, response.field("access-control-allow-methods")), (204, Some("POST")));
    let response = site.request("OPTIONS", routes::ACCESS, &lines);
    assert_eq!((response.status, response.field("access-control-allow-origin")), (204, None), "forms are for people");
}
