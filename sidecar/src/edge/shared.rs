//! What every answer may need: what the workers share, and who is asking.

use std::{
    iter,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Once, atomic::AtomicBool},
};

use actix_http::{HttpMessage as _, Request};
use actix_web::http::header::{AUTHORIZATION, FORWARDED, HeaderName, VIA, X_FORWARDED_FOR};
use arc_swap::ArcSwap;
use contract::headers::X_API_KEY;

use super::{
    answer::payload::Reply,
    limits::{Client, Limits},
    metrics::{Kind, Metrics},
    request::values,
    site::Site,
};
use crate::{
    auth::Presented,
    clock::Clock,
    config::Network,
    registrar::{Abilities, Caller, Registrar},
};

pub(crate) static API_KEY: HeaderName = HeaderName::from_static(X_API_KEY);

/// What all workers share.
pub(crate) struct Shared {
    pub(crate) site: ArcSwap<Site>,
    pub(crate) limits: Limits,
    pub(crate) trusted_proxies: Vec<Network>,
    /// Whether the site is on this machine. If it is not, a client that comes from this machine may be a proxy.
    pub(crate) is_local: bool,
    /// Origins of web applications that may use the MCP endpoint.
    pub(crate) mcp_allowed_origins: Vec<String>,
    pub(crate) clock: Clock,
    /// Handles registrations.
    pub(crate) registrar: Registrar,
    pub(crate) abilities: Abilities,
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the service finishes what is in the making and accepts nothing more.
    pub(crate) is_ending: AtomicBool,
}

/// An answer, or a future that becomes one.
pub(crate) enum Answer {
    Now(Kind, Reply),
    /// Waits for a body, for the store, or for both.
    Later(Kind, Later),
}

/// An answer in the making, on its worker's thread.
pub(crate) type Later = Pin<Box<dyn Future<Output = Reply>>>;

/// Returns the client that a request counts for.
pub(crate) fn client(shared: &Shared, request: &Request) -> Client {
    // A proxy that adds no field, or passes octets on, can be recognised only because the site is elsewhere.
    let is_forwarded = || !shared.is_local || is_passed_on(request);
    let (peer, trusted) = (request.peer_addr(), &shared.trusted_proxies);
    let client = Client::of(peer, values_reversible(request, &X_FORWARDED_FOR), is_forwarded, trusted);
    if client == Client::Proxied {
        let is_trusted = peer.is_some_and(|peer| trusted.iter().any(|network| network.contains(peer.ip())));
        tell_of_proxy(is_trusted);
    }
    client
}

/// Returns the client that a request from `peer` counts for if no proxy passed it on. Logs nothing: [`client`] does, for
/// the requests of the same connection that the library hands over.
pub(crate) fn client_at(shared: &Shared, peer: SocketAddr) -> Client {
    Client::of(Some(peer), iter::empty(), || !shared.is_local, &shared.trusted_proxies)
}

/// Whether a field says that a proxy passed `request` on.
pub(crate) fn is_passed_on(request: &Request) -> bool {
    [FORWARDED, VIA, X_FORWARDED_FOR].iter().any(|name| request.headers().contains_key(name))
}

/// Returns who sends `request`, as far as limits are concerned.
pub(crate) fn caller(shared: &Shared, request: &Request) -> Caller {
    match client(shared, request) {
        Client::Loopback if shared.limits.spares_loopback() => Caller::Unlimited,
        Client::Loopback | Client::Proxied => Caller::Client(u64::MAX),
        Client::Remote(number) => Caller::Client(number),
    }
}

/// Returns what a request presents as its credential.
pub(crate) fn presented(request: &Request) -> Presented<'_> {
    Presented::from_fields(values(request, &AUTHORIZATION), values(request, &API_KEY))
}

/// Logs once that limits do not do what they are for here, and what helps: that depends on whether whatever passes
/// requests on `is_trusted`.
fn tell_of_proxy(is_trusted: bool) {
    const LIMITS: &str =
        "their senders count as one client for registrations, and are not limited when they read content";
    static TOLD: [Once; 2] = [const { Once::new() }; 2];
    TOLD[usize::from(is_trusted)].call_once(|| {
        if is_trusted {
            tracing::warn!(
                "requests come through a proxy that MECELLE_TRUSTED_PROXIES names, but name no client other than this \
                 machine: {LIMITS}; let the proxy set X-Forwarded-For to the client's address"
            );
        } else {
            tracing::warn!(
                "requests from this machine may be anybody's: {LIMITS}; if a proxy passes them on, name it in \
                 MECELLE_TRUSTED_PROXIES and let it set X-Forwarded-For"
            );
        }
    });
}

fn values_reversible<'a>(request: &'a Request, name: &HeaderName) -> impl DoubleEndedIterator<Item = &'a [u8]> {
    let lines: Vec<_> = values(request, name).collect();
    lines.into_iter()
}
