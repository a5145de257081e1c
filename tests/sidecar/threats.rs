//! Threats of `docs/threats.md` that need HTTP, one test each.

use std::{fs, time::Duration};

use contract::routes;
use serde_json::json;
use sidecar::{Clock, LimitSettings, Quotas};
use tests::{Connection, FORM, Firm as _, JSON, Reply, SITE};

use crate::{Site, agent::build};

const POSTED: [&str; 3] = [routes::REGISTER, routes::CLAIM, routes::CLAIM_COMPLETE];
const PAGES: [&str; 5] =
    [routes::CLAIM_VIEW, routes::ACCESS, routes::ACCESS_VIEW, routes::MAIL_STOP, routes::AUTHORIZE];
const SENT: [&str; 5] =
    [routes::CLAIM_CHALLENGE, routes::CLAIM_DENY, routes::ACCESS, routes::ACCESS_REVOKE, routes::MAIL_STOP];

fn site() -> (Site, Clock) {
    let (build, clock) = (build(), Clock::manual());
    let config = build.config();
    (build.serve_by(config, &clock), clock)
}

fn person(email: &str) -> serde_json::Value {
    json!({"type": "identity_assertion", "assertion_type": "verified_email", "assertion": email})
}

#[test]
fn oversized_deep_and_slow_bodies_are_refused() {
    let (site, _) = site();
    for target in POSTED {
        let large = format!("{{\"type\":\"{}\"}}", "x".repeat(32 * 1024));
        assert_eq!(site.post(target, &[JSON], &large).status_and_error().0, 413, "{target}");
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(site.post(target, &[JSON], &deep).status_and_error().0, 400, "{target}");
        // A body that never arrives delays no other client.
        let mut slow = site.connection();
        let head =
            format!("POST {target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n");
        slow.send(format!("{head}\r\n{{").as_bytes());
        assert_eq!(site.post_json(target, &json!({"type": 1})).status_and_error().0, 400, "{target}");
    }
    for target in SENT {
        let large = format!("token={}", "x".repeat(9 * 1024));
        assert_eq!(site.post_form(target, &large).status, 413, "{target}");
    }
}

#[test]
fn thousand_idle_sockets_do_not_delay_requests() {
    /// Fits the limit on open files of every test machine, at both ends. A service should withstand twenty times as
    /// many; the cost of each is constant.
    const IDLE: usize = 1000;
    let files = rlimit::increase_nofile_limit(u64::MAX).unwrap();
    assert!(files > 2 * IDLE as u64 + 500, "this machine allows {files} open files");
    let (site, _) = site();
    let person = site.register()["credential"].clone();
    let mut idle: Vec<_> = (0..IDLE).map(|_| Connection::open(site.address())).collect();
    // Half of them send nothing, the others an unfinished request.
    for half in idle.iter_mut().step_by(2) {
        half.send(b"POST /agent/auth HTTP/1.1\r\nHost: a\r\n");
    }
    let (clock, patience) = (Clock::system(), 4_000);
    let began = clock.now().millis();
    for _ in 0..20 {
        assert_eq!(site.try_credential(&person), 200);
    }
    site.register();
    let waited = clock.now().millis() - began;
    assert!(waited < patience, "those who ask wait for those who do not: {waited} ms");
    // An unfinished request is refused after five seconds; an idle connection is closed without a response.
    for (place, mut socket) in idle.into_iter().enumerate() {
        let response = socket.response(false);
        if place % 2 == 0 {
            let response = response.unwrap();
            assert_eq!(response.status, 408);
            assert!(response.text_of("message").contains("five seconds"), "{response:?}");
        } else {
            assert!(response.is_none(), "{response:?}");
        }
        assert!(socket.is_closed());
    }
}

