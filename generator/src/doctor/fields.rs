//! What proxies and caches forget: fields of requests and of answers, addresses and bodies as the service means them.

use contract::{
    headers::{RATE_LIMIT, RATE_LIMIT_POLICY, REFERRERS, X_API_KEY, X_MARKDOWN_TOKENS, X_REQUEST_ID, written},
    media, routes,
};
use sha2::{Digest as _, Sha256};

use super::{
    Fault, LIMIT, Remedy,
    checks::{BODIES, CREDENTIAL, HEADERS, METHODS, NEVER_ISSUED, Named, VARY, expect, offers_service},
    found, unanswered,
    visit::{Answer, Visit},
};
use crate::{
    hex::hex,
    messages,
    render::classes::{LIST, SHORT},
};

/// What is expected of whatever stands before the sidecar.
pub(super) const ALL: [Named; 5] = [
    (messages::examined_request_fields, requests),
    (messages::examined_scripts, scripts),
    (messages::examined_answer_fields, answers),
    (messages::examined_written_addresses, addresses),
    (messages::examined_bodies, bodies),
];

const FIELDS: Remedy = messages::doctor_request_fields_help;
const CODING: Remedy = messages::doctor_coding_help;

/// Fields that change an answer, where no other check depends on them.
fn requests(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let key = NEVER_ISSUED.split(' ').next_back().unwrap_or_default();
    let keyed = visit.get(routes::TEAM, &[(X_API_KEY, key)]).map_err(unanswered)?;
    expect(faults, keyed.status == 401, CREDENTIAL, || {
        messages::field_not_passed(written::X_API_KEY, routes::TEAM, keyed.status)
    });
    for path in ["/en", routes::TEAM] {
        let whole = found(visit, path, &[("accept-encoding", "gzip")])?;
        let tag = whole.field("etag").to_owned();
        let fields = [("accept-encoding", "gzip"), ("if-none-match", tag.as_str())];
        let again = visit.get(path, &fields).map_err(unanswered)?;
        expect(faults, tag.is_empty() || again.status == 304, CODING, || {
            messages::compressed_not_revalidated(path, again.status, &tag)
        });
    }
    Ok(())
}

/// What scripts of other origins are allowed: a browser asks before it sends a credential or a body.
fn scripts(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let foreign = "https://script.example";
    let asked = [
        (routes::TEAM, foreign, "GET", written::X_API_KEY),
        (routes::MCP, visit.origin(), "POST", written::MCP_METHOD),
    ];
    let count = if offers_service(visit) { asked.len() } else { 1 };
    for (path, origin, method, field) in asked.into_iter().take(count) {
        let fields = [("origin", origin), ("access-control-request-method", method)];
        let answer = visit.ask("OPTIONS", path, &fields).map_err(unanswered)?;
        if answer.status == 405 && answer.is_error() {
            faults.push(Fault::new(messages::field_not_passed("Origin", path, answer.status), FIELDS));
            continue;
        }
        let is_allowed = answer.field("access-control-allow-origin") == "*"
            && answer.names("access-control-allow-methods", method)
            && answer.names("access-control-allow-headers", field);
        let remedy = if answer.status == 204 { HEADERS } else { METHODS };
        expect(faults, answer.status == 204 && is_allowed, remedy, || messages::preflight_fails(path, answer.status));
    }
    for path in [routes::TEAM, routes::OPENAPI, routes::PROTECTED_RESOURCE, "/en.md"] {
        let answer = found(visit, path, &[("origin", foreign)])?;
        for (name, is_right) in [
            ("Access-Control-Allow-Origin", answer.field("access-control-allow-origin") == "*"),
            ("Access-Control-Expose-Headers", answer.names("access-control-expose-headers", "etag")),
        ] {
            // A browser takes two for none.
            expect(faults, is_right && answer.count(name) == 1, HEADERS, || {
                messages::field_differs(path, name, answer.field(name))
            });
        }
    }
    Ok(())
}

/// Fields that the service gives its answers.
fn answers(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let page = found(visit, "/en", &[("accept", media::HTML)])?;
    let twin = found(visit, "/en.md", &[])?;
    let list = found(visit, routes::TEAM, &[])?;
    let has_link = |answer: &Answer, relation: &str| answer.field("link").contains(&format!("rel=\"{relation}\""));
    let nothing_loads = |answer: &Answer| answer.field("content-security-policy").contains("default-src 'none'");
    for (path, name, holds) in [
        ("/en", "Link", has_link(&page, "alternate") && has_link(&page, "api-catalog")),
        ("/en.md", "Link", has_link(&twin, "canonical")),
        ("/en", "Referrer-Policy", page.field("referrer-policy") == REFERRERS),
        (routes::TEAM, "Content-Security-Policy", nothing_loads(&list)),
        ("/en.md", written::X_MARKDOWN_TOKENS, twin.count(X_MARKDOWN_TOKENS) == 1),
        (routes::TEAM, written::RATE_LIMIT_POLICY, list.field(RATE_LIMIT_POLICY).starts_with(LIMIT)),
        (routes::TEAM, written::RATE_LIMIT, list.field(RATE_LIMIT).starts_with(LIMIT)),
        (routes::TEAM, written::X_REQUEST_ID, list.count(X_REQUEST_ID) == 1),
    ] {
        expect(faults, holds, HEADERS, || messages::field_lacking(path, name));
    }
    for (path, answer, wanted) in [("/en", &page, SHORT), (routes::TEAM, &list, LIST)] {
        let control = answer.field("cache-control");
        let is_same = control == wanted && answer.count("cache-control") == 1;
        expect(faults, is_same, HEADERS, || messages::field_differs(path, "Cache-Control", control));
    }
    expect(faults, list.names("vary", X_API_KEY), VARY, || {
        messages::vary_incomplete(routes::TEAM, written::X_API_KEY, list.field("vary"))
    });
    Ok(())
}

/// Addresses that only look like others: upper and lower case are different, nothing is added, and `%74` is `t`.
fn addresses(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let [upper, slash, written] =
        [routes::TEAM.to_ascii_uppercase(), format!("{}/", routes::TEAM), routes::TEAM.replacen("/t", "/%74", 1)];
    for (path, status) in [(upper, 404), (slash, 404), (written, 200), (format!("{}?locale=EN", routes::TEAM), 400)] {
        let answer = visit.get(&path, &[]).map_err(unanswered)?;
        expect(faults, answer.status == status, messages::doctor_address_help, || {
            messages::address_changed(&path, answer.status, status)
        });
    }
    Ok(())
}

/// The entity tag is half of the body's digest, so that a changed body shows. What rewrites bodies drops the tag, or keeps one
/// that does not fit. Without a word about codings, Caddy asks for `gzip`, unpacks it and keeps the tag of that.
fn bodies(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for path in ["/en", "/tr", "/en.md", routes::API_OPENAPI, routes::ROBOTS_TXT, routes::LLMS_TXT, routes::SITEMAP] {
        let answer = found(visit, path, &[("accept-encoding", "identity")])?;
        if !answer.field("content-encoding").is_empty() {
            faults.push(Fault::new(messages::coding_not_accepted(path, answer.field("content-encoding")), CODING));
            continue;
        }
        let tag = answer.field("etag").trim_start_matches("W/").trim_matches('"');
        expect(faults, !tag.is_empty(), BODIES, || messages::no_etag(path));
        let is_digest = tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_same = hex(&Sha256::digest(&answer.body)[..16]) == tag;
        expect(faults, !is_digest || is_same, BODIES, || messages::body_changed(path));
    }
    Ok(())
}
