//! Credentials: their access, their end, and an unreachable store.

use contract::routes;
use serde_json::json;
use sidecar::{Clock, Dependencies, Entropy};
use tests::{Firm as _, KEY, LIST_CACHE, Reply, Service};

use crate::agent::build;

#[test]
fn revoked_credential_is_refused_on_the_very_next_call() {
    let site = build().serve();
    for kind in ["api_key", "access_token"] {
        let registered = site.register_as(&json!({"type": "anonymous", "requested_credential_type": kind}));
        let credential = &registered["credential"];
        assert_eq!((&registered["credential_type"], site.try_credential(credential)), (&json!(kind), 200));
        for _ in 0..2 {
            let body = format!("token={}&token_type_hint=nonsense", credential.as_str().unwrap());
            let response = site.post_form(routes::REVOKE, &body);
            assert_eq!((response.status, response.body.len()), (200, 0));
            assert_eq!(site.try_credential(credential), 401);
        }
        assert_eq!(site.redeem(&registered["claim_token"]).status_and_error(), (400, "invalid_grant".to_owned()));
    }
    assert_eq!(site.post_form(routes::REVOKE, "token=unknown").status, 200);
    assert_eq!(site.post_form(routes::REVOKE, "x=y").status_and_error(), (400, "invalid_request".to_owned()));
}

#[test]
fn credentials_expire_by_the_clock() {
    let clock = Clock::manual();
    let build = build();
    let config = build.config();
    let parts = Dependencies { clock: clock.clone(), entropy: Entropy::seeded(7) };
    let site = Service::start(build, config, parts);
    let token = site.register_as(&json!({"type": "anonymous", "requested_credential_type": "access_token"}));
    let key = site.register_as(&json!({"type": "anonymous", "requested_credential_type": "api_key"}));
    assert_eq!(token["credential_expires"], "2026-01-01T01:00:00.000Z");
    assert_eq!(key["credential_expires"], "2026-01-02T00:00:00.000Z");
    clock.advance(std::time::Duration::from_secs(3599));
    assert_eq!(site.try_credential(&token["credential"]), 200);
    clock.advance(std::time::Duration::from_secs(1));
    assert_eq!((site.try_credential(&token["credential"]), site.try_credential(&key["credential"])), (401, 200));
    clock.advance(std::time::Duration::from_hours(23));
    assert_eq!(site.try_credential(&key["credential"]), 401);
    assert_eq!(site.redeem(&key["claim_token"]).status_and_error(), (400, "expired_token".to_owned()));
    assert_eq!(
        site.claim(&key["claim_token"], "a@person.example").status_and_error(),
        (410, "claim_expired".to_owned())
    );
}

#[test]
fn response_to_an_issued_credential_is_not_stored() {
    let site = build().serve();
    let line = format!("Authorization: Bearer {}", site.register()["credential"].as_str().unwrap());
    let sandbox = format!("Authorization: Bearer {KEY}");
    let tag = format!("If-None-Match: {}", site.get(routes::TEAM, &[]).header("etag").unwrap());
    for (status, more) in [(200, vec![]), (304, vec![tag.as_str()])] {
        let answer = |line: &str| site.get(routes::TEAM, &[&[line], more.as_slice()].concat());
        let held = answer(&line);
        assert_eq!((held.status, held.header("cache-control")), (status, Some("private, no-cache")));
        for other in [answer("Accept: */*"), answer(&sandbox)] {
            assert_eq!((other.status, other.header("cache-control")), (status, Some(LIST_CACHE)));
            // Otherwise, except for fields of the moment, the response is the same.
            let rest = |response: &Reply| {
                let of_the_moment = ["cache-control", "date", "x-request-id", "ratelimit", "ratelimit-policy"];
                let mut fields = response.headers.clone();
                fields.retain(|(name, _)| !of_the_moment.contains(&name.as_str()));
                // Fields of different names have no order (RFC 9110, 5.3).
                fields.sort();
                (fields, response.body.clone())
            };
            assert_eq!(rest(&held), rest(&other));
        }
    }
    for path in [routes::HEALTH, "/api/v1/nothing"] {
        assert_eq!(site.get(path, &[&line]).header("cache-control"), Some("no-store"), "{path}");
    }
}

#[test]
fn issued_credential_belongs_in_the_authorization_field_and_nowhere_else() {
    let site = build().serve();
    let credential = site.register()["credential"].as_str().unwrap().to_owned();
    let try_with = |lines: &[&str]| site.get(routes::TEAM, lines).status;
    assert_eq!(try_with(&[&format!("X-Api-Key: {credential}")]), 401);
    assert_eq!(try_with(&[&format!("Authorization: Bearer {credential}"), &format!("X-Api-Key: {KEY}")]), 200);
    assert_eq!(try_with(&[&format!("Authorization: Bearer {credential}"), &format!("X-Api-Key: {credential}")]), 200);
    assert_eq!(try_with(&[&format!("Authorization: Bearer {credential}"), "X-Api-Key: wrong"]), 401);
    let other = format!("ak_{}", "0".repeat(27));
    assert_eq!(
        try_with(&[&format!("Authorization: Bearer {credential}"), &format!("Authorization: Bearer {other}")]),
        401
    );
    let refused = site.get(routes::TEAM, &[&format!("Authorization: Bearer {other}")]);
    assert_eq!((refused.status, refused.error_code().as_str()), (401, "invalid_api_key"));
    assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer resource_metadata="));
}

#[test]
fn credential_changes_only_the_limit_of_a_response() {
    let site = build().serve();
    let line = format!("Authorization: Bearer {}", site.register()["credential"].as_str().unwrap());
    let (with, without) = (site.get(routes::TEAM, &[&line]), site.get(routes::TEAM, &[]));
    assert_eq!((with.body, with.status), (without.body, without.status));
    assert_eq!(site.request("HEAD", routes::TEAM, &[&line]).status, 200);
    assert_eq!(site.request("POST", routes::TEAM, &[&line, "Content-Length: 0"]).status, 405);
    assert_eq!(site.get("/api/v1/unknown", &[&line]).status, 404);
    assert_eq!(site.get(&format!("{}?locale=xx", routes::TEAM), &[&line]).status, 400);
}