#[test]
fn crlf_does_not_reach_header_fields() {
    let (site, _) = site();
    for email in [
        "a@person.example\r\nBcc: b@person.example",
        "a@person.example\nX: y",
        "a@person.example\u{0}",
        "a@person.example%0d%0aBcc:b@person.example",
        "\"a\r\nb\"@person.example",
    ] {
        assert_eq!(site.post_json(routes::REGISTER, &person(email)).status_and_error().0, 400, "{email:?}");
        let encoded = percent_encoding::percent_encode(email.as_bytes(), percent_encoding::NON_ALPHANUMERIC);
        assert_eq!(site.post_form(routes::ACCESS, &format!("email={encoded}")).status, 400, "{email:?}");
    }
    // No text of a client is returned in a header field.
    let odd = site.post(routes::REGISTER, &[JSON], "{\"type\":\"a\\r\\nSet-Cookie: x=y\"}");
    assert!(odd.header("set-cookie").is_none() && odd.status == 400);
    let poll = site.post_form(routes::TOKEN, "grant_type=%0d%0aSet-Cookie:x&claim_token=%0d%0a");
    assert!(poll.header("set-cookie").is_none() && poll.status == 400);
    site.register_by_mail("a@person.example");
    site.outbox().secret("cvt_", 0);
    for letter in site.outbox().texts() {
        let head = letter.split("\r\n\r\n").next().unwrap();
        assert_eq!(head.matches("\r\nTo: ").count(), 1, "{head}");
        assert!(!head.contains("Bcc"), "{head}");
    }
}

#[test]
fn homograph_is_another_mailbox() {
    let (site, _) = site();
    for email in [
        "ayşe@person.example",
        "a\u{430}@person.example",
        "ays\u{131}@person.example",
        "a\u{202e}b@person.example",
        "\u{ff41}@person.example",
        "a\u{200b}@person.example",
        "\"a\"@person.example",
        "a@[192.0.2.1]",
        "a@192.0.2.1",
        "a@xn--a.example",
    ] {
        assert_eq!(site.post_json(routes::REGISTER, &person(email)).status_and_error().0, 400, "{email:?}");
    }
    // Security: a domain in another script is shown in Punycode, so that no letter passes for another.
    site.register_by_mail("a@\u{440}erson.example");
    let page = site.get(&format!("{}?token={}", routes::CLAIM_VIEW, site.outbox().secret("cvt_", 0)), &[]);
    assert!(page.as_text().contains("a@xn--erson-uye.example"), "{}", page.as_text());
    // Capital letters do not make another person, in any locale.
    let body = json!({"type": "identity_assertion", "assertion_type": "verified_email",
        "assertion": "INFO@PERSON.EXAMPLE", "locale": "tr"});
    site.register_as(&body);
    site.outbox().secret("cvt_", 1);
    assert!(site.outbox().texts().iter().any(|letter| letter.contains("\r\nTo: info@person.example\r\n")));
}

#[test]
fn redirects_stay_on_the_site() {
    let (site, _) = site();
    let elsewhere = |response: &Reply, what: &str| {
        let location = response.header("location");
        assert!(location.is_none_or(|to| to.starts_with('/') && !to.starts_with("//")), "{what}: {location:?}");
        assert!(!(300..400).contains(&response.status) || location.is_some(), "{what}");
    };
    for name in ["return_to", "redirect_uri", "next", "url", "continue"] {
        for to in ["//evil.example", "https://evil.example", "%2F%2Fevil.example", "/\\evil.example"] {
            for page in PAGES {
                elsewhere(&site.get(&format!("{page}?token=x&{name}={to}"), &[]), page);
            }
            for target in SENT {
                elsewhere(&site.post_form(target, &format!("token=x&which=all&{name}={to}")), target);
            }
        }
    }
    for path in ["//evil.example", "//evil.example/", "/en//evil.example/", "/\\evil.example/", "/%2F/evil.example/"] {
        elsewhere(&site.get(path, &[]), path);
    }
}

#[test]
fn forms_resist_csrf_framing_xss_and_referer_leaks() {
    let (site, _) = site();
    let markup = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27";
    for page in PAGES {
        for query in [format!("token={markup}"), format!("token=x&locale={markup}"), format!("email={markup}")] {
            let answer = site.get(&format!("{page}?{query}"), &[]);
            assert!(!answer.as_text().contains("<script") && !answer.as_text().contains("\"'"), "{page}?{query}");
            let policy = answer.header("content-security-policy").unwrap();
            for rule in ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
                assert!(policy.contains(rule), "{page}: {policy}");
            }
            assert_eq!(answer.header("referrer-policy"), Some(crate::forms::referrer_policy(&answer)), "{page}");
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{page}");
            assert!(answer.header("x-robots-tag").unwrap().contains("noindex"), "{page}");
        }
    }
    site.register_by_mail("a@person.example");
    let link = site.outbox().secret("cvt_", 0);
    // Another site makes the browser send the form, even with the right secret.
    for foreign in ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: https://evil.example"] {
        let body = format!("claim_attempt_token={link}");
        assert_eq!(site.post(routes::CLAIM_CHALLENGE, &[FORM, foreign], body).status, 403, "{foreign}");
    }
    assert_eq!(site.show_code(&link).status, 200);
}

