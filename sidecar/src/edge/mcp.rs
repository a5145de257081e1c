//! The Model Context Protocol over HTTP: who is let in, and the status of each outcome. What is said is decided in
//! [`crate::mcp`].
//!
//! In this order: host and origin, method, limit, credential, media types, size, and then the body.

use std::sync::Arc;

use actix_http::{HttpMessage as _, Request};
use actix_web::http::{
    StatusCode,
    header::{ACCEPT, HOST, HeaderName, HeaderValue, ORIGIN, RETRY_AFTER},
};
use contract::{
    errors::ErrorCode,
    headers::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION},
    mcp::limits::BODY,
};

use super::{
    answer::{
        cors,
        payload::{self, Reply},
        refusal,
    },
    limits::{Allowance, Exceeded, Quota},
    negotiate::accepts_json,
    request::{
        body::{self, BodyError},
        media_type::MediaType,
        origin::{Door, Stranger},
        values,
    },
    shared::{Later, Shared, client, presented},
    site::Site,
};
use crate::{
    auth::{Denied, Presented, Principal, Refused},
    mcp::{self, Asked, Catalogue, Field, Fields, Outcome},
};

static VERSION: HeaderName = HeaderName::from_static(MCP_PROTOCOL_VERSION);
static METHOD: HeaderName = HeaderName::from_static(MCP_METHOD);
static NAME: HeaderName = HeaderName::from_static(MCP_NAME);

/// Seconds after which there may be another build.
const RETRY_BUILD: HeaderValue = HeaderValue::from_static("60");

/// Turns away pages of other sites, whatever their method.
pub(super) fn gate(shared: &Shared, request: &Request) -> Option<Reply> {
    let site = shared.site.load();
    let peer = request.peer_addr().map(|peer| peer.ip());
    let door = Door {
        site_url: &site.url,
        allowed: &shared.mcp_allowed_origins,
        behind_proxy: peer.is_some_and(|peer| shared.trusted_proxies.iter().any(|proxy| proxy.contains(peer))),
    };
    // If the target names a host, that alone says which it is (RFC 9112, 3.2.2).
    let named = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    let hosts: Vec<&[u8]> = named.map_or_else(|| values(request, &HOST).collect(), |host| vec![host]);
    let message = match door.admit(hosts.iter().copied(), values(request, &ORIGIN)) {
        Ok(()) => return None,
        Err(Stranger::Host) => "this service is not the host that the request names",
        Err(Stranger::Origin) => "scripts of this origin may not use this endpoint",
    };
    Some(json(StatusCode::FORBIDDEN, mcp::forbidden(message)))
}

/// Answers a request that was let in.
pub(super) fn answer(shared: Arc<Shared>, request: Request) -> Later {
    Box::pin(async move {
        // One build for the whole request: the next one may have no catalogue.
        let site = shared.site.load_full();
        match &site.catalogue {
            Some(catalogue) => respond(&shared, &site, catalogue, request).await,
            None => unavailable(),
        }
    })
}

/// Answers for a build without a catalogue, which cannot answer.
fn unavailable() -> Reply {
    let mut response = refusal::refuse(ErrorCode::Unavailable);
    response.headers_mut().insert(RETRY_AFTER, RETRY_BUILD);
    response
}

async fn respond(shared: &Shared, site: &Site, catalogue: &Catalogue, mut request: Request) -> Reply {
    let (quota, mut allowance) = match admit(shared, site, &request).await {
        Ok(admitted) => admitted,
        Err(refusal) => return refusal,
    };
    let mut response = match read(&mut request).await {
        Err(refusal) => refusal,
        Ok(body) => {
            let fields = fields(&request);
            let asked = Asked::of(&body, &fields);
            if matches!(allowance, Allowance::Within(_)) && asked.count() > quota.most() {
                say(mcp::beyond_quota(quota.most()))
            } else {
                match count_rest(shared, quota, &request, asked.count()) {
                    Ok(None) => {}
                    Ok(Some(now)) => allowance = now,
                    Err(exceeded) => return quota.refuse(exceeded),
                }
                say(asked.answer(catalogue, &fields).await)
            }
        }
    };
    quota.tell(allowance, response.headers_mut());
    response
}

