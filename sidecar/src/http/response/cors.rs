//! Cross-origin requests by scripts (Fetch standard, "CORS protocol"), never with the browser's credentials.

use actix_web::{
    dev::ServiceRequest,
    http::{
        Method, StatusCode,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
            ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap,
            HeaderValue, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
        },
    },
};
use bytes::Bytes;
use contract::headers::{CORS_ALLOWED, CORS_ALLOWED_POSTED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, REFERRERS};

use super::{Response, plain};

pub(crate) fn is_preflight(request: &ServiceRequest) -> bool {
    let headers = request.headers();
    *request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Lets scripts of every origin read the response.
pub(crate) fn readable(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(CORS_EXPOSED));
}

/// Returns the response to a preflight for a resource that scripts may read with `methods`.
pub(crate) fn allow(methods: &'static str) -> Response {
    allow_fields(methods, CORS_ALLOWED)
}

/// Returns the response to a preflight for a resource to which scripts may post with `methods`.
pub(crate) fn allow_posted(methods: &'static str) -> Response {
    allow_fields(methods, CORS_ALLOWED_POSTED)
}

fn allow_fields(methods: &'static str, fields: &'static str) -> Response {
    let mut response = deny();
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(fields));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(CORS_MAX_AGE));
    response
}

/// Returns the response to a preflight that allows nothing.
pub(crate) fn deny() -> Response {
    let mut response = plain(StatusCode::NO_CONTENT, Bytes::new());
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static(NOSNIFF));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static(REFERRERS));
    response
}