#[test]
fn cors_permits_reading_without_credentials_only() {
    let (site, _) = site();
    let preflight = ["Origin: https://app.example", "Access-Control-Request-Method: POST"];
    for target in [POSTED.as_slice(), &[routes::TOKEN, routes::REVOKE, routes::PROVIDER_REVOKE]].concat() {
        let allowed = site.request("OPTIONS", target, &preflight);
        assert_eq!(allowed.header("access-control-allow-origin"), Some("*"), "{target}");
        assert_eq!(allowed.header("access-control-allow-credentials"), None, "{target}");
        let refused = site.post(target, &["Content-Type: text/plain"], "x");
        assert_eq!(refused.header("access-control-allow-origin"), Some("*"), "{target} may say why");
    }
    for target in SENT {
        let refused = site.request("OPTIONS", target, &preflight);
        assert_eq!(refused.header("access-control-allow-origin"), None, "{target}");
    }
    for page in PAGES {
        let answer = site.get(page, &["Origin: https://app.example"]);
        assert_eq!(answer.header("access-control-allow-origin"), None, "{page}");
    }
}

#[test]
fn only_trusted_proxies_name_the_client() {
    let served = |origin: &str| {
        let mut build = build();
        origin.clone_into(&mut build.manifest.site_url);
        build.publish();
        let mut config = build.config();
        config.limits = LimitSettings::default();
        build.serve_with(config)
    };
    let register = |site: &Site, lines: &[&str]| {
        site.post(routes::REGISTER, &[&[JSON], lines].concat(), r#"{"type":"anonymous"}"#).status
    };
    let forwarded = |number| format!("X-Forwarded-For: 203.0.113.{number}");
    // For a site on this machine local clients are not limited; clients behind an unnamed proxy are.
    let here = served("http://127.0.0.1:8080");
    let statuses: Vec<_> = (0..7).map(|number| register(&here, &[&forwarded(number)])).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429], "a forged address makes no new client");
    assert_eq!(register(&here, &[]), 200);
    // For another site, a client without a forwarding field may come through a proxy that adds none.
    let elsewhere = served(SITE);
    let statuses: Vec<_> = (0..6).map(|_| register(&elsewhere, &[])).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429]);
    assert_eq!(register(&elsewhere, &[&forwarded(1)]), 429, "they are the same client");
    let read = elsewhere.get(routes::TEAM, &[]);
    assert_eq!(read.header("ratelimit"), Some("\"content\";r=600;t=0"), "who only reads is spared");
}

#[test]
fn store_contains_no_credential_in_clear() {
    let (site, clock) = site();
    let anonymous = site.register();
    let registered = site.register_by_mail("ayse@person.example");
    let link = site.outbox().secret("cvt_", 0);
    let code = site.code(&link);
    let completed = site.complete(&registered["claim_token"], &code).json();
    let stop = site.outbox().secret("stp_", 0);
    clock.advance(Duration::from_secs(1));
    assert_eq!(site.post_form(routes::ACCESS, "email=ayse%40person.example").status, 200);
    let access = site.outbox().secret("cav_", 0);
    assert_eq!(site.post_form(routes::MAIL_STOP, &format!("token={stop}&word=stop")).status, 200);
    let mut kept = String::new();
    for entry in fs::read_dir(site.firm.data()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("registrations.db") {
            kept.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap()));
        }
    }
    assert!(kept.contains(registered["registration_id"].as_str().unwrap()), "it is the right file");
    let pepper = fs::read_to_string(site.firm.data().join("secret")).unwrap();
    let secrets = [
        anonymous["credential"].as_str().unwrap(),
        anonymous["claim_token"].as_str().unwrap(),
        registered["claim_token"].as_str().unwrap(),
        completed["credential"].as_str().unwrap(),
        &link,
        &access,
        &stop,
        pepper.trim(),
    ];
    for secret in secrets {
        assert!(!kept.contains(secret) && !kept.contains(&secret[secret.len() - 24..]), "{secret:.4}");
    }
}

