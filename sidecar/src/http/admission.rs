//! Admits requests: first the limit, then the credential.
//!
//! An issued credential costs a query of the store, so these requests are limited too, whatever the result. The holder
//! of a credential has a higher limit.

use std::{
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    net::IpAddr,
    sync::Once,
};

use actix_web::{
    dev::ServiceRequest,
    http::header::{AUTHORIZATION, FORWARDED, HeaderName, HeaderValue, VIA, X_FORWARDED_FOR},
};
use contract::{
    Locale,
    errors::ErrorCode,
    headers::{X_API_KEY, X_MECELLE_EDGE},
};
use registration::registrar::Caller;

use super::{
    rate_limit::{ClientKey, Decision, Exceeded, Quota},
    request::{
        method::{READ, is_read},
        values,
    },
    response::{Response, error_response},
    site::{CacheScope, Site},
    state::AppState,
};
use crate::auth::{Denied, Presented, Principal, Refused, Verified};

static API_KEY: HeaderName = HeaderName::from_static(X_API_KEY);
static EDGE: HeaderName = HeaderName::from_static(X_MECELLE_EDGE);

/// Answers a request to the content API; `read` returns the response of an admitted one.
pub(crate) async fn content(
    state: &AppState,
    site: &Site,
    request: &ServiceRequest,
    read: impl FnOnce(CacheScope) -> Response,
) -> Response {
    let limits = &site.limits;
    let (mut quota, mut client) = (&limits.content, client(state, request));
    // An unsupported method is rejected whatever the credential.
    let verified = is_read(request).then(|| site.verifier.verify(presented(request)));
    let principal = match verified {
        Some(Ok(Verified::Is(principal))) => Some(Ok(principal)),
        Some(Err(Refused)) => Some(Err(Refused)),
        Some(Ok(verified @ Verified::Holds(_))) => {
            let raised = &limits.content_with_credential;
            if let Err(exceeded) = count(state, raised, client, 1) {
                return raised.refuse(exceeded);
            }
            // Boxed: otherwise the future of every request would include the query of the store.
            match Box::pin(verified.resolve(&state.registrar, state.clock.now())).await {
                Ok(principal) => {
                    (quota, client) = (raised, holder(&principal, client));
                    Some(Ok(principal))
                }
                // A guess counts like any request without a credential.
                Err(Denied::Refused) => Some(Err(Refused)),
                Err(Denied::Unknown) => return error_response::undecided(),
            }
        }
        None => None,
    };
    let decision = match count(state, quota, client, 1) {
        Ok(decision) => decision,
        Err(exceeded) => return quota.refuse(exceeded),
    };
    let mut response = match principal {
        Some(Ok(principal)) => read(CacheScope::of(&principal)),
        Some(Err(Refused)) => error_response::invalid_credential(&site.challenge),
        None => error_response::method_not_allowed(READ, Locale::DEFAULT),
    };
    quota.write_fields(decision, response.headers_mut());
    response
}

/// Answers a request to the content API with an error, within the limit of its client.
pub(crate) fn refuse_counted(state: &AppState, site: &Site, request: &ServiceRequest, code: ErrorCode) -> Response {
    let quota = &site.limits.content;
    match count(state, quota, client(state, request), 1) {
        Ok(decision) => {
            let mut response = error_response::of(code);
            quota.write_fields(decision, response.headers_mut());
            response
        }
        Err(exceeded) => quota.refuse(exceeded),
    }
}

/// Admits a request to the MCP endpoint to one of its quotas. An issued credential raises the limit; until it is
/// checked, a client with any credential counts on the higher limit.
pub(crate) async fn mcp<'s>(
    state: &AppState,
    site: &'s Site,
    request: &ServiceRequest,
) -> Result<(&'s Quota, Decision), Response> {
    let client = client(state, request);
    let admit = |quota: &'s Quota| match count(state, quota, client, 1) {
        Ok(decision) => Ok((quota, decision)),
        Err(exceeded) => Err(quota.refuse(exceeded)),
    };
    let presented = presented(request);
    if presented == Presented::Nothing {
        return admit(&site.limits.mcp);
    }
    let raised = admit(&site.limits.mcp_with_credential)?;
    let principal = match site.verifier.verify(presented) {
        Ok(verified) => verified.resolve(&state.registrar, state.clock.now()).await,
        Err(Refused) => Err(Denied::Refused),
    };
    let (mut response, (quota, decision)) = match principal {
        Ok(Principal::Agent(_)) => return Ok(raised),
        Ok(Principal::Anonymous | Principal::Sandbox) => return admit(&site.limits.mcp),
        // A guess counts like any request without a credential.
        Err(Denied::Refused) => (error_response::invalid_credential(&site.mcp_challenge), admit(&site.limits.mcp)?),
        Err(Denied::Unknown) => (error_response::undecided(), raised),
    };
    quota.write_fields(decision, response.headers_mut());
    Err(response)
}

