//! Specification, "Authentication: Content API and MCP": the sandbox key, and what does not count as a credential.

use contract::routes;
use tests::{Service, fixture};

fn key(service: &Service) -> String {
    service.firm.manifest().sandbox_key
}

fn challenge() -> String {
    format!(
        "Bearer resource_metadata=\"{}{}\", error=\"invalid_token\", \
         error_description=\"The credential that was sent is not valid.\", scope=\"content.read mcp.read\"",
        tests::SITE_URL,
        routes::PROTECTED_RESOURCE
    )
}

#[test]
fn public_content_needs_no_credential_and_the_sandbox_key_changes_nothing() {
    let service = fixture();
    let key = key(&service);
    for operation in routes::OPERATIONS {
        let none = service.get(operation.path, &[]);
        let bearer = service.get(operation.path, &[&format!("Authorization: Bearer {key}")]);
        let lower = service.get(operation.path, &[&format!("authorization: bearer {key}")]);
        let header = service.get(operation.path, &[&format!("X-Api-Key: {key}")]);
        let both =
            service.get(operation.path, &[&format!("X-Api-Key: {key}"), &format!("Authorization: Bearer {key}")]);
        for reply in [&bearer, &lower, &header, &both] {
            assert_eq!((reply.status, &reply.body), (200, &none.body), "{}", operation.path);
            assert_eq!(reply.header("etag"), none.header("etag"));
        }
    }
}

#[test]
fn invalid_credential_is_refused_for_public_content() {
    let service = fixture();
    let key = key(&service);
    let wrong = [
        vec!["X-Api-Key: wrong".to_owned()],
        vec!["X-Api-Key:".to_owned()],
        vec![format!("X-Api-Key: {key}x")],
        vec![format!("X-Api-Key: {}", key.to_uppercase())],
        vec!["Authorization: Bearer wrong".to_owned()],
        vec!["Authorization: Bearer".to_owned()],
        vec!["Authorization: Bearer ".to_owned()],
        vec!["Authorization:".to_owned()],
        vec![format!("Authorization: Basic {key}")],
        vec![format!("Authorization: {key}")],
        vec![format!("Authorization: Bearer {key} {key}")],
        vec![format!("Authorization: Bearer {key}"), "X-Api-Key: wrong".to_owned()],
        vec![format!("X-Api-Key: {key}"), "Authorization: Bearer wrong".to_owned()],
        vec![format!("X-Api-Key: {key}"), "X-Api-Key: wrong".to_owned()],
        vec![format!("Authorization: Bearer {key}"), "Authorization: Bearer wrong".to_owned()],
        vec!["Authorization: Bearer at_0123456789abcdefghijABCDEFGHIJ".to_owned()],
        vec!["X-Api-Key: ak_0123456789abcdefghijABCDEFGHIJ".to_owned()],
    ];
    for lines in &wrong {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let nothing = ["/api/v1/nothing", "/api/v1/team/", "/api/v1/team?locale=xx"];
        for path in [routes::TEAM, routes::HEALTH, routes::API_OPENAPI, routes::OPENAPI].iter().chain(&nothing) {
            let reply = service.get(path, &lines);
            assert_eq!((reply.status, reply.error_code().as_str()), (401, "invalid_api_key"), "{lines:?} on {path}");
            assert_eq!(reply.header("www-authenticate"), Some(challenge().as_str()));
        }
    }
}

#[test]
fn refusal_does_not_repeat_the_credential() {
    let service = fixture();
    let reply = service.get(routes::TEAM, &["Authorization: Bearer at_secretsecretsecret"]);
    assert!(!reply.text().contains("secretsecret"));
    assert!(reply.headers.iter().all(|(_, value)| !value.contains("secretsecret")));
}

#[test]
fn pages_and_discovery_need_no_credential() {
    let service = fixture();
    assert_eq!(service.get("/en", &["Authorization: Basic abc"]).status, 200);
    assert_eq!(service.get(routes::API_CATALOG, &["Authorization: Bearer wrong"]).status, 200);
}

#[test]
fn post_endpoints_refuse_reads() {
    let service = fixture();
    let endpoints = [
        routes::MCP,
        routes::REGISTER,
        routes::CLAIM,
        routes::CLAIM_COMPLETE,
        routes::IDENTITY,
        routes::IDENTITY_CLAIM,
        routes::IDENTITY_COMPLETE,
        routes::PROVIDER_REVOKE,
        routes::TOKEN,
        routes::REVOKE,
        routes::CLAIM_CHALLENGE,
        routes::CLAIM_DENY,
        routes::ACCESS_REVOKE,
    ];
    for path in endpoints {
        let get = service.get(path, &[]);
        assert_eq!((get.status, get.header("allow")), (405, Some("POST, OPTIONS")), "{path}");
    }
    for path in [routes::ACCESS, routes::ACCESS_VIEW, routes::MAIL_STOP, routes::CLAIM_VIEW, routes::AUTHORIZE] {
        let page = service.get(path, &[]);
        assert!(page.header("content-type").is_some_and(|kind| kind.starts_with("text/html")), "{path}");
        // Only the access page, which contains no secret, lets its form send the origin.
        let policy = if path == routes::ACCESS { "same-origin" } else { "no-referrer" };
        assert_eq!(page.header("referrer-policy"), Some(policy), "{path}");
        assert!(page.text().contains(&format!("name=\"referrer\" content=\"{policy}\"")), "{path}");
    }
}
