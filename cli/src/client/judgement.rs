//! Turns replies into answers or failures.

use std::time::{Duration, SystemTime};

use contract::errors::ErrorResponse;
use serde::Deserialize;

use super::{retry, transport::HttpReply};
use crate::failure::{Failure, KeptKey, Refusal};

/// Returns whether the same request may succeed soon.
pub(crate) const fn is_transient(reply: &HttpReply) -> bool {
    retry::is_transient(reply.status)
}

/// Returns the body of a 200 reply that is a JSON object; anything else is a failure.
pub(super) fn judge(reply: &HttpReply, url: &str, now: SystemTime) -> Result<Vec<u8>, Failure> {
    match reply.status {
        200 => {}
        300..=399 => {
            let (url, target) = (url.to_owned(), reply.location.clone());
            return Err(Failure::Redirected { status: reply.status, url, target });
        }
        400..=599 => {
            let wait = retry::retry_after(reply.retry_after.as_deref(), now).filter(|_| is_transient(reply));
            return Err(refuse(reply, url, wait));
        }
        status => {
            let what = format!("The server answered with the unexpected status {status}.");
            return Err(Failure::Unusable { what, url: url.to_owned() });
        }
    }
    let object: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_slice(&reply.body);
    match object {
        Ok(_) => Ok(reply.body.clone()),
        Err(error) => {
            let kind = reply.content_type.as_deref().unwrap_or("no content type");
            let what = match error.classify() {
                serde_json::error::Category::Eof if !reply.body.is_empty() => "incomplete JSON",
                serde_json::error::Category::Data => "JSON that is not an object",
                _ => "something that is not JSON",
            };
            let size = reply.body.len();
            let unit = if size == 1 { "byte" } else { "bytes" };
            Err(Failure::Unusable {
                what: format!("The server sent {what} ({kind}, {size} {unit})."),
                url: url.to_owned(),
            })
        }
    }
}

/// An error of the MCP endpoint (JSON-RPC 2.0, 5.1).
#[derive(Deserialize)]
struct RpcRefusal {
    error: RpcError,
}

#[derive(Deserialize)]
struct RpcError {
    message: String,
}

/// Builds the failure of an error reply. `wait` is the `Retry-After` to report.
pub(super) fn refuse(reply: &HttpReply, url: &str, wait: Option<Duration>) -> Failure {
    let error: Option<ErrorResponse> = serde_json::from_slice(&reply.body).ok();
    let rpc: Option<RpcRefusal> = serde_json::from_slice(&reply.body).ok();
    let mut refusal = Refusal {
        status: reply.status,
        url: url.to_owned(),
        error,
        reason: rpc.map(|rpc| rpc.error.message),
        request_id: reply.request_id.clone(),
        wait: wait.map(|wait| wait.as_secs()).filter(|seconds| *seconds > 0),
        keyed: reply.keyed,
        kept: KeptKey::Untouched,
    };
    // The limit lasts as long as the registration: waiting does not help.
    if refusal.is_used_up() {
        refusal.wait = None;
    }
    Failure::Refused(Box::new(refusal))
}
