//! Checks of what proxies and caches may change: header fields, addresses and bodies.

use contract::routes;
use findings::messages;
use sha2::{Digest as _, Sha256};

use super::{
    BODIES, End, Fault, Faults, HEADERS, Remedy,
    checks::Named,
    get_ok,
    rows::{self, TAG},
    visit::Visit,
};

pub(super) const SIDECAR: [Named; 6] = [
    (messages::examined_request_fields, requests),
    (messages::examined_scripts, |visit, faults| rows::examine(visit, faults, "scripts")),
    (messages::examined_answer_fields, |visit, faults| rows::examine(visit, faults, "fields")),
    (messages::examined_written_addresses, |visit, faults| rows::examine(visit, faults, "addresses")),
    (messages::examined_bodies, bodies),
    (messages::examined_limits, limits),
];
pub(super) const EDGE: [Named; 1] =
    [(messages::examined_answer_fields, |visit, faults| rows::examine(visit, faults, "edge"))];

const CODING: Remedy = messages::doctor_coding_help;
/// The first bytes of a gzip body (RFC 1952).
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Checks request fields on which no other check depends: `X-Api-Key` and `Accept-Encoding`.
fn requests(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    rows::examine(visit, faults, "requests")?;
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
    let limited = visit.limited();
    if !has_waited && limited.is_empty() {
        return Err(End::Unjudged(messages::unjudged_limits()));
    }
    for path in limited {
        faults.push(Fault::new(path, messages::limited_in_front(), messages::doctor_limit_help));
    }
    for path in endless {
        faults.push(Fault::new(path, messages::field_lacking("Retry-After"), HEADERS));
    }
    Ok(())
}
