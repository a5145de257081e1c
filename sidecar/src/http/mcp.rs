//! The Model Context Protocol over HTTP: admission, and the status of each outcome. [`mcp`] reads and writes the
//! bodies.
//!
//! The order of checks: host and origin, method, limit, credential, media types, size, body.

use actix_web::{
    dev::ServiceRequest,
    http::{
        StatusCode,
        header::{ACCEPT, HOST, HeaderName, HeaderValue, ORIGIN, RETRY_AFTER},
    },
};
use contract::{
    errors::ErrorCode,
    headers::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION},
    mcp::limits::BODY,
};
use mcp::{self, McpField, McpFields, McpOutcome, McpRequest, ToolUses};

use super::{
    admission,
    handler::{Handled, Incoming},
    negotiate::accepts_json,
    request::{
        body::{self, BodyError},
        media_type::MediaType,
        origin::{OriginError, OriginPolicy},
        values,
    },
    response::{self, Response, cors, error_response},
    state::AppState,
    usage::UsageNote,
};
use crate::auth::Presented;

static VERSION: HeaderName = HeaderName::from_static(MCP_PROTOCOL_VERSION);
static METHOD: HeaderName = HeaderName::from_static(MCP_METHOD);
static NAME: HeaderName = HeaderName::from_static(MCP_NAME);

/// Seconds after which another build may be in force.
const RETRY_BUILD: HeaderValue = HeaderValue::from_static("60");

/// Security: rejects requests from pages of other sites, whatever the method (DNS rebinding).
pub(super) fn gate(state: &AppState, request: &ServiceRequest) -> Option<Response> {
    let site = state.site.load();
    let policy = OriginPolicy {
        site_url: &site.url,
        allowed: &state.mcp_allowed_origins,
        has_credential: admission::presented(request) != Presented::Nothing,
        behind_proxy: admission::is_from_proxy(state, request),
    };
    // A host in the target replaces `Host` (RFC 9112, 3.2.2).
    let named = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    let hosts: Vec<&[u8]> = named.map_or_else(|| values(request, &HOST).collect(), |host| vec![host]);
    let message = match policy.check(hosts.iter().copied(), values(request, &ORIGIN)) {
        Ok(()) => return None,
        Err(OriginError::Host) => "this service is not the host that the request names",
        Err(OriginError::Origin) => "scripts of this origin may not use this endpoint",
    };
    Some(json(StatusCode::FORBIDDEN, mcp::forbidden(message)))
}

/// Answers an admitted request.
pub(super) fn answer(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move {
        let Incoming { state, admitted, request } = incoming;
        let Some(catalogue) = &admitted.site.catalogue else { return unavailable() };
        let body = match read(request).await {
            Ok(body) => body,
            Err(refusal) => return refusal,
        };
        let fields = fields(request);
        let mcp_request = McpRequest::of(&body, &fields);
        // 400 and not 429: waiting cannot help a client whose array exceeds the quota of a minute.
        if let Some(max) = admitted.max_messages().filter(|max| mcp_request.count() > *max) {
            return outcome_response(mcp::beyond_quota(max));
        }
        match admitted.admit_array(state, mcp_request.count()) {
            Ok(()) => {
                let uses = ToolUses::default();
                let mut response = outcome_response(mcp_request.answer(catalogue, &fields, &uses).await);
                let uses = uses.into_uses();
                if !uses.is_empty() && state.usage.is_some() {
                    response.extensions_mut().insert(UsageNote::Tools(uses));
                }
                response
            }
            Err(refused) => refused.response(),
        }
    })
}

/// Answers for a build without a catalogue.
fn unavailable() -> Response {
    let mut response = error_response::of(ErrorCode::Unavailable);
    response.headers_mut().insert(RETRY_AFTER, RETRY_BUILD);
    response
}

/// Checks the media types of a request and reads its body.
async fn read(request: &mut ServiceRequest) -> Result<bytes::Bytes, Response> {
    if MediaType::of(request.headers()) != Some(MediaType::Json) {
        return Err(error_response::of(ErrorCode::UnsupportedMediaType));
    }
    if !accepts_json(values(request, &ACCEPT)) {
        return Err(error_response::of(ErrorCode::NotAcceptable));
    }
    body::read(request, BODY).await.map_err(|error| match error {
        BodyError::Coded => error_response::coded(),
        BodyError::TooLarge => error_response::of(ErrorCode::PayloadTooLarge),
        BodyError::Late => error_response::late(),
        BodyError::Broken => error_response::of(ErrorCode::InvalidRequest),
    })
}

fn fields(request: &ServiceRequest) -> McpFields<'_> {
    McpFields {
        version: McpField::of(values(request, &VERSION)),
        method: McpField::of(values(request, &METHOD)),
        name: McpField::of(values(request, &NAME)),
    }
}

fn outcome_response(outcome: McpOutcome) -> Response {
    let (status, body) = match outcome {
        McpOutcome::Answered(body) => (StatusCode::OK, body),
        McpOutcome::Accepted => (StatusCode::ACCEPTED, Vec::new()),
        McpOutcome::Refused(body) => (StatusCode::BAD_REQUEST, body),
        McpOutcome::Unknown(body) => (StatusCode::NOT_FOUND, body),
    };
    json(status, body)
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = if body.is_empty() { response::empty(status) } else { response::json(status, body) };
    cors::readable(response.headers_mut());
    response
}
