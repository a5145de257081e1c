//! Specification, "Versioning": one prefix, one version of the description, and no other selection.

use contract::routes;
use tests::{SITE_URL, demonstration};

const PREFIX: &str = "/api/v1";

#[test]
fn path_prefix_is_api_v1_and_the_description_is_version_1_0_0() {
    let service = demonstration();
    let document = service.get("/api/v1/openapi.json", &[]).json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    assert_eq!(document["info"]["version"], "1.0.0");
    let servers = document["servers"].as_array().unwrap();
    assert_eq!((servers.len(), &servers[0]["url"]), (1, &format!("{SITE_URL}{PREFIX}").into()));
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths.len(), 6);
    for path in paths {
        assert_eq!(service.get(&format!("{PREFIX}{path}"), &[]).status, 200, "{path}");
    }
}

#[test]
fn version_is_selected_by_the_prefix_and_the_others_do_not_exist() {
    let service = demonstration();
    for prefix in ["/api/v2", "/api/v0", "/api/v1.0", "/api/v01", "/api/1", "/api"] {
        for path in ["", "/team", "/health", "/openapi.json"] {
            service.get(&format!("{prefix}{path}"), &[]).assert_refused(404, "not_found");
        }
    }
    // Paths outside the API are pages.
    for path in ["/team", "/API/v1/team", "/v1/team"] {
        let reply = service.get(path, &[]);
        assert_eq!((reply.status, reply.header("content-type")), (404, Some("text/html; charset=utf-8")), "{path}");
    }
}

#[test]
fn versions_are_selected_by_the_prefix_only() {
    let service = demonstration();
    let plain = service.get(routes::TEAM, &[]);
    for line in [
        "Accept: application/json; version=2",
        "Accept: application/vnd.mecelle.v2+json, */*",
        "Accept-Version: 2.0.0",
        "API-Version: 2",
        "X-API-Version: 2",
    ] {
        let reply = service.get(routes::TEAM, &[line]);
        assert_eq!((reply.status, reply.header("etag")), (200, plain.header("etag")), "{line}");
    }
    for query in ["version=2", "api-version=2.0.0", "v=2"] {
        let reply = service.get(&format!("{}?{query}", routes::TEAM), &[]);
        assert_eq!((reply.status, &reply.body), (200, &plain.body), "{query}");
    }
    // No deprecation is announced.
    for name in ["deprecation", "sunset"] {
        assert_eq!(plain.header(name), None, "{name}");
    }
}

#[test]
fn documents_name_the_api_with_its_prefix() {
    let service = demonstration();
    let (base, api) = (format!("{SITE_URL}{PREFIX}"), format!("{SITE_URL}/api"));
    let catalog = service.get(routes::API_CATALOG, &[]).json();
    assert_eq!(catalog["linkset"][1]["anchor"], base.as_str());
    assert_eq!(service.get(routes::PROTECTED_RESOURCE_API, &[]).text_of("resource"), base);
    for path in [routes::AUTH_MD, routes::LLMS_TXT] {
        let text = service.get(path, &[]).text();
        let mut named = text.match_indices(&api).peekable();
        assert!(named.peek().is_some(), "{path}");
        assert!(named.all(|(at, _)| text[at..].starts_with(&base)), "{path}");
    }
}
