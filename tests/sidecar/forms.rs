//! Pages for people that need no registration.

use contract::routes;
use tests::{FORM, Firm as _, Reply, SITE, SyntheticFirm};

use crate::Site;

const SENT: [&str; 4] = [routes::CLAIM_CHALLENGE, routes::CLAIM_DENY, routes::ACCESS, routes::ACCESS_REVOKE];

fn post(site: &Site, target: &str, body: &str, lines: &[&str]) -> Reply {
    site.post(target, &[&[FORM], lines].concat(), body)
}

/// Returns the page for a POST to `target` that is not from our form.
fn refusal_page(target: &str) -> &'static str {
    if target == routes::ACCESS { "<p>access-refused en</p>\n" } else { "<p>refused en</p>\n" }
}

/// Returns the referrer policy of a page: `no-referrer`, except that the form for an address must send its origin.
pub(crate) fn referrer_policy(page: &Reply) -> &'static str {
    let has_field = ["<p>access ", "<p>access-invalid "].iter().any(|start| page.as_text().starts_with(start));
    if has_field { "same-origin" } else { "no-referrer" }
}

/// Asserts that a page is private, and returns its text.
#[track_caller]
fn private_page(response: &Reply) -> &str {
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("x-robots-tag", "noindex, nofollow"),
        ("cross-origin-opener-policy", "same-origin"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; \
             frame-ancestors 'none'; base-uri 'none'",
        ),
    ] {
        assert_eq!(response.header(name), Some(value), "{name}");
    }
    assert_eq!(response.header("referrer-policy"), Some(referrer_policy(response)));
    assert_eq!(response.header("access-control-allow-origin"), None);
    assert_eq!(response.header("set-cookie"), None);
    response.as_text()
}

