//! Answers from the build.

use actix_http::{HttpMessage as _, Request};
use actix_web::http::{
    StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION},
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
    negotiate::{self, Medium},
    request::target,
    site::{
        self, Site,
        outline::Pages,
        representation::{Chosen, Number},
        table::Route,
    },
};

/// Answers a GET or HEAD of `route`.
pub(crate) fn answer(site: &Site, route: Route, request: &Request) -> Reply {
    let number = match route.axis {
        None => Some(route.first),
        Some(Axis::Locale) => match target::locale(request.uri().query()) {
            Ok(locale) => site::variant(route, Some(locale)),
            Err(target::InvalidLocale) => return refusal::refuse(ErrorCode::InvalidLocale),
        },
        Some(Axis::Accept) => {
            let pages = Pages { html: route.first, markdown: route.first.next() };
            let number = page(pages, request);
            if number.is_none() {
                return refusal::not_acceptable(&site.url, site.places(pages));
            }
            number
        }
    };
    let Some(chosen) = number.and_then(|number| in_coding(site, number, request)) else {
        return refusal::refuse(ErrorCode::InternalError);
    };
    let class = site.class(route.class);
    let tag = chosen.etag();
    if conditional::names(values(request, &IF_NONE_MATCH), tag.as_bytes()) {
        return payload::prepared(StatusCode::NOT_MODIFIED, chosen.unmodified(class.unmodified(), &tag), Bytes::new());
    }
    payload::prepared(StatusCode::OK, chosen.whole(class.whole(), &tag), chosen.body())
}

/// Answers a request for a path that leads nowhere: a document for programs, a page for readers.
pub(crate) fn not_found(site: &Site, path: &str, request: &Request) -> Reply {
    if contract::routes::is_for_programs(path) {
        return refusal::refuse(ErrorCode::NotFound);
    }
    let Some((pages, fields)) = site.not_found(path) else { return refusal::refuse(ErrorCode::NotFound) };
    // A reader who accepts neither is told in HTML that there is nothing; 406 would send them looking for more.
    let number = page(pages, request).unwrap_or(pages.html);
    let Some(chosen) = in_coding(site, number, request) else { return refusal::refuse(ErrorCode::NotFound) };
    payload::prepared(StatusCode::NOT_FOUND, chosen.nameless(fields), chosen.body())
}

/// Answers with `path`, decoded; the query is kept. Of a route of the build it may be kept as that says; elsewhere nobody
/// keeps it, for what people open with a link holds a secret.
pub(crate) fn redirect(site: &Site, path: &str, class: Option<Class>, request: &Request) -> Reply {
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
    if let Some(cache_control) = class.map_or(Some(refusal::NO_STORE), |class| site.class(class).cache_control.clone())
    {
        headers.insert(CACHE_CONTROL, cache_control);
    }
    response
}

fn page(pages: Pages, request: &Request) -> Option<Number> {
    match negotiate::medium(values(request, &ACCEPT))? {
        Medium::Html => Some(pages.html),
        Medium::Markdown => Some(pages.markdown),
    }
}

fn in_coding<'a>(site: &'a Site, number: Number, request: &Request) -> Option<Chosen<'a>> {
    site.choose(number, |available| negotiate::coding(values(request, &ACCEPT_ENCODING), available))
}

/// The values of all lines of a request field.
pub(crate) fn values<'a>(request: &'a Request, name: &HeaderName) -> impl Iterator<Item = &'a [u8]> {
    request.headers().get_all(name).map(HeaderValue::as_bytes)
}
