//! Answers with and without a body, and the header fields that all of them carry.

use actix_web::http::{StatusCode, header::PRAGMA};
use serde::Serialize;

use crate::http::{
    response,
    response::{Response, cors, error_response::NO_CACHE},
};

/// How many registrations ended.
#[derive(Serialize)]
pub(super) struct RevokedBody {
    pub(super) revoked: usize,
}

/// Answers with `body`.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let mut text = serde_json::to_vec(body).unwrap_or_default();
    // Like the documents of the build: a shell shows its prompt below.
    text.push(b'\n');
    with_fields(response::json(status, text))
}

/// Answers without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    with_fields(response::empty(status))
}

fn with_fields(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(PRAGMA, NO_CACHE);
    cors::readable(headers);
    response
}
