//! Methods.

use actix_web::{dev::ServiceRequest, http::Method};

/// The value of `Allow` for everything that is read.
pub(crate) const READ: &str = "GET, HEAD";

/// Whether the method only reads.
pub(crate) fn is_read(request: &ServiceRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}
