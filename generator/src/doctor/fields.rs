//! Checks of what proxies and caches may change: header fields, addresses and bodies.

use contract::{
    headers::{CORS_ALLOWED, CORS_ALLOWED_POSTED, CORS_MAX_AGE, X_API_KEY, written},
    routes,
};
use findings::messages;
use sha2::{Digest as _, Sha256};

use super::{
    End, FIELDS, Fault, Faults, Remedy,
    checks::{BODIES, CREDENTIAL, HEADERS, METHODS, NEVER_ISSUED, Named, QUERY, offers_service},
    get_ok, probes,
    probes::{TAG, Want, compare, is, to_wants},
    visit::Visit,
};

pub(super) const SIDECAR: [Named; 6] = [
    (messages::examined_request_fields, requests),
    (messages::examined_scripts, scripts),
    (messages::examined_answer_fields, |visit, faults| {
        for probe in probes::service_probes(visit) {
            probe.examine(visit, faults);
        }
        Ok(())
    }),
    (messages::examined_written_addresses, addresses),
    (messages::examined_bodies, bodies),
    (messages::examined_limits, limits),
];
pub(super) const EDGE: [Named; 1] = [(messages::examined_answer_fields, |visit, faults| {
    for probe in probes::edge_probes() {
        probe.examine(visit, faults);
    }
    Ok(())
})];

const CODING: Remedy = messages::doctor_coding_help;
/// The first bytes of a gzip body (RFC 1952).
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Checks request fields on which no other check depends: `X-Api-Key` and `Accept-Encoding`.
fn requests(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let key = NEVER_ISSUED.split(' ').next_back().unwrap_or_default();
    let keyed = visit.get(routes::TEAM, &[(X_API_KEY, key)])?;
    faults.expect_answer(visit, (routes::TEAM, &keyed), keyed.status == 401, CREDENTIAL, || {
        messages::field_not_passed(written::X_API_KEY, keyed.status)
    });
    for path in ["/en", routes::TEAM] {
        let whole = get_ok(visit, path, &[("accept-encoding", "gzip")])?;
        let is_coded = whole.body.starts_with(GZIP);
        let coding = whole.field("content-encoding");
        faults.expect_field(path, ("Content-Encoding", coding), !is_coded || coding == "gzip", HEADERS);
        let again = |coding: &str, tag: &str| visit.get(path, &[("accept-encoding", coding), ("if-none-match", tag)]);
        let uncoded = get_ok(visit, path, &[("accept-encoding", "identity")])?;
        let tag = whole.field("etag");
        // If conditions are lost altogether, another check reports that.
        if tag.is_empty() || again("identity", uncoded.field("etag"))?.status != 304 {
            continue;
        }
        let status = again("gzip", tag)?.status;
        faults.expect(path, status == 304, CODING, || messages::compressed_not_revalidated(status, tag));
    }
    Ok(())
}

/// Checks the CORS preflight, which a browser sends before a request with a credential or a body.
fn scripts(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let preflights = [
        (routes::TEAM, "https://script.example", "GET", CORS_ALLOWED),
        (routes::MCP, visit.origin(), "POST", CORS_ALLOWED_POSTED),
    ];
    let count = if offers_service(visit) { preflights.len() } else { 1 };
    for (path, origin, method, allowed) in preflights.into_iter().take(count) {
        let answer = visit.ask("OPTIONS", path, &[("origin", origin), ("access-control-request-method", method)])?;
        if answer.status == 405 && answer.is_error() {
            let fields = "Origin, Access-Control-Request-Method";
            faults.push(Fault::new(path, messages::field_not_passed(fields, answer.status), FIELDS));
            continue;
        }
        let wants = [
            ("access-control-allow-origin", is("*")),
            ("access-control-allow-methods", Want::Names(method)),
            ("access-control-allow-headers", Want::Names(allowed)),
            ("access-control-max-age", is(CORS_MAX_AGE)),
        ];
        match answer.status {
            204 => compare(path, &answer, &to_wants(wants), visit, faults),
            200..=299 | 400 | 403..=405 => {
                faults.push(Fault::new(path, messages::preflight_fails(answer.status), METHODS));
            }
            _ => faults.push(Fault::of_status(visit, path, &answer)),
        }
    }
    Ok(())
}

/// Checks that addresses arrive unchanged: case matters, a slash at the end matters, and `%74` is `t`.
fn addresses(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let [upper, slash, written] =
        [routes::TEAM.to_ascii_uppercase(), format!("{}/", routes::TEAM), routes::TEAM.replacen("/t", "/%74", 1)];
    let query = format!("{}?locale=EN", routes::TEAM);
    let is_query_passed = visit.get(&format!("{}?locale=xx", routes::TEAM), &[])?.status == 400;
    for (path, status) in [(upper, 404), (slash, 404), (written, 200), (query, 400)] {
        let answer = visit.get(&path, &[])?;
        let remedy = if path.contains('?') && !is_query_passed { QUERY } else { messages::doctor_address_help };
        faults.expect_answer(visit, (&path, &answer), answer.status == status, remedy, || {
            messages::address_changed(answer.status, status)
        });
    }
    Ok(())
}

/// Compares bodies with their entity tags. A tag is the first half of the body's SHA-256 digest; a proxy that rewrites
/// bodies drops the tag, or keeps one that does not match. `Accept-Encoding` is sent, because without it Caddy requests
/// `gzip`, unpacks the body and keeps the tag of the compressed form.
fn bodies(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for path in BODIES_OF {
        let answer = get_ok(visit, path, &[("accept-encoding", "identity")])?;
        if !answer.field("content-encoding").is_empty() {
            faults.push(Fault::new(path, messages::coding_not_accepted(answer.field("content-encoding")), CODING));
            continue;
        }
        let tag = answer.field("etag").trim_start_matches("W/").trim_matches('"');
        faults.expect_field(path, ("ETag", ""), !tag.is_empty(), TAG);
        let is_digest = tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_same = hex::encode(&Sha256::digest(&answer.body)[..16]) == tag;
        faults.expect(path, !is_digest || is_same, BODIES, messages::body_changed);
    }
    Ok(())
}

/// Paths whose bodies proxies tend to rewrite.
const BODIES_OF: [&str; 7] =
    ["/en", "/tr", "/en.md", routes::API_OPENAPI, routes::ROBOTS_TXT, routes::LLMS_TXT, routes::SITEMAP];

/// A 429 must have `Retry-After`. The check does not exhaust a limit on purpose.
fn limits(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let (has_waited, endless) = visit.rate_limit_hits();
    if !has_waited {
        return Err(End::Unjudged(messages::unjudged_limits()));
    }
    for path in endless {
        faults.push(Fault::new(path, messages::field_lacking("Retry-After"), HEADERS));
    }
    Ok(())
}
