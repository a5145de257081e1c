//! What happens to a request, in the contract's order: host, target, limit, method, credential, path, query.

use std::{
    mem,
    pin::Pin,
    sync::{Arc, Once, atomic::AtomicBool},
};

use actix_http::{HttpMessage as _, Request};
use actix_web::http::{
    Method, StatusCode,
    header::{AUTHORIZATION, FORWARDED, HOST, HeaderName, VIA, X_FORWARDED_FOR},
};
use arc_swap::ArcSwap;
use contract::{
    errors::ErrorCode,
    headers::X_API_KEY,
    manifest::Class,
    routes::{API_BASE, JSON_PREFIXES, is_for_programs},
};

use super::{
    answer::{cors, payload::Reply, refusal},
    content::{self, values},
    guarded,
    limits::{Client, Limits},
    metrics::{Kind, Metrics},
    request::{host, target},
    site::{Site, table::Target},
};
use crate::{
    auth::{Presented, Verified},
    clock::Clock,
    config::Network,
    registrar::{Abilities, Registrar},
};

/// What all workers share.
pub(crate) struct Shared {
    pub(crate) site: ArcSwap<Site>,
    pub(crate) limits: Limits,
    pub(crate) trusted_proxies: Vec<Network>,
    /// Whether the site is this machine's own. Where it is not, whoever comes from this machine may be a proxy.
    pub(crate) is_local: bool,
    /// Origins of web applications that may use the MCP endpoint.
    pub(crate) mcp_allowed_origins: Vec<String>,
    pub(crate) clock: Clock,
    /// Keeps registrations.
    pub(crate) registrar: Registrar,
    pub(crate) abilities: Abilities,
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the service finishes what is in the making and takes nothing more.
    pub(crate) is_ending: AtomicBool,
}

/// `Allow` of everything that is read.
const READ: &str = "GET, HEAD";

static API_KEY: HeaderName = HeaderName::from_static(X_API_KEY);

/// An answer, or the promise of one.
pub(crate) enum Answer {
    Now(Kind, Reply),
    /// Waits for a body, for the store, or for both.
    Later(Kind, Later),
}

/// An answer in the making, on its worker's thread.
pub(crate) type Later = Pin<Box<dyn Future<Output = Reply>>>;

/// Answers `request` and says what kind of target it had. An endpoint takes the request; nothing else does.
pub(crate) fn answer(shared: &Arc<Shared>, request: &mut Request) -> Answer {
    if values(request, &HOST).any(|value| !host::is_valid(value)) {
        return Answer::Now(Kind::None, refusal::refuse(ErrorCode::InvalidRequest));
    }
    let uri = request.uri();
    if uri.path_and_query().is_some_and(|target| target.as_str().len() > target::MOST) {
        return Answer::Now(Kind::None, too_long(shared, request));
    }
    let site = shared.site.load();
    let decoded = target::decode(uri.path());
    let path = decoded.as_deref().unwrap_or(uri.path());
    let found = if decoded.is_some() { site.find(path) } else { None };
    let kind = match found {
        Some(Target::Route(route)) => Kind::Class(route.class),
        Some(Target::Endpoint(endpoint)) => return endpoint.answer(shared, request),
        Some(Target::Redirect(_)) => Kind::Redirect,
        None => Kind::None,
    };
    let guarded = matches!(found, Some(Target::Route(route)) if route.guarded) || is_api(path);
    if !guarded {
        let reply = read_with_method(&site, found, path, request);
        // A slash too many has no place of its own in the build.
        let kind = if reply.status() == StatusCode::PERMANENT_REDIRECT { Kind::Redirect } else { kind };
        return Answer::Now(kind, reply);
    }
    let client = client(shared, request);
    let verified = is_read(request).then(|| site.verifier.verify(presented(request)));
    if let Some(Ok(verified @ Verified::Holds(_))) = verified {
        let taken = mem::replace(request, Request::new());
        return Answer::Later(kind, guarded::answer(Arc::clone(shared), taken, client, verified));
    }
    let is_refused = verified.map(|verified| verified.is_err());
    Answer::Now(kind, guard(shared, &site, (request, client), is_refused, || read(&site, found, path, request)))
}

/// The answer to a target that nobody reads to its end, so that neither method nor credential matters. Whoever follows a
/// link to a page that people fill in gets a page.
fn too_long(shared: &Arc<Shared>, request: &Request) -> Reply {
    match shared.site.load().find(request.uri().path()) {
        Some(Target::Endpoint(endpoint)) => endpoint.refuse(shared, request, ErrorCode::UriTooLong),
        _ => refusal::refuse(ErrorCode::UriTooLong),
    }
}

