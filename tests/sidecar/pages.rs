//! Pages, redirects and error pages, as the manifest describes them.
use tests::{Firm as _, SITE, SyntheticFirm};

#[test]
fn html_and_markdown_name_their_media_type() {
    let site = SyntheticFirm::small().serve();
    let html = site.get("/en/about", &[]);
    assert_eq!(html.header("content-location"), Some("/en/about"));
    assert_eq!(html.header("content-language"), Some("en"));
    assert_eq!(html.header("link"), Some("</en/about.md>; rel=\"alternate\"; type=\"text/markdown\""));
    assert_eq!(html.header("content-security-policy"), Some("default-src 'self'"));
    assert_eq!(html.header("access-control-allow-origin"), None);
    let markdown = site.get("/en/about", &["Accept: text/markdown"]);
    assert_eq!(markdown.header("content-location"), Some("/en/about.md"));
    assert_eq!(markdown.header("x-markdown-tokens"), Some("7"));
    assert_eq!(markdown.header("link"), None);
}

#[test]
fn not_acceptable_lists_the_variants() {
    let site = SyntheticFirm::small().serve();
    let response = site.get("/en/about", &["Accept: application/json"]);
    assert_eq!(response.status, 406);
    assert_eq!(response.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(response.header("vary"), Some("Accept"));
    assert_eq!((response.header("cache-control"), response.header("content-language")), (Some("no-store"), Some("en")));
    assert_eq!(
        response.as_text(),
        format!("Available here:\ntext/html {SITE}/en/about\ntext/markdown {SITE}/en/about.md\n")
    );
    let mut build = SyntheticFirm::small();
    build.page("/tr/hakkimizda", "<p>Merhaba</p>", "# Merhaba\n");
    build.publish();
    let site = build.serve();
    let response = site.get("/tr/hakkimizda", &["Accept: application/json"]);
    assert_eq!((response.status, response.header("content-language")), (406, Some("tr")));
    assert!(response.as_text().starts_with("Şu adreslerde bulunur:\ntext/html "), "{}", response.as_text());
    let response = site.request("POST", "/tr/hakkimizda", &[]);
    assert_eq!((response.status, response.header("content-language")), (405, Some("tr")));
    assert!(response.json()["message"].as_str().unwrap().contains("yöntem"), "{}", response.as_text());
}

#[test]
fn trailing_slash_redirects_to_the_page() {
    let site = SyntheticFirm::small().serve();
    for (target, location) in [
        ("/en/", "/en"),
        ("/en/about/", "/en/about"),
        ("/en/about/?a=b&c=%20", "/en/about?a=b&c=%20"),
        ("/en/former/", "/en/about"),
        ("/%65n/about/", "/en/about"),
    ] {
        let response = site.get(target, &[]);
        assert_eq!((response.status, response.header("location")), (308, Some(location)), "{target}");
        assert_eq!(site.request("HEAD", target, &[]).status, 308);
    }
    // Pages for people redirect too; their query may be a secret, hence `no-store`.
    let response = site.get("/agent/access/view/?locale=tr", &[]);
    let redirect = (response.status, response.header("location"), response.header("cache-control"));
    assert_eq!(redirect, (308, Some("/agent/access/view?locale=tr"), Some("no-store")));
    for target in ["/agent/auth/", "/agent/access/revoke/", "/mcp/"] {
        assert_eq!(site.get(target, &[]).status, 404, "{target}");
    }
    for target in [
        "/en/about//",
        "/assets/site.0123.css/",
        "/en/about.md/",
        "/en/nothing/",
        "//en/about/",
        "//evil.example/",
        "/\\evil.example/",
    ] {
        assert_eq!(site.get(target, &[]).status, 404, "{target}");
    }
}

#[test]
fn former_address_redirects_to_the_present_one_with_its_query() {
    let site = SyntheticFirm::small().serve();
    let response = site.get("/en/former?utm=x%20y", &[]);
    assert_eq!((response.status, response.header("location")), (308, Some("/en/about?utm=x%20y")));
    assert_eq!(response.header("cache-control"), Some("public, max-age=60"));
    assert!(response.body.is_empty());
}

#[test]
fn not_found_page_is_negotiated() {
    let site = SyntheticFirm::small().serve();
    let html = site.get("/nothing", &["Accept: text/html"]);
    assert_eq!((html.status, html.as_text()), (404, "<p>Nothing here</p>"));
    assert_eq!(html.header("cache-control"), Some("no-store"));
    assert_eq!(html.header("content-security-policy"), Some("default-src 'self'"));
    assert_eq!(html.header("etag"), None);
    let markdown = site.get("/nothing", &["Accept: text/markdown"]);
    assert_eq!((markdown.status, markdown.as_text()), (404, "# Nothing here\n"));
    for (accept, text) in [
        ("X: y", "# Nothing here\n"),
        ("Accept: */*", "# Nothing here\n"),
        ("Accept: text/html, */*;q=0.8", "<p>Nothing here</p>"),
        ("Accept: text/html", "<p>Nothing here</p>"),
        ("Accept: image/png", "<p>Nothing here</p>"),
    ] {
        let twin = site.get("/en/nothing.md", &[accept]);
        assert_eq!((twin.status, twin.as_text()), (404, text), "{accept}");
    }
    assert_eq!(site.get("/nothing", &["Accept: image/png"]).status, 404, "never 406");
    assert_eq!(site.get("/nothing", &["If-None-Match: *"]).status, 404, "never 304");
}

#[test]
fn not_found_page_has_the_language_of_the_prefix() {
    let site = SyntheticFirm::small().serve();
    for (target, locale) in [("/tr/yok", "tr"), ("/tr", "tr"), ("/trx", "en"), ("/en/x", "en"), ("/", "en")] {
        assert_eq!(site.get(target, &[]).header("content-language"), Some(locale), "{target}");
    }
}

#[test]
fn page_refuses_other_methods() {
    let site = SyntheticFirm::small().serve();
    for (method, target, status) in [
        ("POST", "/en/about", 405),
        ("DELETE", "/en/about", 405),
        ("DELETE", "/en/former", 405),
        ("TRACE", "/en/about", 405),
        ("OPTIONS", "/en/about", 405),
        ("TRACE", "/nothing", 404),
        ("BREW", "/nothing", 404),
        ("OPTIONS", "/nothing", 404),
        ("POST", "/nothing", 404),
    ] {
        let response = site.request(method, target, &[]);
        assert_eq!(response.status, status, "{method} {target}");
        if status == 405 {
            assert_eq!(response.header("content-language"), Some("en"));
            assert_eq!(
                (response.error_code().as_str(), response.header("allow")),
                ("method_not_allowed", Some("GET, HEAD"))
            );
        }
    }
}
