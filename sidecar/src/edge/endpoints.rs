//! Paths whose answers are computed, in one table. What is not built yet says so.

use actix_http::{Request, Response, body::BoxBody};
use actix_web::http::{
    Method,
    header::{HeaderValue, RETRY_AFTER},
};
use contract::{errors::ErrorCode, routes};

use super::{cors, refusal};

/// A path with its methods.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) path: &'static str,
    /// Methods that do something.
    methods: &'static [Method],
    /// Value of `Allow`.
    allow: &'static str,
    /// Methods that scripts of other origins may use; `None` for forms that a person fills in.
    scripts: Option<&'static str>,
}

/// Seconds after which a client may try again.
const RETRY: HeaderValue = HeaderValue::from_static("60");

const fn posted(path: &'static str) -> Endpoint {
    Endpoint { path, methods: &[Method::POST], allow: "POST, OPTIONS", scripts: Some("POST") }
}

/// Every computed path.
pub(crate) static ENDPOINTS: [Endpoint; 8] = [
    posted(routes::MCP),
    posted(routes::REGISTER),
    posted(routes::CLAIM),
    posted(routes::CLAIM_COMPLETE),
    posted(routes::PROVIDER_REVOKE),
    posted(routes::TOKEN),
    posted(routes::REVOKE),
    Endpoint {
        path: routes::ACCESS,
        methods: &[Method::GET, Method::HEAD, Method::POST],
        allow: "GET, HEAD, POST",
        scripts: None,
    },
];

impl Endpoint {
    /// The answer to `request`.
    pub(crate) fn answer(&self, request: &Request) -> Response<BoxBody> {
        if cors::is_preflight(request) {
            return self.scripts.map_or_else(cors::deny, cors::allow);
        }
        if !self.methods.contains(request.method()) {
            return refusal::method_not_allowed(self.allow);
        }
        let mut response = refusal::refuse(ErrorCode::Unavailable);
        response.headers_mut().insert(RETRY_AFTER, RETRY);
        response
    }
}
