//! Codings, entity tags and conditions.

use std::collections::HashSet;

use contract::routes;
use tests::{Firm as _, SyntheticFirm, sha256};

#[test]
fn each_coding_has_its_own_bytes_and_its_own_tag() {
    let site = SyntheticFirm::small().serve();
    let mut tags = HashSet::new();
    for (accept, coding) in [("identity", None), ("br", Some("br")), ("zstd", Some("zstd")), ("gzip", Some("gzip"))] {
        let response = site.get(routes::TEAM, &[&format!("Accept-Encoding: {accept}")]);
        assert_eq!(response.header("content-encoding"), coding);
        assert_eq!(response.as_text().starts_with(&format!("{accept}(")), coding.is_some());
        let tag = response.header("etag").unwrap().to_owned();
        assert_eq!(tag, format!("\"{}\"", &sha256(&response.body).0[..32]));
        assert_eq!(response.header("content-length"), Some(response.body.len().to_string().as_str()));
        tags.insert(tag);
    }
    assert_eq!(tags.len(), 4);
}

#[test]
fn vary_names_only_what_varies() {
    let site = SyntheticFirm::small().serve();
    for (target, vary) in [
        (routes::TEAM, Some("Accept-Encoding, Authorization, X-Api-Key")),
        (routes::HEALTH, Some("Authorization, X-Api-Key")),
        (routes::API_CATALOG, None),
        ("/en/about", Some("Accept, Accept-Encoding")),
        ("/en/about.md", Some("Accept-Encoding")),
        ("/nothing", Some("Accept, Accept-Encoding")),
    ] {
        assert_eq!(site.get(target, &[]).header("vary"), vary, "{target}");
    }
}

#[test]
fn refusal_ignores_conditional_headers() {
    let site = SyntheticFirm::small().serve();
    assert_eq!(site.get(routes::TEAM, &["If-None-Match: *", "X-Api-Key: wrong"]).status, 401);
    assert_eq!(site.get("/api/v1/nothing", &["If-None-Match: *"]).status, 404);
}

#[test]
fn not_modified_page_has_content_location() {
    let site = SyntheticFirm::small().serve();
    let response = site.get("/en/about", &["If-None-Match: *", "Accept: text/markdown"]);
    assert_eq!(response.status, 304);
    assert_eq!(response.header("content-location"), Some("/en/about.md"));
    assert_eq!(response.header("vary"), Some("Accept, Accept-Encoding"));
}
