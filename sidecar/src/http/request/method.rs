//! Methods.

use actix_web::{dev::ServiceRequest, http::Method};

/// The value of `Allow` for resources that are only read.
pub(crate) const READ: &str = "GET, HEAD";

/// Whether the method is GET or HEAD.
pub(crate) fn is_read(request: &ServiceRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}
