//! Codings, entity tags and conditions (contract, section 2).

use std::collections::HashSet;

use contract::routes;

use crate::fixture::{Build, LIST_CACHE, digest};

#[test]
fn each_coding_has_its_own_bytes_and_its_own_tag() {
    let site = Build::small().serve();
    let mut tags = HashSet::new();
    for (accept, coding) in [("identity", None), ("br", Some("br")), ("zstd", Some("zstd")), ("gzip", Some("gzip"))] {
        let response = site.get_with(routes::TEAM, &[&format!("Accept-Encoding: {accept}")]);
        assert_eq!(response.header("content-encoding"), coding);
        assert_eq!(response.as_text().starts_with(&format!("{accept}(")), coding.is_some());
        let tag = response.header("etag").unwrap().to_owned();
        assert_eq!(tag, format!("\"{}\"", &digest(&response.body).0[..32]));
        tags.insert(tag);
    }
    assert_eq!(tags.len(), 4);
}

#[test]
fn coding_follows_the_weights() {
    let site = Build::small().serve();
    for (accept, coding) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("gzip;q=1, br;q=0.5", Some("gzip")),
        ("*", Some("br")),
        ("identity;q=0, zstd;q=0.1", Some("zstd")),
        ("identity;q=0", None),
        ("deflate", None),
    ] {
        let response = site.get_with("/assets/site.0123.css", &[&format!("Accept-Encoding: {accept}")]);
        assert_eq!((response.status, response.header("content-encoding")), (200, coding), "{accept}");
    }
}

#[test]
fn vary_names_only_what_varies() {
    let site = Build::small().serve();
    for (target, vary) in [
        (routes::TEAM, Some("Accept-Encoding, Authorization, X-Api-Key")),
        (routes::HEALTH, Some("Authorization, X-Api-Key")),
        (routes::API_CATALOG, None),
        ("/en/about", Some("Accept, Accept-Encoding")),
        ("/en/about.md", Some("Accept-Encoding")),
        ("/nothing", Some("Accept, Accept-Encoding")),
    ] {
        assert_eq!(site.get(target).header("vary"), vary, "{target}");
    }
}

#[test]
fn representation_that_the_client_has_is_not_sent_again() {
    let site = Build::small().serve();
    let tag = site.get(routes::TEAM).header("etag").unwrap().to_owned();
    for field in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
        let response = site.get_with(routes::TEAM, &[&format!("If-None-Match: {field}")]);
        assert_eq!(response.status, 304, "{field}");
        assert!(response.body.is_empty());
        assert_eq!(response.header("etag"), Some(tag.as_str()));
        assert_eq!(response.header("cache-control"), Some(LIST_CACHE));
        assert_eq!(response.header("vary"), Some("Accept-Encoding, Authorization, X-Api-Key"));
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert!(response.header("date").is_some() && response.header("x-request-id").is_some());
    }
    let line = format!("If-None-Match: {tag}");
    assert_eq!(site.get_with(routes::TEAM, &[&line, "Accept-Encoding: br"]).status, 200, "another coding");
    assert_eq!(site.get_with("/api/v1/team?locale=tr", &[&line]).status, 200, "another variant");
    assert_eq!(site.request("HEAD", routes::TEAM, &[&line]).status, 304);
}

#[test]
fn condition_does_not_hide_a_refusal() {
    let site = Build::small().serve();
    assert_eq!(site.get_with(routes::TEAM, &["If-None-Match: *", "X-Api-Key: wrong"]).status, 401);
    assert_eq!(site.get_with("/api/v1/nothing", &["If-None-Match: *"]).status, 404);
}

#[test]
fn page_not_modified_says_where_it_is() {
    let site = Build::small().serve();
    let response = site.get_with("/en/about", &["If-None-Match: *", "Accept: text/markdown"]);
    assert_eq!(response.status, 304);
    assert_eq!(response.header("content-location"), Some("/en/about.md"));
    assert_eq!(response.header("vary"), Some("Accept, Accept-Encoding"));
}

#[test]
fn assets_are_immutable() {
    let site = Build::small().serve();
    let response = site.get("/assets/site.0123.css");
    assert_eq!(response.header("cache-control"), Some("public, max-age=31536000, immutable"));
}
