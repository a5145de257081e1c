//! The table of computed routes, with their methods and handlers.

use actix_web::{
    dev::ServiceRequest,
    http::{
        Method,
        header::{ALLOW, HeaderValue},
    },
};
use contract::{errors::ErrorCode, routes};
use registration::domain::RegistrationError;

use super::{
    admission::{self, NotAdmitted, Surface},
    agent,
    agent::identity,
    forms,
    handler::{Handler, Incoming},
    mcp,
    request::media_type::MediaType,
    response::{Response, cors, error_response},
    site::ServedSite,
    state::AppState,
};

pub(crate) struct ComputedRoute {
    path: &'static str,
    /// The methods that the handler answers.
    methods: &'static [Method],
    /// The value of `Allow`.
    allow: &'static str,
    /// The methods that scripts of other origins may use; `None` for forms that a person fills in.
    scripts: Option<&'static str>,
    /// Rejects a request whatever its method; most routes reject none.
    gate: fn(&AppState, &ServiceRequest) -> Option<Response>,
    surface: Surface,
    handler: Handler,
}

const fn posted(path: &'static str, handler: Handler) -> ComputedRoute {
    ComputedRoute { scripts: Some("POST"), ..sent(path, handler) }
}

/// A page that a person opens.
const fn read(path: &'static str, handler: Handler) -> ComputedRoute {
    ComputedRoute { methods: &[Method::GET, Method::HEAD], allow: "GET, HEAD", ..sent(path, handler) }
}

/// A page that a person opens, and to which its form is sent.
const fn both(path: &'static str, handler: Handler) -> ComputedRoute {
    ComputedRoute {
        methods: &[Method::GET, Method::HEAD, Method::POST],
        allow: "GET, HEAD, POST",
        ..sent(path, handler)
    }
}

/// The target of a form that a person sends.
const fn sent(path: &'static str, handler: Handler) -> ComputedRoute {
    ComputedRoute {
        path,
        methods: &[Method::POST],
        allow: "POST, OPTIONS",
        scripts: None,
        gate: |_, _| None,
        surface: Surface::Registration,
        handler,
    }
}

/// Every computed path.
static ROUTES: [ComputedRoute; 19] = [
    ComputedRoute { gate: mcp::gate, surface: Surface::Mcp, ..posted(routes::MCP, mcp::answer) },
    posted(routes::REGISTER, agent::register),
    ComputedRoute {
        scripts: Some("GET, HEAD"),
        surface: Surface::Content,
        ..read(routes::REGISTRATION, agent::status)
    },
    posted(routes::CLAIM, agent::claim),
    posted(routes::CLAIM_COMPLETE, agent::complete),
    ComputedRoute { gate: identity::gate, ..posted(routes::IDENTITY, identity::register) },
    ComputedRoute { gate: identity::gate, ..posted(routes::IDENTITY_CLAIM, identity::claim) },
    ComputedRoute { gate: identity::gate, ..posted(routes::IDENTITY_COMPLETE, identity::complete) },
    posted(routes::PROVIDER_REVOKE, agent::provider_revoke),
    read(routes::AUTHORIZE, forms::authorize),
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

/// Returns all paths, in the order of their numbers, each with whether it is a page.
pub(crate) fn paths() -> impl ExactSizeIterator<Item = (&'static str, bool)> {
    ROUTES.iter().map(|route| (route.path, route.is_page()))
}

pub(crate) fn at(number: u8) -> &'static ComputedRoute {
    &ROUTES[usize::from(number)]
}

impl ComputedRoute {
    fn is_page(&self) -> bool {
        self.scripts.is_none() && self.methods.contains(&Method::GET)
    }

    pub(crate) async fn answer(&self, state: &AppState, site: &ServedSite, request: &mut ServiceRequest) -> Response {
        if let Some(refusal) = (self.gate)(state, request) {
            return refusal;
        }
        if cors::is_preflight(request) {
            return self.scripts.map_or_else(cors::deny, cors::allow_posted);
        }
        let is_supported = self.methods.contains(request.method());
        if !is_supported && self.surface == Surface::Mcp {
            return self.refuse(state, request, ErrorCode::MethodNotAllowed);
        }
        // Security: the limit applies before a body is read or the store is queried.
        let admitted = match admission::admit(state, site, request, self.surface).await {
            Ok(admitted) => admitted,
            Err(refused) => return self.turn_away(state, request, &refused),
        };
        admitted.account(if is_supported {
            (self.handler)(Incoming { state, admitted: &admitted, request }).await
        } else {
            self.refuse(state, request, ErrorCode::MethodNotAllowed)
        })
    }

    fn turn_away(&self, state: &AppState, request: &ServiceRequest, refused: &NotAdmitted<'_>) -> Response {
        match (refused, self.surface) {
            (NotAdmitted::Exceeded(_, exceeded), Surface::Registration) => {
                let refusal = RegistrationError::Limited { retry_after: exceeded.seconds() };
                refused.account(match self.scripts {
                    Some(_) => agent::refuse(refusal),
                    None => forms::limited_response(state, request, &refusal),
                })
            }
            _ => refused.response(),
        }
    }

    /// Rejects a request before the handler: with a page where people come, who may have reloaded the address of a
    /// form; otherwise with a document that scripts may read.
    pub(crate) fn refuse(&self, state: &AppState, request: &ServiceRequest, code: ErrorCode) -> Response {
        let is_page = self.scripts.is_none() && MediaType::of(request.headers()) != Some(MediaType::Json);
        let mut response = match (is_page, self.scripts) {
            (true, _) => forms::refused_response(state, request, error_response::status(code.status())),
            (false, None) => forms::unread(code),
            (false, Some(_)) if self.surface == Surface::Registration => agent::refuse_unread(code),
            (false, Some(_)) => error_response::of(code),
        };
        if code == ErrorCode::MethodNotAllowed {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(self.allow));
        }
        response
    }
}
