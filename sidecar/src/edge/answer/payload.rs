//! What an answer carries behind the fields that the HTTP library writes.

use actix_http::Response;
use actix_web::http::StatusCode;
use bytes::Bytes;

use crate::edge::head::Head;

/// An answer, before it is handed to its connection.
pub(crate) type Reply = Response<Payload>;

/// Prepared fields, if there are any, and the body.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    /// Of an answer that was prepared, every field but those of the moment; the length of its body is among them.
    pub(crate) fields: Option<Head>,
    pub(crate) body: Bytes,
}

/// An answer whose fields are still to be set.
pub(crate) fn reply(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    Response::with_body(status, Payload { fields: None, body: body.into() })
}

/// The same without a body.
pub(crate) fn empty(status: StatusCode) -> Reply {
    reply(status, Bytes::new())
}

/// An answer whose fields are set.
pub(crate) fn prepared(status: StatusCode, fields: Head, body: Bytes) -> Reply {
    Response::with_body(status, Payload { fields: Some(fields), body })
}
