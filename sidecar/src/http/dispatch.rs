//! Dispatches a request, in the contract's order: host, target, limit, method, credential, path, query.

use actix_web::{
    dev::ServiceRequest,
    http::{Method, StatusCode, header::HOST},
};
use contract::{
    Locale,
    errors::ErrorCode,
    routes::{API_BASE, JSON_PREFIXES, is_for_programs, locale_of},
};
use metrics::TargetKind;

use super::{
    admission::{self, Surface},
    content,
    request::{
        host,
        method::{READ, is_read},
        target, values,
    },
    response::{Response, cors, error_response},
    routes, search,
    site::{CacheScope, ServedSite, Target},
    state::AppState,
};

/// Answers `request`, and returns the kind of its target for the metrics.
pub(crate) async fn answer(state: &AppState, request: &mut ServiceRequest) -> (TargetKind, Response) {
    if values(request, &HOST).any(|value| !host::is_valid(value)) {
        return (TargetKind::None, error_response::of(ErrorCode::InvalidRequest));
    }
    let (site, uri) = (state.site.load_full(), request.uri());
    if uri.path_and_query().is_some_and(|target| target.as_str().len() > connection::MAX_TARGET_BYTES) {
        return (TargetKind::None, too_long(state, &site, request));
    }
    // Only CONNECT has an authority without a path (RFC 9112, 3.2.3); this service is no proxy.
    if uri.path().is_empty() {
        let is_connect = *request.method() == Method::CONNECT;
        let refuse = || error_response::method_not_allowed(READ, Locale::DEFAULT);
        let response = if is_connect { refuse() } else { error_response::of(ErrorCode::InvalidRequest) };
        return (TargetKind::None, response);
    }
    let decoded = target::decode(uri.path());
    let path = decoded.as_deref().unwrap_or(uri.path());
    if let Some(to) = site.find_query(path, uri.query()).filter(|_| is_read(request)) {
        return (TargetKind::Redirect, content::redirect(&site, to, None));
    }
    let found = if decoded.is_some() { site.find(path) } else { None };
    let kind = match found {
        Some(Target::Route(route)) => {
            let query = search::PageQuery::of(&site, (*route, path), request);
            if let Some(response) = query.and_then(|query| search_response(state, &site, &query, request)) {
                return (TargetKind::Class(route.class), response);
            }
            TargetKind::Class(route.class)
        }
        Some(Target::Computed { number, .. }) => {
            let response = Box::pin(routes::at(*number).answer(state, &site, request));
            return (TargetKind::Endpoint, response.await);
        }
        Some(Target::Redirect(_)) => TargetKind::Redirect,
        None => TargetKind::None,
    };
    if !is_api(path) && !matches!(found, Some(Target::Route(route)) if route.is_authenticated) {
        let response = read_with_method(&site, found, path, request);
        // A path with a superfluous slash has no target of its own.
        let kind = if response.status() == StatusCode::PERMANENT_REDIRECT { TargetKind::Redirect } else { kind };
        return (kind, response);
    }
    // Preflights are not counted: a script cannot read a rejected one, not even its `Retry-After`.
    if cors::is_preflight(request) {
        return (kind, cors::allow(READ));
    }
    let admitted = match admission::admit(state, &site, request, Surface::Content).await {
        Ok(admitted) => admitted,
        Err(refused) => return (kind, refused.response()),
    };
    let response = if is_read(request) {
        content::read(&site, found, path, request, CacheScope::of(&admitted.principal))
    } else {
        error_response::method_not_allowed(READ, Locale::DEFAULT)
    };
    (kind, admitted.account(response))
}

/// Answers a query of the search page, within the limit of its client.
fn search_response(
    state: &AppState,
    site: &ServedSite,
    query: &search::PageQuery<'_>,
    request: &ServiceRequest,
) -> Option<Response> {
    match admission::admit_anonymous(state, site, request, Surface::Search) {
        Ok(admitted) => query.answer(site).map(|response| admitted.account(response)),
        Err(refused) => query.too_many(site).map(|response| refused.account(response)),
    }
}

/// Answers a target that is too long, whatever the method and the credential: with a page where people open a form.
fn too_long(state: &AppState, site: &ServedSite, request: &ServiceRequest) -> Response {
    match site.find(request.path()) {
        Some(Target::Computed { number, .. }) => routes::at(*number).refuse(state, request, ErrorCode::UriTooLong),
        _ if is_api(request.path()) => match admission::admit_anonymous(state, site, request, Surface::Content) {
            Ok(admitted) => admitted.account(error_response::of(ErrorCode::UriTooLong)),
            Err(refused) => refused.response(),
        },
        Some(Target::Route(route)) if is_read(request) => site
            .forms
            .search_at(request.path())
            .and_then(|page| search::too_long(site, page, *route))
            .unwrap_or_else(|| error_response::of(ErrorCode::UriTooLong)),
        _ => error_response::of(ErrorCode::UriTooLong),
    }
}

/// Whether `path` belongs to the content API, known or not.
fn is_api(path: &str) -> bool {
    const API: &str = JSON_PREFIXES[0];
    const { assert!(matches!(API_BASE.as_bytes(), [b'/', b'a', b'p', b'i', b'/', ..])) };
    path.strip_prefix(API).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers outside the content API, where an unsupported method is rejected only if the path exists.
fn read_with_method(site: &ServedSite, found: Option<&Target>, path: &str, request: &ServiceRequest) -> Response {
    if is_read(request) {
        return content::read(site, found, path, request, CacheScope::Public);
    }
    let is_known = found.is_some() || content::without_slash(site, path).is_some();
    // A script may read the 404 of an unknown document.
    let nothing_for_programs = !is_known && is_for_programs(path);
    if cors::is_preflight(request) && (is_known || nothing_for_programs) {
        return match found {
            Some(Target::Route(route)) if route.cors => cors::allow(READ),
            _ if nothing_for_programs => cors::allow(READ),
            _ => cors::deny(),
        };
    }
    if is_known {
        error_response::method_not_allowed(READ, locale_of(path))
    } else {
        content::not_found(site, path, request)
    }
}
