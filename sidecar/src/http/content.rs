//! Responses from the build.

use actix_web::{
    dev::ServiceRequest,
    http::{
        StatusCode,
        header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, HeaderValue, IF_NONE_MATCH, LOCATION},
    },
};
use contract::{
    errors::ErrorCode,
    manifest::{Axis, Class},
};

use super::{
    negotiate::{self, Medium},
    request::{method::is_read, target, values},
    response::{NO_STORE, Response, conditional, cors, error_response},
    site::{self, BuildRoute, CacheScope, PageVariants, SelectedVariant, ServedSite, Target, VariantId},
};

/// Answers a GET or HEAD of `path`, whose target is `found`.
pub(crate) fn read(
    site: &ServedSite,
    found: Option<&Target>,
    path: &str,
    request: &ServiceRequest,
    scope: CacheScope,
) -> Response {
    match found {
        Some(Target::Route(route)) => read_route(site, *route, request, scope),
        Some(Target::Redirect(to)) => redirect(site, to, request.uri().query()),
        Some(Target::Computed { .. }) | None => match without_slash(site, path) {
            Some(to) => redirect(site, to, request.uri().query()),
            None => not_found(site, path, request),
        },
    }
}

fn read_route(site: &ServedSite, route: BuildRoute, request: &ServiceRequest, scope: CacheScope) -> Response {
    let id = match route.axis {
        None => Some(route.first),
        Some(Axis::Locale) => match target::locale(request.uri().query()) {
            Ok(locale) => site::variant(route, Some(locale)),
            Err(target::InvalidLocale) => return error_response::of(ErrorCode::InvalidLocale),
        },
        Some(Axis::Accept) => {
            let page = PageVariants { html: route.first, markdown: route.first.next() };
            let id = in_medium(page, request, Medium::Html);
            if id.is_none() {
                return error_response::not_acceptable(&site.url, site.locations(page));
            }
            id
        }
    };
    let Some(selected) = id.and_then(|id| in_coding(site, id, request)) else {
        return error_response::of(ErrorCode::InternalError);
    };
    let etag = selected.etag();
    let is_modified = !conditional::names(values(request, &IF_NONE_MATCH), etag.as_bytes());
    selected.respond(etag, scope, is_modified)
}

/// Answers an unknown path: with a document for programs, with a page for readers. The status is 404 whatever the
/// method, `Accept` and `If-None-Match`: 405, 406 and 304 would imply that the path exists.
pub(crate) fn not_found(site: &ServedSite, path: &str, request: &ServiceRequest) -> Response {
    // For the path of a Markdown twin, an absent `Accept` and wildcards mean Markdown.
    let otherwise = if path.ends_with(".md") { Medium::Markdown } else { Medium::Html };
    let accept = || values(request, &ACCEPT);
    let is_program = negotiate::medium(accept(), otherwise).is_none() && negotiate::accepts_json(accept());
    // A browser that sends a form names HTML; other methods are used by programs.
    let is_sent = !is_read(request) && negotiate::is_unnamed(accept);
    let is_for_programs = is_program || is_sent || contract::routes::is_for_programs(path);
    let page = if is_for_programs { None } else { site.not_found(path) };
    // A client that accepts neither medium gets the HTML page: a 406 would imply that the path exists.
    let id = page.map(|page| in_medium(page, request, otherwise).unwrap_or(page.html));
    match id.and_then(|id| in_coding(site, id, request)) {
        Some(selected) => selected.whole(StatusCode::NOT_FOUND),
        None => error_response::of(ErrorCode::NotFound),
    }
}

/// Redirects to the decoded `path` with `query`. The redirect of a route is cached as its class says. Security: any
/// other is not cached, because the links that people open hold a secret.
pub(crate) fn redirect(site: &ServedSite, path: &str, query: Option<&str>) -> Response {
    let class = class_of(site, path);
    let path = target::encode(path);
    let location = match query {
        Some(query) => HeaderValue::from_str(&format!("{path}?{query}")),
        None => HeaderValue::from_str(&path),
    };
    let Ok(location) = location else { return error_response::of(ErrorCode::NotFound) };
    let cache_control = match class {
        Some(class) => site.cache_control(class).cloned(),
        None => Some(NO_STORE),
    };
    let mut response = cors::deny();
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let headers = response.headers_mut();
    headers.insert(LOCATION, location);
    if let Some(cache_control) = cache_control {
        headers.insert(CACHE_CONTROL, cache_control);
    }
    response
}

/// Returns the path of the page to which `path` redirects if it has a superfluous slash. API paths have no such
/// redirect, because clients drop credentials on redirects.
pub(crate) fn without_slash<'a>(site: &'a ServedSite, path: &'a str) -> Option<&'a str> {
    let bare = path.strip_suffix('/')?;
    let to = match site.find(bare)? {
        Target::Route(_) => bare,
        Target::Redirect(to) => to,
        Target::Computed { is_page, .. } => return is_page.then_some(bare),
    };
    (class_of(site, to) == Some(Class::Page)).then_some(to)
}

fn class_of(site: &ServedSite, path: &str) -> Option<Class> {
    match site.find(path)? {
        Target::Route(route) => Some(route.class),
        Target::Redirect(_) | Target::Computed { .. } => None,
    }
}

/// Returns the variant in the medium that `request` prefers, or `otherwise` if it names none.
fn in_medium(page: PageVariants, request: &ServiceRequest, otherwise: Medium) -> Option<VariantId> {
    match negotiate::medium(values(request, &ACCEPT), otherwise)? {
        Medium::Html => Some(page.html),
        Medium::Markdown => Some(page.markdown),
    }
}

fn in_coding<'a>(site: &'a ServedSite, id: VariantId, request: &ServiceRequest) -> Option<SelectedVariant<'a>> {
    site.select(id, |available| negotiate::coding(values(request, &ACCEPT_ENCODING), available))
}
