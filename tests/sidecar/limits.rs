//! Limits per client.

use std::{num::NonZeroU32, time::Duration};

use contract::routes;
use sidecar::{Clock, Config, EdgeSecret, LimitSettings, Network};
use tests::{Firm as _, SyntheticFirm};

use crate::Site;

fn limited_site(quota: u32, change: impl FnOnce(&mut Config)) -> (Site, Clock) {
    let build = SyntheticFirm::small();
    let mut config = build.config();
    config.limits =
        LimitSettings { content_per_minute: NonZeroU32::new(quota).unwrap(), loopback: true, ..config.limits };
    change(&mut config);
    let clock = Clock::manual();
    (build.serve_by(config, &clock), clock)
}

#[test]
fn request_for_an_unknown_path_counts() {
    let (site, _) = limited_site(2, |_| {});
    for (left, wait) in [(1, 30), (0, 60)] {
        let state = format!("\"content\";r={left};t={wait}");
        assert_eq!(site.get("/api/v1/nothing", &[]).header("ratelimit"), Some(state.as_str()));
    }
    assert_eq!(site.get(routes::TEAM, &[]).status, 429);
}

#[test]
fn preflight_is_answered_over_the_limit() {
    let (site, _) = limited_site(1, |_| {});
    let preflight = ["Origin: https://app.example", "Access-Control-Request-Method: GET"];
    for left in [200, 429] {
        assert_eq!(site.request("OPTIONS", routes::TEAM, &preflight).status, 204, "and it counts for nothing");
        let response = site.get(routes::TEAM, &preflight[..1]);
        assert_eq!((response.status, response.header("access-control-allow-origin")), (left, Some("*")));
    }
}

#[test]
fn pages_are_not_limited() {
    let (site, _) = limited_site(1, |_| {});
    for _ in 0..5 {
        let response = site.get("/en/about", &[]);
        assert_eq!((response.status, response.header("ratelimit")), (200, None));
    }
}

#[test]
fn client_behind_a_trusted_proxy_has_its_own_quota() {
    let (site, _) = limited_site(1, |config| config.trusted_proxies = vec![Network::parse("127.0.0.0/8").unwrap()]);
    for client in ["203.0.113.1", "203.0.113.2", "2001:db8::1"] {
        let line = format!("X-Forwarded-For: {client}");
        assert_eq!(site.get(routes::TEAM, &[&line]).status, 200, "{client}");
        assert_eq!(site.get(routes::TEAM, &[&line]).status, 429, "{client}");
    }
    assert_eq!(site.get(routes::TEAM, &["X-Forwarded-For: 2001:db8::2"]).status, 429, "the same network");
}

#[test]
fn forged_client_address_is_ignored() {
    let (site, _) = limited_site(1, |_| {});
    assert_eq!(site.get(routes::TEAM, &["X-Forwarded-For: 203.0.113.1"]).status, 200);
    assert_eq!(site.get(routes::TEAM, &["X-Forwarded-For: 203.0.113.2"]).status, 429);
}

/// The shared secret of sidecar and edge module.
const SECRET: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn client_behind_an_edge_with_the_secret_has_its_own_quota() {
    let (site, _) = limited_site(1, |config| config.edge_secret = EdgeSecret::parse(SECRET));
    for client in ["203.0.113.1", "203.0.113.2", "2001:db8::1"] {
        let line = format!("X-Mecelle-Edge: {SECRET} {client}");
        // `X-Forwarded-For` names the edge, not the client.
        let lines = [line.as_str(), "X-Forwarded-For: 198.51.100.7"];
        assert_eq!(site.get(routes::TEAM, &lines).status, 200, "{client}");
        assert_eq!(site.get(routes::TEAM, &lines).status, 429, "{client}");
    }
}

#[test]
fn client_address_is_ignored_without_the_edge_secret() {
    let (site, _) = limited_site(1, |config| config.edge_secret = EdgeSecret::parse(SECRET));
    assert_eq!(site.get(routes::TEAM, &[]).status, 200);
    let wrong = SECRET.replace('f', "e");
    for (number, value) in [
        "203.0.113.1".to_owned(),
        " 203.0.113.2".to_owned(),
        format!("{wrong} 203.0.113.3"),
        format!("{} 203.0.113.4", &SECRET[..31]),
        format!("{SECRET}0 203.0.113.5"),
        format!("{SECRET}203.0.113.6"),
        SECRET.to_owned(),
        format!("{SECRET} unknown"),
        format!("{SECRET} 203.0.113.7, 203.0.113.8"),
    ]
    .into_iter()
    .enumerate()
    {
        let lines = [format!("X-Mecelle-Edge: {value}"), format!("X-Forwarded-For: 198.51.100.{number}")];
        assert_eq!(site.get(routes::TEAM, &[&lines[0], &lines[1]]).status, 429, "{value}");
    }
    let twice = [9, 10].map(|number| format!("X-Mecelle-Edge: {SECRET} 203.0.113.{number}"));
    assert_eq!(site.get(routes::TEAM, &[&twice[0], &twice[1]]).status, 429, "one of them may be the client's");
    let (site, _) = limited_site(1, |_| {});
    let value = [11, 12].map(|number| format!("X-Mecelle-Edge: {SECRET} 203.0.113.{number}"));
    assert_eq!(value.map(|line| site.get(routes::TEAM, &[&line]).status), [200, 429], "no secret was set");
}

#[test]
fn loopback_is_not_limited_by_default() {
    let (site, _) = limited_site(1, |config| config.limits.loopback = false);
    for _ in 0..5 {
        let response = site.get(routes::TEAM, &[]);
        assert_eq!((response.status, response.header("ratelimit")), (200, Some("\"content\";r=1;t=0")));
    }
}

#[test]
fn registration_responses_have_their_own_limit() {
    let (site, clock) = limited_site(2, |config| config.limits.registration_per_minute = NonZeroU32::new(3).unwrap());
    let none = serde_json::json!({});
    // For agents and people, for success and refusal.
    for (response, status, state) in [
        (site.post_json(routes::REGISTER, &none), 400, "\"registration\";r=2;t=20"),
        (site.post_form(routes::TOKEN, "grant_type=password"), 400, "\"registration\";r=1;t=40"),
        (site.get(routes::ACCESS, &[]), 200, "\"registration\";r=0;t=60"),
        (site.post_json(routes::REGISTER, &none), 429, "\"registration\";r=0;t=20"),
        (site.post_form(routes::REVOKE, "token=x"), 429, "\"registration\";r=0;t=20"),
        (site.get(routes::ACCESS, &[]), 429, "\"registration\";r=0;t=20"),
    ] {
        assert_eq!((response.status, response.header("ratelimit")), (status, Some(state)));
        assert_eq!(response.header("ratelimit-policy"), Some("\"registration\";q=3;w=60"));
        assert_eq!(response.header("retry-after"), (status == 429).then_some("20"));
    }
    clock.advance(Duration::from_secs(20));
    assert_eq!(site.post_json(routes::REGISTER, &none).status, 400);
}
