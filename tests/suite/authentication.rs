//! Specification, "Authentication: Content API and MCP": the sandbox key, and what does not count as a credential.

use contract::routes;
use serde_json::json;
use tests::{Agent as _, JSON, Service, fixture};

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

/// Clients that are generated from the description send these if they have no key.
#[test]
fn empty_credential_is_no_credential() {
    let service = fixture();
    let sandbox = format!("X-Api-Key: {}", key(&service));
    let mcp = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let listed = service.post(routes::MCP, &[JSON], &mcp).text();
    for lines in [
        vec!["Authorization:"],
        vec!["Authorization: "],
        vec!["Authorization: Bearer"],
        vec!["Authorization: bearer  "],
        vec!["X-Api-Key:"],
        vec!["X-Api-Key: ", "Authorization: Bearer "],
        vec!["Authorization: Bearer ", sandbox.as_str()],
    ] {
        for operation in routes::OPERATIONS {
            let (reply, none) = (service.get(operation.path, &lines), service.get(operation.path, &[]));
            assert_eq!((reply.status, &reply.body), (200, &none.body), "{lines:?} {}", operation.path);
        }
        let reply = service.post(routes::MCP, &[&[JSON], &lines[..]].concat(), &mcp);
        assert_eq!((reply.status, reply.text()), (200, listed.clone()), "{lines:?}");
    }
}

#[test]
fn issued_credential_in_the_field_of_the_sandbox_key_is_sent_to_the_right_one() {
    let service = fixture();
    let registered = service.connection().register().unwrap();
    let credential = registered.text_of("credential");
    let refused = service.get(routes::TEAM, &[&format!("X-Api-Key: {credential}")]);
    refused.assert_refused(401, "invalid_api_key");
    let resolution = refused.text_of("resolution");
    assert!(
        resolution.starts_with("Send a credential that was issued to you as `Authorization: Bearer`"),
        "{resolution}"
    );
    // That is what helps: the credential is good.
    assert_eq!(service.get(routes::TEAM, &[&format!("Authorization: Bearer {credential}")]).status, 200);
}

#[test]
fn agent_sees_the_registration_of_its_credential() {
    let service = fixture();
    let registered = service.connection().register().unwrap();
    let own = format!("Authorization: Bearer {}", registered.text_of("credential"));
    let reply = service.get(routes::REGISTRATION, &[&own]);
    let expected = json!({
        "registration_id": registered.text_of("registration_id"), "state": "unclaimed", "claimed": false,
        "credential_expires": registered.text_of("credential_expires"), "scopes": registered.json()["scopes"],
    });
    assert_eq!((reply.status, reply.json()), (200, expected));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    for lines in [vec![], vec![format!("X-Api-Key: {}", key(&service))], vec!["Authorization: Bearer wrong".to_owned()]]
    {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let refused = service.get(routes::REGISTRATION, &lines);
        refused.assert_refused(401, "invalid_api_key");
        assert!(refused.header("www-authenticate").is_some(), "{lines:?}");
    }
    let posted = service.post(routes::REGISTRATION, &[&own], "");
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD")));
}

#[test]
fn invalid_credential_is_refused_for_public_content() {
    let service = fixture();
    let key = key(&service);
    let wrong = [
        vec!["X-Api-Key: wrong".to_owned()],
        vec![format!("X-Api-Key: {key}x")],
        vec![format!("X-Api-Key: {}", key.to_uppercase())],
        vec!["Authorization: Bearer wrong".to_owned()],
        vec!["Authorization: Basic".to_owned()],
        vec!["Authorization: Basic ".to_owned()],
        vec!["Authorization:".to_owned(), "X-Api-Key: wrong".to_owned()],
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
