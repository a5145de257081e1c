//! The Model Context Protocol: from the body of a request to the bytes of its answer.
//!
//! Stateless, and independent of the HTTP library. The build prepares the answers, which the [`Catalogue`] holds. This
//! crate selects the requested part and adds the envelope and the members of the revision, without building a JSON
//! tree.

mod call;
mod catalogue;
mod completion;
mod fields;
mod filters;
mod json;
mod json_rpc_error;
mod lists;
mod message;
mod methods;
mod pages;
mod prompts;
mod protocol_version;
mod resources;
mod skill;
mod skills;
mod span;
mod tool;
mod tools;

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
};

use contract::mcp::{INTERNAL_ERROR, INVALID_REQUEST, limits};
use serde_json::value::RawValue;
use tokio::task;

use self::{
    call::MethodCall,
    json_rpc_error::{Concern, JsonRpcError},
    message::{RpcMessage, RpcRequest},
    protocol_version::UsedRevision,
};
pub use self::{
    catalogue::{BuildParts, Catalogue, CatalogueError},
    fields::{McpField, McpFields},
};

/// The outcome of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum McpOutcome {
    /// An answer, possibly one that reports an error.
    Answered(Vec<u8>),
    /// Accepted, with nothing to answer.
    Accepted,
    /// The request as a whole is rejected.
    Refused(Vec<u8>),
    /// The method does not exist.
    Unknown(Vec<u8>),
}

/// What a request did with the tools, for counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolUse {
    /// Called the tool of this name.
    Called(Box<str>),
    /// Searched for these words and found nothing.
    Unfound(Box<str>),
}

/// Collects what a request does with the tools.
#[derive(Debug, Default)]
pub struct ToolUses(RefCell<Vec<ToolUse>>);

impl ToolUses {
    pub fn into_uses(self) -> Vec<ToolUse> {
        self.0.into_inner()
    }

    fn add(&self, tool_use: ToolUse) {
        self.0.borrow_mut().push(tool_use);
    }
}

pub enum McpRequest<'a> {
    /// One message, unparsed.
    Single(&'a str),
    /// The messages of an array.
    Batch(Vec<&'a RawValue>),
    /// A body that is rejected, with its outcome.
    Unusable(McpOutcome),
}

impl<'a> McpRequest<'a> {
    /// Inspects the `body` of a request with the header fields `fields`.
    pub fn of(body: &'a [u8], fields: &McpFields<'_>) -> Self {
        let read = message::text(body).and_then(|text| {
            if text.starts_with('[') { messages(text, fields).map(Self::Batch) } else { Ok(Self::Single(text)) }
        });
        read.unwrap_or_else(|error| Self::Unusable(refuse(None, &error)))
    }

    /// Returns the number of messages; each costs as much work as a separate request.
    pub fn count(&self) -> usize {
        if let Self::Batch(messages) = self { messages.len() } else { 1 }
    }

    /// Answers all messages; yields to other tasks between those of an array.
    pub async fn answer(self, catalogue: &Catalogue, fields: &McpFields<'_>, tool_uses: &ToolUses) -> McpOutcome {
        match self {
            Self::Single(text) => single(catalogue, text, fields, tool_uses),
            Self::Batch(messages) => batch(catalogue, &messages, tool_uses).await,
            Self::Unusable(outcome) => outcome,
        }
    }
}

/// Rejects an array of more messages than a client may send in a minute.
pub fn beyond_quota(most: usize) -> McpOutcome {
    let message = format!("an array holds at most {most} messages here, as many as are allowed in a minute");
    refuse(None, &JsonRpcError::bad(INVALID_REQUEST, message))
}

/// Returns the error for a request whose body was not read.
pub fn forbidden(message: &'static str) -> Vec<u8> {
    let mut out = Vec::new();
    JsonRpcError::bad(INVALID_REQUEST, message).write(None, &mut out);
    out
}

fn single(catalogue: &Catalogue, text: &str, fields: &McpFields<'_>, tool_uses: &ToolUses) -> McpOutcome {
    let request = match message::parse(text) {
        Ok(RpcMessage::Request(request)) => request,
        Ok(RpcMessage::Notification) => return accept(protocol_version::check_notification(fields)),
        Ok(RpcMessage::Response) => return accept(protocol_version::check_response(fields)),
        Err(invalid) => return refuse(invalid.id, &invalid.error),
    };
    let mut out = Vec::with_capacity(512);
    let result = protocol_version::revision_of(&request, fields)
        .and_then(|used| respond((catalogue, tool_uses), &request, used, &mut out));
    match result.map_or_else(|error| (error.concern, Some(error)), |()| (Concern::Answer, None)) {
        (concern, Some(error)) => {
            out.clear();
            error.write(Some(request.id), &mut out);
            match concern {
                Concern::Answer => McpOutcome::Answered(out),
                Concern::Refusal => McpOutcome::Refused(out),
                Concern::Unknown => McpOutcome::Unknown(out),
            }
        }
        (_, None) => McpOutcome::Answered(out),
    }
}

fn accept(judged: Result<(), JsonRpcError>) -> McpOutcome {
    judged.map_or_else(|error| refuse(None, &error), |()| McpOutcome::Accepted)
}

fn refuse(id: Option<&str>, error: &JsonRpcError) -> McpOutcome {
    let mut out = Vec::with_capacity(128);
    error.write(id, &mut out);
    McpOutcome::Refused(out)
}

/// Returns the messages of an array, if the revision allows arrays.
fn messages<'a>(text: &'a str, fields: &McpFields<'_>) -> Result<Vec<&'a RawValue>, JsonRpcError> {
    let messages: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| JsonRpcError::not_json())?;
    if !protocol_version::has_batches(fields) {
        return Err(JsonRpcError::bad(
            INVALID_REQUEST,
            "a body is one message; arrays of messages are of revision 2025-03-26",
        ));
    }
    match messages.len() {
        0 => Err(JsonRpcError::bad(INVALID_REQUEST, "an array of messages must not be empty")),
        count if count > limits::BATCH => {
            Err(JsonRpcError::bad(INVALID_REQUEST, format!("an array holds at most {} messages", limits::BATCH)))
        }
        _ => Ok(messages),
    }
}