#[test]
fn only_a_click_stops_messages() {
    let (site, clock) = site();
    site.register_by_mail("ayse@person.example");
    site.outbox().secret("cvt_", 0);
    let letter = site.outbox().texts().remove(0);
    let stop = site.outbox().secret("stp_", 0);
    let target = format!("{}?token={stop}", routes::MAIL_STOP);
    assert!(letter.contains(&format!("List-Unsubscribe: <{SITE}{target}>\r\n")), "{letter}");
    assert!(letter.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"));
    for method in ["GET", "HEAD"].repeat(20) {
        let read = site.request(method, &target, &["Sec-Purpose: prefetch"]);
        assert_eq!((read.status, read.header("referrer-policy")), (200, Some("no-referrer")));
    }
    assert!(site.get(&target, &[]).as_text().starts_with("<p>stop "), "looking stops nothing");
    // A mail program posts on behalf of the reader (RFC 8058), in either format.
    let multipart = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n";
    for (media_type, body) in [
        ("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"),
        ("multipart/form-data; boundary=x", multipart),
    ] {
        let stopped = site.post(&target, &[&format!("Content-Type: {media_type}")], body);
        assert_eq!(stopped.status, 200);
        assert!(stopped.as_text().starts_with("<p>stopped "), "{}", stopped.as_text());
        assert!(site.get(&target, &[]).as_text().starts_with("<p>stopped "));
        let again = site.post_form(routes::MAIL_STOP, &format!("token={stop}&messages=again&locale=tr"));
        assert!(again.as_text().starts_with("<p>resumed tr"), "{}", again.as_text());
    }
    // Security: the form on the page requires a typed word, which a link scanner does not send.
    for (more, expected) in [("", "<p>stop "), ("&word=on&messages=none", "<p>stop "), ("&word=DURDUR", "<p>stopped ")]
    {
        let page = site.post_form(routes::MAIL_STOP, &format!("token={stop}{more}"));
        assert!(page.as_text().starts_with(expected), "{more}: {}", page.as_text());
    }
    // Afterwards the responses are the same, and nothing is sent.
    clock.advance(Duration::from_secs(1));
    let silent = site.register_by_mail("AYSE@person.example");
    assert_eq!(site.redeem(&silent["claim_token"]).status_and_error(), (400, "authorization_pending".to_owned()));
    site.register_by_mail("can@person.example");
    site.outbox().secret("cvt_", 1);
    assert_eq!(site.outbox().texts().len(), 2);
    for token in ["", "x", "stp_", &stop.replace("stp_", "stp_0"), &stop[..stop.len() - 1]] {
        assert_eq!(site.post_form(routes::MAIL_STOP, &format!("token={token}")).status, 404, "{token}");
    }
}

#[test]
fn full_service_is_temporarily_unavailable() {
    let build = build();
    let mut config = build.config();
    config.limits.registration = Quotas { registrations: 2, ..LimitSettings::boundless().registration };
    let site = build.serve_with(config);
    site.register();
    site.register();
    let full = site.post_json(routes::REGISTER, &json!({"type": "anonymous"}));
    assert_eq!(full.status_and_error(), (503, "temporarily_unavailable".to_owned()));
    assert_eq!(full.header("retry-after"), Some("3600"));
    site.register_by_mail("a@person.example");
}

#[test]
fn used_up_links_are_a_page_that_is_unavailable() {
    let build = build();
    let mut config = build.config();
    config.limits.registration = Quotas { links: 0, ..LimitSettings::boundless().registration };
    let site = build.serve_with(config);
    for locale in ["tr", "en"] {
        let full = site.post_form(routes::ACCESS, &format!("email=a%40person.example&locale={locale}"));
        assert_eq!((full.status, full.header("retry-after")), (503, Some("3600")));
        assert!(full.as_text().contains(&format!("unavailable {locale}")), "{}", full.as_text());
    }
    assert!(site.outbox().texts().is_empty());
}
