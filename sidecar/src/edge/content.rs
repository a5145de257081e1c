//! Answers from the build.

use actix_http::Request;
use actix_web::http::{
    StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, HeaderValue, IF_NONE_MATCH, LOCATION},
};
use bytes::Bytes;
use contract::{
    errors::ErrorCode,
    manifest::{Axis, Class},
};

use super::{
    answer::{
        conditional, cors,
        payload::{self, Reply},
        refusal,
    },
    endpoints,
    negotiate::{self, Medium},
    request::{target, values},
    site::{
        self, Site,
        outline::{Pages, Reader},
        representation::{Chosen, Number},
        table::{Route, Target},
    },
};

/// Answers a GET or HEAD by `reader`.
pub(crate) fn read_path(site: &Site, request: &Request, reader: Reader) -> Reply {
    let decoded = target::decode(request.uri().path());
    let path = decoded.as_deref().unwrap_or(request.uri().path());
    let found = if decoded.is_some() { site.find(path) } else { None };
    read(site, found, path, request, reader)
}

/// Answers a GET or HEAD of `path` by `reader`; `found` was looked up for it.
pub(crate) fn read(site: &Site, found: Option<&Target>, path: &str, request: &Request, reader: Reader) -> Reply {
    match found {
        Some(Target::Route(route)) => of_route(site, *route, request, reader),
        Some(Target::Redirect(place)) => match site.led_to(*place) {
            Some((to, class)) => redirect(site, to, Some(class), request),
            None => not_found(site, path, request),
        },
        _ => match slashless(site, path) {
            Some((to, class)) => redirect(site, to, class, request),
            None => not_found(site, path, request),
        },
    }
}

/// Answers a GET or HEAD of `route`.
fn of_route(site: &Site, route: Route, request: &Request, reader: Reader) -> Reply {
    let number = match route.axis {
        None => Some(route.first),
        Some(Axis::Locale) => match target::locale(request.uri().query()) {
            Ok(locale) => site::variant(route, Some(locale)),
            Err(target::InvalidLocale) => return refusal::refuse(ErrorCode::InvalidLocale),
        },
        Some(Axis::Accept) => {
            let pages = Pages { html: route.first, markdown: route.first.next() };
            let number = page(pages, request, Medium::Html);
            if number.is_none() {
                return refusal::not_acceptable(&site.url, site.places(pages));
            }
            number
        }
    };
    let Some(chosen) = number.and_then(|number| in_coding(site, number, request)) else {
        return refusal::refuse(ErrorCode::InternalError);
    };
    let class = site.class(route.class, reader);
    let tag = chosen.etag();
    if conditional::names(values(request, &IF_NONE_MATCH), tag.as_bytes()) {
        return payload::prepared(StatusCode::NOT_MODIFIED, chosen.unmodified(class.unmodified(), &tag), Bytes::new());
    }
    payload::prepared(StatusCode::OK, chosen.whole(class.whole(), &tag), chosen.body())
}

/// Answers a request for a path that leads nowhere: with a document for programs, with a page for readers.
pub(crate) fn not_found(site: &Site, path: &str, request: &Request) -> Reply {
    if contract::routes::is_for_programs(path) {
        return refusal::refuse(ErrorCode::NotFound);
    }
    let Some((pages, fields)) = site.not_found(path) else { return refusal::refuse(ErrorCode::NotFound) };
    // A client that asks for a twin wants Markdown.
    let otherwise = if path.ends_with(".md") { Medium::Markdown } else { Medium::Html };
    // A reader who accepts neither is told in HTML that there is nothing; a 406 would send them looking for more.
    let number = page(pages, request, otherwise).unwrap_or(pages.html);
    let Some(chosen) = in_coding(site, number, request) else { return refusal::refuse(ErrorCode::NotFound) };
    payload::prepared(StatusCode::NOT_FOUND, chosen.nameless(fields), chosen.body())
}

/// Redirects to `path`, decoded, keeping the query. The redirect of a route of the build may be cached as the route's
/// class says; any other is cached by nobody, because what people open with a link holds a secret.
fn redirect(site: &Site, path: &str, class: Option<Class>, request: &Request) -> Reply {
    let path = target::encode(path);
    let location = match request.uri().query() {
        Some(query) => HeaderValue::from_str(&format!("{path}?{query}")),
        None => HeaderValue::from_str(&path),
    };
    let Ok(location) = location else { return refusal::refuse(ErrorCode::NotFound) };
    let mut response = cors::deny();
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let headers = response.headers_mut();
    headers.insert(LOCATION, location);
    if let Some(cache_control) =
        class.map_or(Some(payload::NO_STORE), |class| site.class(class, Reader::Anyone).cache_control.clone())
    {
        headers.insert(CACHE_CONTROL, cache_control);
    }
    response
}

/// Returns where a page's path with a superfluous slash leads, and the class of its route if it has one. An API path
/// leads nowhere, because clients drop credentials on redirects.
pub(crate) fn slashless<'a>(site: &'a Site, path: &'a str) -> Option<(&'a str, Option<Class>)> {
    let bare = path.strip_suffix('/')?;
    let (to, class) = match site.find(bare)? {
        Target::Route(route) => (bare, route.class),
        Target::Redirect(place) => site.led_to(*place)?,
        Target::Endpoint(number) => return endpoints::at(*number).is_page().then_some((bare, None)),
    };
    (class == Class::Page).then_some((to, Some(class)))
}

/// The medium that `request` asks for, which means the one `otherwise` where it names none.
fn page(pages: Pages, request: &Request, otherwise: Medium) -> Option<Number> {
    match negotiate::medium(values(request, &ACCEPT), otherwise)? {
        Medium::Html => Some(pages.html),
        Medium::Markdown => Some(pages.markdown),
    }
}

fn in_coding<'a>(site: &'a Site, number: Number, request: &Request) -> Option<Chosen<'a>> {
    site.choose(number, |available| negotiate::coding(values(request, &ACCEPT_ENCODING), available))
}