/// Admits a request to the registration flow, whose credentials are in the body.
pub(crate) fn registration(state: &AppState, site: &Site, request: &ServiceRequest) -> Result<Decision, Exceeded> {
    match caller(state, request) {
        Caller::Client(number) => count(state, &site.limits.registration, ClientKey::Remote(number), 1),
        Caller::Unlimited | Caller::Service => Ok(Decision::Unlimited),
    }
}

/// Counts the `requests` of one array on `quota`: all or none.
pub(crate) fn count(state: &AppState, quota: &Quota, client: ClientKey, requests: u32) -> Result<Decision, Exceeded> {
    quota.count(client, requests, || state.clock.nanoseconds())
}

/// Returns the key under which a request counts: its registration, if it has one, from whatever address.
fn holder(principal: &Principal, client: ClientKey) -> ClientKey {
    match (principal, client) {
        (_, ClientKey::Loopback | ClientKey::Proxied) | (Principal::Anonymous | Principal::Sandbox, _) => client,
        (Principal::Agent(held), _) => {
            let hasher = BuildHasherDefault::<DefaultHasher>::default();
            ClientKey::Remote(hasher.hash_one(held.registration.as_str()))
        }
    }
}

/// Returns the credentials of a request.
pub(crate) fn presented(request: &ServiceRequest) -> Presented<'_> {
    Presented::from_fields(values(request, &AUTHORIZATION), values(request, &API_KEY))
}

/// Returns the caller for the limits of registration.
pub(crate) fn caller(state: &AppState, request: &ServiceRequest) -> Caller {
    match client(state, request) {
        ClientKey::Loopback if state.site.load().limits.exempts_loopback() => Caller::Unlimited,
        ClientKey::Loopback | ClientKey::Proxied => Caller::Client(u64::MAX),
        ClientKey::Remote(number) => Caller::Client(number),
    }
}

/// Returns the client under which a request counts.
pub(crate) fn client(state: &AppState, request: &ServiceRequest) -> ClientKey {
    if let Some(address) = edge_client(state, request) {
        return ClientKey::behind_proxy(address);
    }
    let headers = request.headers();
    // A proxy that adds no field is recognised only because the site is not on this machine.
    let is_forwarded =
        || !state.is_local || [FORWARDED, VIA, X_FORWARDED_FOR].iter().any(|name| headers.contains_key(name));
    let forwarded_for: Vec<_> = headers.get_all(X_FORWARDED_FOR).map(HeaderValue::as_bytes).collect();
    let client = ClientKey::of(request.peer_addr(), forwarded_for.into_iter(), is_forwarded, &state.trusted_proxies);
    if client == ClientKey::Proxied {
        warn_about_proxy(is_from_proxy(state, request));
    }
    client
}

/// Returns the address of the client that an edge module names. Security: without the secret the field is ignored,
/// whatever the network.
fn edge_client(state: &AppState, request: &ServiceRequest) -> Option<IpAddr> {
    let secret = state.edge_secret.as_ref()?;
    let mut fields = values(request, &EDGE);
    let told = fields.next().filter(|_| fields.next().is_none())?;
    let client = secret.client(told);
    if client.is_none() {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            tracing::warn!(
                "a request has X-Mecelle-Edge without the secret of MECELLE_EDGE_SECRET or without an address: if an edge \
                 module of this site sent it, give both the same secret"
            );
        });
    }
    client
}

/// Whether a trusted proxy, or an edge module with the secret, sent `request`.
pub(crate) fn is_from_proxy(state: &AppState, request: &ServiceRequest) -> bool {
    let proxies = &state.trusted_proxies;
    edge_client(state, request).is_some()
        || request.peer_addr().is_some_and(|peer| proxies.iter().any(|network| network.contains(peer.ip())))
}

/// Warns once that limits cannot separate clients, with the remedy, which depends on whether the proxy `is_trusted`.
fn warn_about_proxy(is_trusted: bool) {
    const LIMITS: &str = "their clients count as one for registrations, and are not limited when they read content";
    static TOLD: [Once; 2] = [const { Once::new() }; 2];
    TOLD[usize::from(is_trusted)].call_once(|| {
        if is_trusted {
            tracing::warn!(
                "requests from a proxy that MECELLE_TRUSTED_PROXIES names have no client address: {LIMITS}; let the \
                 proxy set X-Forwarded-For to the client's address"
            );
        } else {
            tracing::warn!(
                "requests from this machine may come from any client: {LIMITS}; if a proxy forwards them, name it in \
                 MECELLE_TRUSTED_PROXIES and let it set X-Forwarded-For"
            );
        }
    });
}
