//! What happens to a request, in the contract's order: host, target, limit, method, credential, path, query.

use std::{mem, sync::Arc};

use actix_http::Request;
use actix_web::http::{Method, StatusCode, header::HOST};
use contract::{
    errors::ErrorCode,
    routes::{API_BASE, JSON_PREFIXES, is_for_programs},
};

use super::{
    answer::{cors, payload::Reply, refusal},
    content, endpoints, guarded,
    limits::Client,
    metrics::Kind,
    request::{host, target, values},
    shared::{Answer, Shared, client, presented},
    site::{Site, outline::Reader, table::Target},
};
use crate::auth::Verified;

/// The value of `Allow` for everything that is read.
const READ: &str = "GET, HEAD";

/// Answers `request` and says what kind of target it had. An endpoint takes the request; nothing else does.
pub(crate) fn answer(shared: &Arc<Shared>, request: &mut Request) -> Answer {
    if values(request, &HOST).any(|value| !host::is_valid(value)) {
        return Answer::Now(Kind::None, refusal::refuse(ErrorCode::InvalidRequest));
    }
    let uri = request.uri();
    if uri.path_and_query().is_some_and(|target| target.as_str().len() > target::MOST) {
        return Answer::Now(Kind::None, too_long(shared, request));
    }
    let site = shared.site.load();
    let decoded = target::decode(uri.path());
    let path = decoded.as_deref().unwrap_or(uri.path());
    let found = if decoded.is_some() { site.find(path) } else { None };
    let kind = match found {
        Some(Target::Route(route)) => Kind::Class(route.class),
        Some(Target::Endpoint(number)) => return endpoints::at(*number).answer(shared, request),
        Some(Target::Redirect(_)) => Kind::Redirect,
        None => Kind::None,
    };
    let guarded = matches!(found, Some(Target::Route(route)) if route.guarded) || is_api(path);
    if !guarded {
        let reply = read_with_method(&site, found, path, request);
        // A path with a superfluous slash has no entry of its own in the build.
        let kind = if reply.status() == StatusCode::PERMANENT_REDIRECT { Kind::Redirect } else { kind };
        return Answer::Now(kind, reply);
    }
    // Not counted: a browser that is refused its preflight tells the script nothing, not even when to ask again.
    if cors::is_preflight(request) {
        return Answer::Now(kind, cors::allow(READ));
    }
    let client = client(shared, request);
    let verified = is_read(request).then(|| site.verifier.verify(presented(request)));
    if let Some(Ok(verified @ Verified::Holds(_))) = verified {
        let taken = mem::replace(request, Request::new());
        return Answer::Later(kind, guarded::answer(Arc::clone(shared), taken, client, verified));
    }
    let is_refused = verified.map(|verified| verified.is_err());
    Answer::Now(
        kind,
        guard(shared, &site, client, is_refused, || content::read(&site, found, path, request, Reader::Anyone)),
    )
}

/// Answers a target that is not read to its end, so that neither method nor credential matters. Somebody who follows a
/// link to a page that people fill in gets a page.
fn too_long(shared: &Arc<Shared>, request: &Request) -> Reply {
    match shared.site.load().find(request.uri().path()) {
        Some(Target::Endpoint(number)) => endpoints::at(*number).refuse(shared, request, ErrorCode::UriTooLong),
        _ => refusal::refuse(ErrorCode::UriTooLong),
    }
}

/// Whether `path` belongs to the content API, known or not.
fn is_api(path: &str) -> bool {
    const API: &str = JSON_PREFIXES[0];
    const { assert!(matches!(API_BASE.as_bytes(), [b'/', b'a', b'p', b'i', b'/', ..])) };
    path.strip_prefix(API).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// On the content API, checks limit, method and credential before the path. `is_refused` says whether the credential of
/// a request to read is refused; that of any other request need not be looked at.
fn guard(
    shared: &Shared,
    site: &Site,
    client: Client,
    is_refused: Option<bool>,
    read: impl FnOnce() -> Reply,
) -> Reply {
    let quota = &shared.limits.content;
    let allowance = match shared.limits.count(quota, client, || shared.clock.nanoseconds()) {
        Ok(allowance) => allowance,
        Err(exceeded) => return quota.refuse(exceeded),
    };
    let response = match is_refused {
        Some(false) => read(),
        Some(true) => refusal::invalid_credential(&site.challenge),
        None => refusal::method_not_allowed(READ),
    };
    quota.tell_in(allowance, response)
}

/// Outside the content API, a method is judged by what is at the path.
fn read_with_method(site: &Site, found: Option<&Target>, path: &str, request: &Request) -> Reply {
    if is_read(request) {
        return content::read(site, found, path, request, Reader::Anyone);
    }
    let known = found.is_some() || content::slashless(site, path).is_some();
    // There is nothing here, and a script that looks for a document may see that.
    let nothing_for_programs = !known && is_for_programs(path);
    if cors::is_preflight(request) && (known || nothing_for_programs) {
        return match found {
            Some(Target::Route(route)) if route.cors => cors::allow(READ),
            _ if nothing_for_programs => cors::allow(READ),
            _ => cors::deny(),
        };
    }
    if known { refusal::method_not_allowed(READ) } else { content::not_found(site, path, request) }
}

fn is_read(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}
