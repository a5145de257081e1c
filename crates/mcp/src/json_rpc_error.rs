//! What is wrong with a request, in the form of a JSON-RPC error.

use std::borrow::Cow;

use contract::mcp::{INVALID_PARAMS, PARSE_ERROR};

use super::json;

/// An error of the protocol.
#[derive(Debug)]
pub(super) struct JsonRpcError {
    pub(super) code: i32,
    pub(super) message: Cow<'static, str>,
    /// JSON that programs may read.
    pub(super) data: Option<String>,
    pub(super) concern: Concern,
}

/// How much of the request the error concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concern {
    /// The request was understood; this is its answer.
    Answer,
    /// The request as a whole is wrong.
    Refusal,
    /// What was asked for does not exist.
    Unknown,
}

impl JsonRpcError {
    /// An error that is the answer to a request.
    pub(super) fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None, concern: Concern::Answer }
    }

    /// An error that refuses a request.
    pub(super) fn bad(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { concern: Concern::Refusal, ..Self::new(code, message) }
    }

    /// Parameters that the method cannot use.
    pub(super) fn params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// A body that is not JSON.
    pub(super) fn not_json() -> Self {
        Self::bad(PARSE_ERROR, "the body is not JSON in UTF-8")
    }

    /// Adds JSON for programs.
    pub(super) fn with(self, data: String) -> Self {
        Self { data: Some(data), ..self }
    }

    /// Writes the whole message, without an identifier if the request's could not be read.
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
