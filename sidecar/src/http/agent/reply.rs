//! Responses with and without a body, and their common header fields.

use actix_web::http::{StatusCode, header::PRAGMA};
use serde::Serialize;

use crate::http::{
    response,
    response::{Response, cors, error_response::NO_CACHE},
};

/// The number of revoked registrations.
#[derive(Serialize)]
pub(super) struct RevokedBody {
    pub(super) revoked: usize,
}

pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let mut text = serde_json::to_vec(body).unwrap_or_default();
    // End with a line feed, as the documents of the build do, for use in a shell.
    text.push(b'\n');
    with_fields(response::json(status, text))
}

/// Returns a response without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    with_fields(response::empty(status))
}

fn with_fields(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(PRAGMA, NO_CACHE);
    cors::readable(headers);
    response
}
