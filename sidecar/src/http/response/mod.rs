//! Responses: a status, header fields and a body.

pub(super) mod conditional;
pub(super) mod cors;
pub(super) mod error_response;

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderValue, REFERRER_POLICY,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
};
use bytes::Bytes;
use contract::{
    headers::{NOSNIFF, NOTHING_LOADED, REFERRERS},
    media,
};

/// A response, before the service completes it.
pub(crate) type Response = HttpResponse<Bytes>;

/// `Cache-Control` of responses that must not be stored.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Creates a response without header fields.
pub(crate) fn plain(status: StatusCode, body: impl Into<Bytes>) -> Response {
    HttpResponse::with_body(status, body.into())
}

/// Creates an uncacheable response with a JSON body.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response {
    let mut response = plain(status, body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::JSON));
    harden(headers);
    response
}

/// Creates an uncacheable response without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    let mut response = plain(status, Bytes::new());
    harden(response.headers_mut());
    response
}

/// Sets the fields of a computed response: it must not be stored, and it is not a page.
pub(crate) fn harden(headers: &mut HeaderMap) {
    headers.insert(CACHE_CONTROL, NO_STORE);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static(NOSNIFF));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(NOTHING_LOADED));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static(REFERRERS));
}
