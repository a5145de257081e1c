//! Paths whose answers are computed, in one table: which methods they have, and which handler answers.

use std::{mem, sync::Arc};

use actix_http::{HttpMessage as _, Request};
use actix_web::http::{
    Method, StatusCode,
    header::{ALLOW, HeaderValue},
};
use contract::{errors::ErrorCode, routes};

use super::{
    agent,
    answer::{cors, payload::Reply, refusal},
    forms,
    limits::Exceeded,
    mcp,
    metrics::Kind,
    request::media_type::MediaType,
    shared::{Answer, Later, Shared},
};
use crate::registration::Refusal;

/// A path with its methods.
pub(crate) struct Endpoint {
    path: &'static str,
    /// The methods that do something.
    methods: &'static [Method],
    /// The value of `Allow`.
    allow: &'static str,
    /// The methods that scripts of other origins may use; `None` for forms that a person fills in.
    scripts: Option<&'static str>,
    /// Turns some clients away whatever the method; most endpoints are for everyone.
    gate: fn(&Shared, &Request) -> Option<Reply>,
    /// Whether it belongs to the registration flow, so that its requests count for that.
    is_counted: bool,
    /// Takes the request, whose body has yet to be read.
    handler: fn(Arc<Shared>, Request) -> Later,
}

const fn posted(path: &'static str, handler: fn(Arc<Shared>, Request) -> Later) -> Endpoint {
    Endpoint { scripts: Some("POST"), ..sent(path, handler) }
}

/// Describes a page that a person opens.
const fn read(path: &'static str, handler: fn(Arc<Shared>, Request) -> Later) -> Endpoint {
    Endpoint { methods: &[Method::GET, Method::HEAD], allow: "GET, HEAD", ..sent(path, handler) }
}

/// Describes a page that a person opens, and to which its form is sent.
const fn both(path: &'static str, handler: fn(Arc<Shared>, Request) -> Later) -> Endpoint {
    Endpoint { methods: &[Method::GET, Method::HEAD, Method::POST], allow: "GET, HEAD, POST", ..sent(path, handler) }
}

/// Describes the target of a form that a person sends.
const fn sent(path: &'static str, handler: fn(Arc<Shared>, Request) -> Later) -> Endpoint {
    Endpoint {
        path,
        methods: &[Method::POST],
        allow: "POST, OPTIONS",
        scripts: None,
        gate: everyone,
        is_counted: true,
        handler,
    }
}

/// Every computed path.
static ENDPOINTS: [Endpoint; 14] = [
    // It has limits of its own.
    Endpoint { gate: mcp::gate, is_counted: false, ..posted(routes::MCP, mcp::answer) },
    posted(routes::REGISTER, agent::register),
    posted(routes::CLAIM, agent::claim),
    posted(routes::CLAIM_COMPLETE, agent::complete),
    posted(routes::PROVIDER_REVOKE, agent::provider_revoke),
    posted(routes::TOKEN, agent::token),
    posted(routes::REVOKE, agent::revoke),
    read(routes::CLAIM_VIEW, forms::claim_view),
    sent(routes::CLAIM_CHALLENGE, forms::claim_challenge),
    sent(routes::CLAIM_DENY, forms::claim_deny),
    both(routes::ACCESS, forms::access),
    both(routes::MAIL_STOP, forms::messages),
    read(routes::ACCESS_VIEW, forms::access_list),
    sent(routes::ACCESS_REVOKE, forms::access_revoke),
];

/// Returns all paths, in the order of their numbers.
pub(crate) fn paths() -> impl ExactSizeIterator<Item = &'static str> {
    ENDPOINTS.iter().map(|endpoint| endpoint.path)
}

/// Returns the endpoint at the path with this number.
pub(crate) fn at(number: u8) -> &'static Endpoint {
    &ENDPOINTS[usize::from(number)]
}

impl Endpoint {
    /// Whether it is a page that a person opens.
    pub(crate) fn is_page(&self) -> bool {
        self.scripts.is_none() && self.methods.contains(&Method::GET)
    }

    /// Answers `request`, which is taken if its method does something here.
    pub(crate) fn answer(&self, shared: &Arc<Shared>, request: &mut Request) -> Answer {
        if let Some(refusal) = (self.gate)(shared, request) {
            return Answer::Now(Kind::Endpoint, refusal);
        }
        if cors::is_preflight(request) {
            return Answer::Now(Kind::Endpoint, self.scripts.map_or_else(cors::deny, cors::allow_posted));
        }
        if !self.is_counted {
            return self.serve(shared, request);
        }
        // Security: a client that asks too often is turned away before a body is read or the store is asked.
        let allowance = match agent::pass(shared, request) {
            Ok(allowance) => allowance,
            Err(exceeded) => return Answer::Now(Kind::Endpoint, self.turn_away(shared, request, exceeded)),
        };
        match self.serve(shared, request) {
            Answer::Now(kind, mut response) => {
                shared.limits.registration.tell(allowance, response.headers_mut());
                Answer::Now(kind, response)
            }
            Answer::Later(kind, later) => {
                let shared = Arc::clone(shared);
                let told = async move {
                    let mut response = later.await;
                    // A client that waits for an hourly budget is not told how many requests are left in the minute.
                    if response.status() != StatusCode::TOO_MANY_REQUESTS {
                        shared.limits.registration.tell(allowance, response.headers_mut());
                    }
                    response
                };
                Answer::Later(kind, Box::pin(told))
            }
        }
    }

    fn serve(&self, shared: &Arc<Shared>, request: &mut Request) -> Answer {
        if !self.methods.contains(request.method()) {
            return Answer::Now(Kind::Endpoint, self.refuse(shared, request, ErrorCode::MethodNotAllowed));
        }
        let taken = mem::replace(request, Request::new());
        Answer::Later(Kind::Endpoint, (self.handler)(Arc::clone(shared), taken))
    }

    fn turn_away(&self, shared: &Arc<Shared>, request: &Request, exceeded: Exceeded) -> Reply {
        let refusal = Refusal::Limited { retry_after: exceeded.seconds() };
        let mut response = match self.scripts {
            Some(_) => agent::refuse(refusal),
            None => forms::limited(Arc::clone(shared), request, &refusal),
        };
        shared.limits.registration.tell_exceeded(exceeded, response.headers_mut());
        response
    }

    /// Refuses a request that does not get as far as the handler: with a page where people come, who may have opened
    /// the address of a form again; otherwise with a document that scripts may read.
    pub(crate) fn refuse(&self, shared: &Arc<Shared>, request: &Request, code: ErrorCode) -> Reply {
        let is_page = self.scripts.is_none() && MediaType::of(request.headers()) != Some(MediaType::Json);
        let mut response = match (is_page, self.scripts) {
            (true, _) => forms::refused(Arc::clone(shared), request, refusal::status(code)),
            (false, None) => forms::unread(code),
            (false, Some(_)) if self.is_counted => agent::refuse_unread(code),
            (false, Some(_)) => refusal::refuse(code),
        };
        if code == ErrorCode::MethodNotAllowed {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(self.allow));
        }
        response
    }
}

fn everyone(_: &Shared, _: &Request) -> Option<Reply> {
    None
}