/// Answers every request of an array. A notification in it, even a cancellation, does not suppress an answer.
async fn batch(catalogue: &Catalogue, messages: &[&RawValue], tool_uses: &ToolUses) -> McpOutcome {
    let used = protocol_version::batch_revision();
    let mut out = vec![b'['];
    for (number, message) in messages.iter().enumerate() {
        if number > 0 {
            task::yield_now().await;
        }
        let before = out.len();
        if before > 1 {
            out.push(b',');
        }
        let start = out.len();
        match message::parse(message.get()) {
            Ok(RpcMessage::Request(request)) => {
                let result = if request.method == methods::INITIALIZE {
                    Err(JsonRpcError::bad(INVALID_REQUEST, "`initialize` must not stand in an array of messages"))
                } else {
                    respond((catalogue, tool_uses), &request, used, &mut out)
                };
                if let Err(error) = result {
                    out.truncate(start);
                    error.write(Some(request.id), &mut out);
                }
            }
            Ok(RpcMessage::Notification | RpcMessage::Response) => out.truncate(before),
            Err(invalid) => invalid.error.write(invalid.id, &mut out),
        }
    }
    if out.len() == 1 {
        return McpOutcome::Accepted;
    }
    out.push(b']');
    McpOutcome::Answered(out)
}

/// Writes the answer to `request`. On failure `out` holds a partial answer, which the caller must remove.
fn respond(
    (catalogue, tool_uses): (&Catalogue, &ToolUses),
    request: &RpcRequest<'_>,
    used: UsedRevision,
    out: &mut Vec<u8>,
) -> Result<(), JsonRpcError> {
    let method = methods::find(&request.method, used.revision.era).ok_or_else(|| used.unknown_method())?;
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(request.id.as_bytes());
    out.extend_from_slice(b",\"result\":{");
    out.extend_from_slice(catalogue.decoration(used.revision.era, method.kept));
    let call = MethodCall { catalogue, uses: tool_uses, revision: used.revision, params: request.params };
    // Unwind safe: the vector only grows, and the caller truncates it.
    let written = catch_unwind(AssertUnwindSafe(|| (method.answer)(&call, out)));
    written.unwrap_or_else(|_| Err(JsonRpcError::new(INTERNAL_ERROR, "the request could not be answered")))?;
    out.extend_from_slice(b"}}");
    Ok(())
}

#[cfg(test)]
mod tests;
