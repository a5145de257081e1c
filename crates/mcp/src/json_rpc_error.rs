//! JSON-RPC errors.

use std::borrow::Cow;

use contract::mcp::{INVALID_PARAMS, PARSE_ERROR};

use super::json;

#[derive(Debug)]
pub(super) struct JsonRpcError {
    pub(super) code: i32,
    pub(super) message: Cow<'static, str>,
    /// The member `data`, as JSON.
    pub(super) data: Option<String>,
    pub(super) concern: Concern,
}

/// The part of the request that an error concerns, which determines the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concern {
    /// The request was understood; the error is its answer.
    Answer,
    /// The request as a whole is invalid.
    Refusal,
    /// The method does not exist.
    Unknown,
}

impl JsonRpcError {
    /// Creates an error that answers a request.
    pub(super) fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None, concern: Concern::Answer }
    }

    /// Creates an error that rejects a request.
    pub(super) fn bad(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { concern: Concern::Refusal, ..Self::new(code, message) }
    }

    /// Creates an error for invalid parameters.
    pub(super) fn params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    pub(super) fn not_json() -> Self {
        Self::bad(PARSE_ERROR, "the body is not JSON in UTF-8")
    }

    /// Adds the member `data`.
    pub(super) fn with(self, data: String) -> Self {
        Self { data: Some(data), ..self }
    }

    /// Writes the message, without `id` if that of the request cannot be read.
    pub(super) fn write(&self, id: Option<&str>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",");
        if let Some(id) = id {
            out.extend_from_slice(b"\"id\":");
            out.extend_from_slice(id.as_bytes());
            out.push(b',');
        }
        out.extend_from_slice(b"\"error\":{\"code\":");
        out.extend_from_slice(self.code.to_string().as_bytes());
        out.extend_from_slice(b",\"message\":");
        json::quote(&self.message, out);
        if let Some(data) = &self.data {
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data.as_bytes());
        }
        out.extend_from_slice(b"}}");
    }
}
