//! What an answer carries after the fields that the HTTP library writes.

use actix_http::Response;
use actix_web::http::{
    StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderValue, REFERRER_POLICY,
        X_CONTENT_TYPE_OPTIONS,
    },
};
use bytes::Bytes;
use contract::{
    headers::{NOSNIFF, NOTHING_LOADED, REFERRERS},
    media,
};

use crate::edge::head::Head;

/// `Cache-Control` of everything that must be requested anew each time.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// An answer, before it is handed to its connection.
pub(crate) type Reply = Response<Payload>;

/// Prepared fields, if there are any, and the body.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    /// Only a prepared answer has them.
    pub(crate) fields: Option<Fields>,
    pub(crate) body: Bytes,
}

/// The fields of a prepared answer but for those of the moment; the length of its body is among them.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) head: Head,
    /// Where the lines of a limit begin, if the request counts on one.
    limit: Option<usize>,
}

impl Fields {
    /// Returns the lines that the build has, without those of a limit.
    pub(crate) fn of_build(&self) -> &[u8] {
        let lines = self.head.as_bytes();
        lines.get(..self.limit.unwrap_or(lines.len())).unwrap_or_default()
    }

    /// Whether the request counts on a limit.
    pub(crate) fn is_counted(&self) -> bool {
        self.limit.is_some()
    }

    /// Returns the head, to which the lines of a limit are to be added.
    pub(crate) fn begin_limit(&mut self) -> &mut Head {
        self.limit = Some(self.head.as_bytes().len());
        &mut self.head
    }
}

/// Creates an answer whose fields are still to be set.
pub(crate) fn reply(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    Response::with_body(status, Payload { fields: None, body: body.into() })
}

/// Creates the same without a body.
pub(crate) fn empty(status: StatusCode) -> Reply {
    reply(status, Bytes::new())
}

/// Creates an answer whose fields are set.
pub(crate) fn prepared(status: StatusCode, head: Head, body: Bytes) -> Reply {
    Response::with_body(status, Payload { fields: Some(Fields { head, limit: None }), body })
}

/// Creates an answer for a program, made for this request.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    let mut response = reply(status, body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::JSON));
    harden(headers);
    response
}

/// Creates the same without a body.
pub(crate) fn nothing(status: StatusCode) -> Reply {
    let mut response = empty(status);
    harden(response.headers_mut());
    response
}

/// Sets the fields of everything that is made for one request: nobody may keep it, and it is not a page.
pub(crate) fn harden(headers: &mut HeaderMap) {
    headers.insert(CACHE_CONTROL, NO_STORE);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static(NOSNIFF));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(NOTHING_LOADED));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static(REFERRERS));
}