/// Whether `path` belongs to the content API, known or not.
fn is_api(path: &str) -> bool {
    const API: &str = JSON_PREFIXES[0];
    const { assert!(matches!(API_BASE.as_bytes(), [b'/', b'a', b'p', b'i', b'/', ..])) };
    path.strip_prefix(API).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Limit, method and credential come before the path on the content API. `is_refused` says whether the credential of a
/// request to read is; there is no need to look at that of any other.
fn guard(
    shared: &Shared,
    site: &Site,
    (request, client): (&Request, Client),
    is_refused: Option<bool>,
    read: impl FnOnce() -> Reply,
) -> Reply {
    let quota = &shared.limits.content;
    let allowance = match shared.limits.count(quota, client, || shared.clock.nanoseconds()) {
        Ok(allowance) => allowance,
        Err(exceeded) => return quota.refuse(exceeded),
    };
    let response = match is_refused {
        Some(false) => read(),
        Some(true) => refusal::invalid_credential(&site.challenge),
        None if cors::is_preflight(request) => cors::allow(READ),
        None => refusal::method_not_allowed(READ),
    };
    quota.tell_in(allowance, response)
}

/// Beside the content API a method is judged by what stands at the path.
fn read_with_method(site: &Site, found: Option<&Target>, path: &str, request: &Request) -> Reply {
    if is_read(request) {
        return read(site, found, path, request);
    }
    let known = found.is_some() || slashless(site, path).is_some();
    // Nothing stands there, and a script that looks for a document may see that.
    let nothing_for_programs = !known && is_for_programs(path);
    if cors::is_preflight(request) && (known || nothing_for_programs) {
        return match found {
            Some(Target::Route(route)) if route.cors => cors::allow(READ),
            _ if nothing_for_programs => cors::allow(READ),
            _ => cors::deny(),
        };
    }
    let ordinary = matches!(*request.method(), Method::POST | Method::PUT | Method::DELETE | Method::PATCH);
    if ordinary && !known { content::not_found(site, path, request) } else { refusal::method_not_allowed(READ) }
}

fn read(site: &Site, found: Option<&Target>, path: &str, request: &Request) -> Reply {
    match found {
        Some(Target::Route(route)) => content::answer(site, *route, request),
        Some(Target::Redirect(place)) => match site.led_to(*place) {
            Some((to, class)) => content::redirect(site, to, Some(class), request),
            None => content::not_found(site, path, request),
        },
        _ => match slashless(site, path) {
            Some((to, class)) => content::redirect(site, to, class, request),
            None => content::not_found(site, path, request),
        },
    }
}

/// Where a page's path with a slash too many leads, and the class of its route if it has one; an API path leads nowhere,
/// because clients drop credentials on redirects.
fn slashless<'a>(site: &'a Site, path: &'a str) -> Option<(&'a str, Option<Class>)> {
    let bare = path.strip_suffix('/')?;
    let (to, class) = match site.find(bare)? {
        Target::Route(route) => (bare, route.class),
        Target::Redirect(place) => site.led_to(*place)?,
        Target::Endpoint(endpoint) => return endpoint.is_page().then_some((bare, None)),
    };
    (class == Class::Page).then_some((to, Some(class)))
}

fn is_read(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Whom a request counts for.
pub(crate) fn client(shared: &Shared, request: &Request) -> Client {
    // A proxy that adds no field, or passes octets on, is known by nothing but that the site is reached elsewhere.
    let has_mark = || [FORWARDED, VIA].iter().any(|name| request.headers().contains_key(name));
    let is_forwarded = || !shared.is_local || has_mark();
    let (peer, trusted) = (request.peer_addr(), &shared.trusted_proxies);
    let client = Client::of(peer, values_reversible(request, &X_FORWARDED_FOR), is_forwarded, trusted);
    if client == Client::Proxied {
        tell_of_proxy();
    }
    client
}

/// Says once that limits do not do here what they are for.
fn tell_of_proxy() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        tracing::warn!(
            "requests come from this machine that may be anybody's: they count as one client where registrations are \
             counted, and are not limited where content is read; if a proxy passes them on, name it in \
             MECELLE_TRUSTED_PROXIES and let it set X-Forwarded-For"
        );
    });
}

/// The answer to a request to read, whoever asks.
pub(crate) fn read_path(site: &Site, request: &Request) -> Reply {
    let decoded = target::decode(request.uri().path());
    let path = decoded.as_deref().unwrap_or(request.uri().path());
    let found = if decoded.is_some() { site.find(path) } else { None };
    read(site, found, path, request)
}

/// What a request presents as its credential.
pub(crate) fn presented(request: &Request) -> Presented<'_> {
    Presented::from_fields(values(request, &AUTHORIZATION), values(request, &API_KEY))
}

fn values_reversible<'a>(request: &'a Request, name: &HeaderName) -> impl DoubleEndedIterator<Item = &'a [u8]> {
    let lines: Vec<_> = values(request, name).collect();
    lines.into_iter()
}
