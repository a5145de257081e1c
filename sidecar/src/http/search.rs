//! The search page with the results of a query.
//!
//! Security: queries are not logged.

use actix_web::{
    dev::ServiceRequest,
    http::{
        StatusCode,
        header::{ACCEPT, CACHE_CONTROL, ETAG, HeaderName, HeaderValue, VARY},
    },
};
use contract::{headers::X_ROBOTS_TAG, manifest::Axis};
use forms::{SearchAnswer, SearchPage};

use super::{
    admission,
    negotiate::{self, Medium},
    request::{method::is_read, values},
    response::{NO_STORE, Response},
    site::{BuildRoute, Site},
    state::AppState,
};

const PRIVATE: HeaderValue = HeaderValue::from_static("private, max-age=60");
const NOT_LISTED: HeaderValue = HeaderValue::from_static("noindex");

/// Answers a query at `path`, which is `route`; `None` if this is not the search page or has no query.
pub(super) fn answer(
    state: &AppState,
    site: &Site,
    (route, path): (BuildRoute, &str),
    request: &ServiceRequest,
) -> Option<Response> {
    let address = request.uri().query().filter(|query| !query.is_empty() && is_read(request))?;
    let (page, catalogue) = (site.forms.search_at(path)?, site.catalogue.as_ref()?);
    let is_markdown = match route.axis {
        Some(Axis::Accept) => negotiate::medium(values(request, &ACCEPT), Medium::Html)? == Medium::Markdown,
        _ => true,
    };
    // A request without a query is not counted.
    if !page.has_query(address) {
        return None;
    }
    let quota = &site.limits.search;
    let decision = match admission::count(state, quota, admission::client(state, request), 1) {
        Ok(decision) => decision,
        Err(exceeded) => {
            let body = page.too_many(address, is_markdown);
            let mut response = of_page(site, route, is_markdown, StatusCode::TOO_MANY_REQUESTS, body)?;
            response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
            quota.write_exceeded_fields(exceeded, response.headers_mut());
            return Some(response);
        }
    };
    let SearchAnswer { body, is_bad } = page.answer(&catalogue.indexes, address, is_markdown);
    let status = if is_bad { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let mut response = of_page(site, route, is_markdown, status, body)?;
    quota.write_fields(decision, response.headers_mut());
    Some(response)
}

/// Answers an address of the search page that is too long.
pub(super) fn too_long(site: &Site, page: &SearchPage, route: BuildRoute) -> Option<Response> {
    of_page(site, route, false, StatusCode::URI_TOO_LONG, page.too_long())
}

/// Returns a response with the fields of the search page in the build.
fn of_page(site: &Site, route: BuildRoute, is_markdown: bool, status: StatusCode, body: String) -> Option<Response> {
    let id = if is_markdown && route.axis.is_some() { route.first.next() } else { route.first };
    let mut response = site.select(id, |_| None)?.whole(status).set_body(body.into());
    let headers = response.headers_mut();
    headers.remove(ETAG);
    headers.insert(CACHE_CONTROL, PRIVATE);
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    headers.insert(HeaderName::from_static(X_ROBOTS_TAG), NOT_LISTED);
    Some(response)
}