#[test]
fn access_form_is_a_page_in_the_language_of_the_reader() {
    let site = SyntheticFirm::small().serve();
    for (target, line, expected) in [
        ("/agent/access", "Accept: */*", "<p>access en</p>\n"),
        ("/agent/access", "Accept-Language: tr-TR,tr;q=0.9,en;q=0.8", "<p>access tr</p>\n"),
        ("/agent/access?locale=en", "Accept-Language: tr", "<p>access en</p>\n"),
        ("/agent/access?locale=tr", "Accept-Language: en", "<p>access tr</p>\n"),
        ("/agent/access?locale=TR", "Accept-Language: en", "<p>access en</p>\n"),
        ("/agent/access?locale=%ff", "Accept-Language: tr", "<p>access tr</p>\n"),
    ] {
        let response = site.get(target, &[line]);
        assert_eq!((response.status, private_page(&response)), (200, expected), "{target} {line}");
        assert_eq!(response.header("content-language"), Some(&expected[10..12]));
    }
    let head = site.request("HEAD", routes::ACCESS, &[]);
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn invalid_address_is_shown_again_escaped() {
    let site = SyntheticFirm::small().serve();
    let response = post(&site, routes::ACCESS, "email=%3Cb%3E%22%27%26&locale=tr", &[]);
    assert_eq!(response.status, 400);
    assert_eq!(private_page(&response), "<p>access-invalid tr email=[&lt;b&gt;&quot;&#39;&amp;]</p>\n");
    let long = format!("email={}", "a".repeat(5000));
    assert!(post(&site, routes::ACCESS, &long, &[]).body.len() < 400);
}

#[test]
fn link_without_its_secret_leads_to_an_error_page() {
    let site = SyntheticFirm::small().serve();
    for (target, expected) in [
        ("/agent/auth/claim/view", "<p>claim-unknown en</p>\n"),
        ("/agent/auth/claim/view?token=", "<p>claim-unknown en</p>\n"),
        ("/agent/auth/claim/view?token=a&token=b", "<p>claim-unknown en</p>\n"),
        ("/agent/access/view?locale=tr", "<p>access-unknown tr</p>\n"),
    ] {
        let response = site.get(target, &[]);
        assert_eq!((response.status, private_page(&response)), (404, expected), "{target}");
    }
}

#[test]
fn form_of_another_site_is_refused() {
    let site = SyntheticFirm::small().serve();
    let own = format!("Origin: {SITE}");
    for target in SENT {
        let body = "token=cvt_1&claim_attempt_token=cvt_1&which=all&email=a%40b.example";
        for lines in [
            &["Sec-Fetch-Site: cross-site", "Origin: null"][..],
            &["Sec-Fetch-Site: same-site"],
            &["Origin: https://evil.example"],
            &["Origin: https://firm.example.evil.example"],
        ] {
            let response = post(&site, target, body, lines);
            // `token` occurs twice; the origin is checked before either is read.
            assert_eq!((response.status, private_page(&response)), (403, refusal_page(target)), "{target} {lines:?}");
        }
        for lines in [&["Sec-Fetch-Site: same-origin", "Origin: null"][..], &[&own], &[]] {
            assert_ne!(post(&site, target, body, lines).status, 403, "{target} {lines:?}");
        }
        // An old browser sends `null` from a page with `no-referrer`; the access form has another policy, so `null` is
        // foreign there.
        let hidden = post(&site, target, body, &["Origin: null"]).status;
        assert_eq!(hidden == 403, target == routes::ACCESS, "{target}");
    }
}

#[test]
fn body_that_is_not_a_form_is_refused() {
    let site = SyntheticFirm::small().serve();
    for target in SENT {
        let text = post(&site, target, "", &["X: y"]);
        assert_eq!(text.status, 400, "an empty form: {target}");
        let twice = post(&site, target, "token=a&token=b", &[]);
        assert_eq!((twice.status, private_page(&twice)), (400, refusal_page(target)), "{target}");
        let large = post(&site, target, &format!("token={}", "a".repeat(9000)), &[]);
        assert_eq!((large.status, private_page(&large)), (413, refusal_page(target)), "{target}");
        for lines in [&["Content-Length: 2", "Content-Type: text/plain"][..], &["Content-Length: 0"]] {
            let response = site.request("POST", target, lines);
            assert_eq!(response.status, 415, "{target} {lines:?}");
        }
        let coded = post(&site, target, "token=a", &["Content-Encoding: gzip"]);
        assert_eq!((coded.status, coded.as_text()), (415, refusal_page(target)), "{target}");
    }
}

#[test]
fn get_does_not_submit_a_form() {
    let site = SyntheticFirm::small().serve();
    for target in SENT.into_iter().filter(|target| *target != routes::ACCESS) {
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            let response = site.request(method, target, &["Accept-Language: tr"]);
            assert_eq!((response.status, response.header("allow")), (405, Some("POST, OPTIONS")), "{method} {target}");
            // A GET of a form's address comes from a person, so the response is a page.
            assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"), "{method} {target}");
            assert_eq!(response.header("access-control-allow-origin"), None, "{method} {target}");
            assert_eq!(
                response.as_text(),
                if method == "HEAD" { "" } else { "<p>refused tr</p>\n" },
                "{method} {target}"
            );
        }
    }
    for target in [routes::CLAIM_VIEW, routes::ACCESS_VIEW] {
        let response = site.request("POST", target, &["Content-Length: 0"]);
        assert_eq!((response.status, response.header("allow")), (405, Some("GET, HEAD")), "{target}");
        assert_eq!(response.header("access-control-allow-origin"), None, "{target}");
        let long = site.get(&format!("{target}?token={}", "a".repeat(9000)), &[]);
        assert_eq!((long.status, long.as_text()), (414, "<p>refused en</p>\n"), "{target}");
        assert_eq!(long.header("access-control-allow-origin"), None, "{target}");
    }
    let program = site.request("GET", routes::CLAIM_DENY, &["Content-Type: application/json"]);
    assert_eq!(program.status_and_error(), (405, "method_not_allowed".to_owned()));
    assert_eq!(
        (program.header("content-type"), program.header("pragma")),
        (Some("application/json"), Some("no-cache"))
    );
    assert_eq!(program.header("access-control-allow-origin"), None);
    let lines = ["Origin: https://app.example", "Access-Control-Request-Method: POST"];
    for target in SENT {
        let response = site.request("OPTIONS", target, &lines);
        assert_eq!((response.status, response.header("access-control-allow-origin")), (204, None), "{target}");
    }
}

#[test]
fn program_that_sends_json_gets_json() {
    let site = SyntheticFirm::small().serve();
    let large = format!("{{\"claim_attempt_token\":\"{}\"}}", "a".repeat(9_000));
    for (body, line, (status, code), remedy) in [
        ("{}", "X: y", (400, "invalid_request"), "`claim_attempt_token`"),
        ("{\"a\":1,\"a\":2}", "X: y", (400, "invalid_request"), "`claim_attempt_token`"),
        (&large, "X: y", (413, "payload_too_large"), "8 KiB"),
        ("{}", "Origin: https://evil.example", (403, "invalid_request"), "the link in the message"),
    ] {
        let response = site.post(routes::CLAIM_CHALLENGE, &["Content-Type: application/json", line], body);
        assert_eq!(response.status_and_error(), (status, code.to_owned()));
        let resolution = response.json()["resolution"].to_string();
        assert!(resolution.contains(remedy) && !resolution.contains(routes::AUTH_MD), "{resolution}");
        assert_eq!(response.header("pragma"), Some("no-cache"));
        assert_eq!(response.header("access-control-allow-origin"), None, "what stands here is for a person");
    }
}
