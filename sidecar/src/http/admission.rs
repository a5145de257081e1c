//! Admits requests: first the limit, then the credential.
//!
//! An issued credential costs a query of the store, so these requests are limited too, whatever the result. The holder
//! of a credential has a higher limit.

use std::{
    cell::Cell,
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    net::IpAddr,
    sync::Once,
};

use actix_web::{
    dev::ServiceRequest,
    http::{
        StatusCode,
        header::{AUTHORIZATION, FORWARDED, HeaderName, HeaderValue, VIA, X_FORWARDED_FOR},
    },
};
use contract::{
    errors::ErrorCode,
    headers::{X_API_KEY, X_MECELLE_EDGE},
};
use registration::registrar::Caller;

use super::{
    rate_limit::{ClientKey, Decision, Exceeded, Quota},
    request::{method::is_read, values},
    response::{Response, error_response},
    site::ServedSite,
    state::AppState,
};
use crate::auth::{Denied, Presented, Principal, Refused, Verified};

static API_KEY: HeaderName = HeaderName::from_static(X_API_KEY);
static EDGE: HeaderName = HeaderName::from_static(X_MECELLE_EDGE);

/// What a request is for. Each has its own limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    Content,
    Mcp,
    /// The registration flow, whose credentials are in the body.
    Registration,
    /// Queries of the search page.
    Search,
}

/// A request within its limit, whose credential is valid.
pub(crate) struct Admitted<'s> {
    pub(crate) site: &'s ServedSite,
    pub(crate) principal: Principal,
    client: ClientKey,
    quota: &'s Quota,
    decision: Cell<Decision>,
}

/// Why a request is not admitted.
pub(crate) enum NotAdmitted<'s> {
    /// The client has to wait.
    Exceeded(&'s Quota, Exceeded),
    /// The credential is invalid. The request counts like one without a credential.
    Credential { challenge: &'s HeaderValue, quota: &'s Quota, decision: Decision },
    /// The store cannot check the credential.
    Undecided(Option<(&'s Quota, Decision)>),
}

/// Admits a request whose client has not exceeded its limit and whose credential is valid, in this order.
pub(crate) async fn admit<'s>(
    state: &AppState,
    site: &'s ServedSite,
    request: &ServiceRequest,
    surface: Surface,
) -> Result<Admitted<'s>, NotAdmitted<'s>> {
    let (plain, raised, challenge) = match surface {
        // An unsupported method is rejected whatever the credential.
        Surface::Content if is_read(request) => {
            (&site.limits.content, &site.limits.content_with_credential, &site.challenge)
        }
        Surface::Mcp => (&site.limits.mcp, &site.limits.mcp_with_credential, &site.mcp_challenge),
        _ => return admit_anonymous(state, site, request, surface),
    };
    let client = client(state, request);
    let admitted = |principal, client, quota, decision| Admitted { site, principal, client, quota, decision };
    let (verified, decision) = match site.verifier.verify(presented(request)) {
        Ok(Verified::Is(principal)) => {
            return Ok(admitted(principal, client, plain, count(state, plain, client, 1)?.into()));
        }
        Ok(verified) => {
            let decision = count(state, raised, client, 1)?;
            // Boxed: otherwise the future of every request would include the query of the store.
            (Box::pin(verified.resolve(&state.registrar, state.clock.now())).await, Some((raised, decision)))
        }
        Err(Refused) => (Err(Denied::Refused), None),
    };
    match (verified, decision) {
        (Ok(principal), Some((raised, _))) if surface == Surface::Content => {
            let client = holder(&principal, client);
            Ok(admitted(principal, client, raised, count(state, raised, client, 1)?.into()))
        }
        (Ok(principal), Some((raised, decision))) => Ok(admitted(principal, client, raised, decision.into())),
        (Err(Denied::Unknown), decision) => Err(NotAdmitted::Undecided(decision.filter(|_| surface == Surface::Mcp))),
        _ => Err(NotAdmitted::Credential { challenge, quota: plain, decision: count(state, plain, client, 1)? }),
    }
}

/// Admits a request whose client has not exceeded its limit, whatever its credential.
pub(crate) fn admit_anonymous<'s>(
    state: &AppState,
    site: &'s ServedSite,
    request: &ServiceRequest,
    surface: Surface,
) -> Result<Admitted<'s>, NotAdmitted<'s>> {
    let quota = match surface {
        Surface::Content => &site.limits.content,
        Surface::Mcp => &site.limits.mcp,
        Surface::Registration => &site.limits.registration,
        Surface::Search => &site.limits.search,
    };
    let client = match client(state, request) {
        // What counts in the store is limited, for the clients behind a proxy together.
        ClientKey::Proxied if surface == Surface::Registration => ClientKey::Remote(u64::MAX),
        client => client,
    };
    let decision = count(state, quota, client, 1)?.into();
    Ok(Admitted { site, principal: Principal::Anonymous, client, quota, decision })
}

impl Admitted<'_> {
    /// Returns the caller for the limits of registration.
    pub(crate) fn caller(&self) -> Caller {
        match self.client {
            ClientKey::Loopback if self.site.limits.exempts_loopback() => Caller::Unlimited,
            ClientKey::Loopback | ClientKey::Proxied => Caller::Client(u64::MAX),
            ClientKey::Remote(number) => Caller::Client(number),
        }
    }

    /// Completes a response with the state of the limit.
    pub(crate) fn account(&self, mut response: Response) -> Response {
        // A 429 of an hourly budget or of an array must not name the requests left in the minute.
        if response.status() != StatusCode::TOO_MANY_REQUESTS {
            self.quota.write_fields(self.decision.get(), response.headers_mut());
        }
        response
    }

    /// Returns the most messages that a limited client may send in one array.
    pub(crate) fn max_messages(&self) -> Option<usize> {
        matches!(self.decision.get(), Decision::Within(_)).then(|| self.quota.max())
    }

    /// Counts the messages of an array, of which the first one counted as the request: all or none.
    pub(crate) fn admit_array(&self, state: &AppState, messages: usize) -> Result<(), NotAdmitted<'_>> {
        let rest = u32::try_from(messages.saturating_sub(1)).unwrap_or(u32::MAX);
        if rest > 0 {
            self.decision.set(count(state, self.quota, self.client, rest)?);
        }
        Ok(())
    }
}

impl NotAdmitted<'_> {
    /// Returns the response for programs.
    pub(crate) fn response(&self) -> Response {
        self.account(match self {
            Self::Exceeded(..) => error_response::of(ErrorCode::RateLimited),
            Self::Credential { challenge, .. } => error_response::invalid_credential(challenge),
            Self::Undecided(_) => error_response::undecided(),
        })
    }

    /// Completes a response with the state of the limit.
    pub(crate) fn account(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        match self {
            Self::Exceeded(quota, exceeded) => quota.write_exceeded_fields(*exceeded, headers),
            Self::Credential { quota, decision, .. } | Self::Undecided(Some((quota, decision))) => {
                quota.write_fields(*decision, headers);
            }
            Self::Undecided(None) => {}
        }
        response
    }
}

fn count<'s>(
    state: &AppState,
    quota: &'s Quota,
    client: ClientKey,
    requests: u32,
) -> Result<Decision, NotAdmitted<'s>> {
    quota
        .count(client, requests, || state.clock.nanoseconds())
        .map_err(|exceeded| NotAdmitted::Exceeded(quota, exceeded))
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

/// Returns the client under which a request counts.
fn client(state: &AppState, request: &ServiceRequest) -> ClientKey {
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
    let field = fields.next().filter(|_| fields.next().is_none())?;
    let client = secret.client(field);
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