/// Counts the messages of an array after the first, which was counted as the request.
fn count_rest(
    shared: &Shared,
    quota: &Quota,
    request: &Request,
    messages: usize,
) -> Result<Option<Allowance>, Exceeded> {
    let rest = u32::try_from(messages.saturating_sub(1)).unwrap_or(u32::MAX);
    if rest == 0 {
        return Ok(None);
    }
    shared.limits.count_all(quota, client(shared, request), rest, || shared.clock.nanoseconds()).map(Some)
}

/// Checks the limit, then the credential. An issued credential raises the limit; because only the check tells whether
/// it was issued, a client that presents anything is first counted on the higher limit.
async fn admit<'s>(shared: &'s Shared, site: &Site, request: &Request) -> Result<(&'s Quota, Allowance), Reply> {
    let client = client(shared, request);
    let count = |with_credential: bool| {
        let limits = &shared.limits;
        let quota = if with_credential { &limits.mcp_with_credential } else { &limits.mcp };
        let counted = limits.count(quota, client, || shared.clock.nanoseconds());
        counted.map(|allowance| (quota, allowance)).map_err(|exceeded| (quota, exceeded))
    };
    let refuse = |(quota, exceeded): (&Quota, Exceeded)| quota.refuse(exceeded);
    let presented = presented(request);
    if presented == Presented::Nothing {
        return count(false).map_err(refuse);
    }
    let (quota, allowance) = count(true).map_err(refuse)?;
    let principal = verify(shared, site, presented).await.map_err(|mut refusal| {
        quota.tell(allowance, refusal.headers_mut());
        refusal
    })?;
    match principal {
        Principal::Anonymous | Principal::Sandbox => count(false).map_err(refuse),
        Principal::Agent(_) => Ok((quota, allowance)),
    }
}

/// The only place here in which a credential is judged.
async fn verify(shared: &Shared, site: &Site, presented: Presented<'_>) -> Result<Principal, Reply> {
    let invalid = || refusal::invalid_credential(&site.mcp_challenge);
    let verified = site.verifier.verify(presented).map_err(|Refused| invalid())?;
    verified.resolve(&shared.registrar, shared.clock.now()).await.map_err(|denied| match denied {
        Denied::Refused => invalid(),
        Denied::Unknown => refusal::undecided(),
    })
}

/// Reads the body of a request whose media types are fine.
async fn read(request: &mut Request) -> Result<bytes::Bytes, Reply> {
    if MediaType::of(request.headers()) != Some(MediaType::Json) {
        return Err(refusal::refuse(ErrorCode::UnsupportedMediaType));
    }
    if !accepts_json(values(request, &ACCEPT)) {
        return Err(refusal::refuse(ErrorCode::NotAcceptable));
    }
    body::read(request, BODY).await.map_err(|error| match error {
        BodyError::Coded => refusal::coded(),
        BodyError::TooLarge => refusal::refuse(ErrorCode::PayloadTooLarge),
        BodyError::Late => refusal::late(),
        BodyError::Broken => refusal::refuse(ErrorCode::InvalidRequest),
    })
}

fn fields(request: &Request) -> Fields<'_> {
    Fields {
        version: Field::of(values(request, &VERSION)),
        method: Field::of(values(request, &METHOD)),
        name: Field::of(values(request, &NAME)),
    }
}

fn say(outcome: Outcome) -> Reply {
    let (status, body) = match outcome {
        Outcome::Answered(body) => (StatusCode::OK, body),
        Outcome::Accepted => (StatusCode::ACCEPTED, Vec::new()),
        Outcome::Refused(body) => (StatusCode::BAD_REQUEST, body),
        Outcome::Unknown(body) => (StatusCode::NOT_FOUND, body),
    };
    json(status, body)
}

fn json(status: StatusCode, body: Vec<u8>) -> Reply {
    let mut response = if body.is_empty() { payload::nothing(status) } else { payload::json(status, body) };
    cors::readable(response.headers_mut());
    response
}
