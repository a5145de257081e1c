//! Parsers of the parts of a request.

pub(super) mod body;
pub(super) mod host;
pub(super) mod media_type;
pub(super) mod method;
pub(super) mod origin;
pub(super) mod parameters;
pub(super) mod target;

use actix_web::{
    dev::ServiceRequest,
    http::header::{HeaderName, HeaderValue},
};

/// Returns the values of all lines of a request field.
pub(crate) fn values<'a>(request: &'a ServiceRequest, name: &HeaderName) -> impl Iterator<Item = &'a [u8]> {
    request.headers().get_all(name).map(HeaderValue::as_bytes)
}
