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
use mcp::Catalogue;

use super::{
    negotiate::{self, Medium},
    request::{method::is_read, values},
    response::{NO_STORE, Response},
    site::{BuildRoute, ServedSite},
    usage::UsageNote,
};

const PRIVATE: HeaderValue = HeaderValue::from_static("private, max-age=60");
const NOT_LISTED: HeaderValue = HeaderValue::from_static("noindex");

pub(super) struct PageQuery<'s> {
    route: BuildRoute,
    page: &'s SearchPage,
    catalogue: &'s Catalogue,
    /// The part of the address behind `?`.
    address: &'s str,
    is_markdown: bool,
}

impl<'s> PageQuery<'s> {
    /// Reads the query at `path`, which is `route`; `None` if this is not the search page or has no query.
    pub(super) fn of(
        site: &'s ServedSite,
        (route, path): (BuildRoute, &str),
        request: &'s ServiceRequest,
    ) -> Option<Self> {
        let address = request.uri().query().filter(|query| !query.is_empty() && is_read(request))?;
        let (page, catalogue) = (site.forms.search_at(path)?, site.catalogue.as_ref()?);
        let is_markdown = match route.axis {
            Some(Axis::Accept) => negotiate::medium(values(request, &ACCEPT), Medium::Html)? == Medium::Markdown,
            _ => true,
        };
        page.has_query(address).then_some(Self { route, page, catalogue, address, is_markdown })
    }

    /// Returns the page of results.
    pub(super) fn answer(&self, site: &ServedSite) -> Option<Response> {
        let sources = (&self.catalogue.indexes, &self.catalogue.laws);
        let SearchAnswer { body, is_bad, unfound } = self.page.answer(sources, self.address, self.is_markdown);
        let status = if is_bad { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        let mut response = of_page(site, self.route, self.is_markdown, status, body)?;
        if let Some(words) = unfound {
            response.extensions_mut().insert(UsageNote::Unfound(words));
        }
        Some(response)
    }

    /// Returns the page for a client that exceeds its limit.
    pub(super) fn too_many(&self, site: &ServedSite) -> Option<Response> {
        let body = self.page.too_many(self.address, self.is_markdown);
        let mut response = of_page(site, self.route, self.is_markdown, StatusCode::TOO_MANY_REQUESTS, body)?;
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
        Some(response)
    }
}

/// Answers an address of the search page that is too long.
pub(super) fn too_long(site: &ServedSite, page: &SearchPage, route: BuildRoute) -> Option<Response> {
    of_page(site, route, false, StatusCode::URI_TOO_LONG, page.too_long())
}

/// Returns a response with the fields of the search page in the build.
fn of_page(
    site: &ServedSite,
    route: BuildRoute,
    is_markdown: bool,
    status: StatusCode,
    body: String,
) -> Option<Response> {
    let id = if is_markdown && route.axis.is_some() { route.first.next() } else { route.first };
    let mut response = site.select(id, |_| None)?.whole(status).set_body(body.into());
    let headers = response.headers_mut();
    headers.remove(ETAG);
    headers.insert(CACHE_CONTROL, PRIVATE);
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    headers.insert(HeaderName::from_static(X_ROBOTS_TAG), NOT_LISTED);
    Some(response)
}
