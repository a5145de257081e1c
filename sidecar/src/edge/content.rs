//! Answers from the build.

use actix_http::{HttpMessage as _, Request};
use actix_web::http::{
    StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION},
};
use bytes::Bytes;
use contract::errors::ErrorCode;

use super::{
    conditional, cors,
    negotiate::{self, Medium},
    payload::{self, Reply},
    refusal,
    representation::{Chosen, Representation},
    site::{Choice, Pages, Redirect, Route, Site},
    target,
};

/// Answers a GET or HEAD of `route`.
pub(crate) fn answer(site: &Site, route: &Route, request: &Request) -> Reply {
    let representation = match &route.choice {
        Choice::One(representation) => representation,
        Choice::Locale(representations) => match target::locale(request.uri().query()) {
            Ok(locale) => &representations[locale],
            Err(target::InvalidLocale) => return refusal::refuse(ErrorCode::InvalidLocale),
        },
        Choice::Accept(pages) => match page(pages, request) {
            Some(representation) => representation,
            None => return refusal::not_acceptable(&site.url, pages),
        },
    };
    let chosen = in_coding(representation, request);
    let class = site.class(route.class);
    if conditional::names(values(request, &IF_NONE_MATCH), chosen.etag()) {
        return payload::prepared(StatusCode::NOT_MODIFIED, chosen.unmodified(&class.unmodified), Bytes::new());
    }
    payload::prepared(StatusCode::OK, chosen.whole(&class.whole), chosen.body())
}

/// Answers a request for a path that leads nowhere: a document for programs, a page for readers.
pub(crate) fn not_found(site: &Site, path: &str, request: &Request) -> Reply {
    if contract::routes::is_for_programs(path) {
        return refusal::refuse(ErrorCode::NotFound);
    }
    let Some((pages, fields)) = site.not_found(path) else { return refusal::refuse(ErrorCode::NotFound) };
    // A reader who accepts neither is told in HTML that there is nothing; 406 would send them looking for more.
    let representation = page(pages, request).unwrap_or(&pages.html);
    let chosen = in_coding(representation, request);
    payload::prepared(StatusCode::NOT_FOUND, chosen.nameless(fields), chosen.body())
}

/// Answers with another path, which is already encoded; the query is kept.
pub(crate) fn redirect(site: &Site, redirect: &Redirect, request: &Request) -> Reply {
    let location = match request.uri().query() {
        Some(query) => HeaderValue::from_str(&format!("{}?{query}", redirect.to)),
        None => HeaderValue::from_str(&redirect.to),
    };
    let Ok(location) = location else { return refusal::refuse(ErrorCode::NotFound) };
    let mut response = cors::deny();
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let headers = response.headers_mut();
    headers.insert(LOCATION, location);
    if let Some(cache_control) = &site.class(redirect.class).cache_control {
        headers.insert(CACHE_CONTROL, cache_control.clone());
    }
    response
}

fn page<'a>(pages: &'a Pages, request: &Request) -> Option<&'a Representation> {
    match negotiate::medium(values(request, &ACCEPT))? {
        Medium::Html => Some(&pages.html),
        Medium::Markdown => Some(&pages.markdown),
    }
}

fn in_coding<'a>(representation: &'a Representation, request: &Request) -> Chosen<'a> {
    let coding = negotiate::coding(values(request, &ACCEPT_ENCODING), representation.available());
    representation.choose(coding)
}

/// The values of all lines of a request field.
pub(crate) fn values<'a>(request: &'a Request, name: &HeaderName) -> impl Iterator<Item = &'a [u8]> {
    request.headers().get_all(name).map(HeaderValue::as_bytes)
}
