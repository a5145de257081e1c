//! A call of a known method.

use contract::mcp::Revision;
use serde_json::value::RawValue;

use super::{
    ToolUses,
    catalogue::Catalogue,
    json::{self, Wrong},
    json_rpc_error::JsonRpcError,
};

#[derive(Clone, Copy)]
pub(super) struct MethodCall<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) uses: &'a ToolUses,
    pub(super) revision: &'static Revision,
    /// A JSON object, if given.
    pub(super) params: Option<&'a str>,
}

impl<'a> MethodCall<'a> {
    /// Returns members of the parameters.
    pub(super) fn params<const N: usize>(&self, names: [&str; N]) -> Result<[Option<&'a RawValue>; N], JsonRpcError> {
        members(self.params.unwrap_or("{}"), "params", names)
    }
}

/// Returns members of `text`, which errors call `name`.
pub(super) fn members<'a, const N: usize>(
    text: &'a str,
    name: &str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], JsonRpcError> {
    json::members(text, names).map_err(|wrong| match wrong {
        Wrong::Twice => JsonRpcError::params(format!("a member of `{name}` stands twice")),
        Wrong::NotAnObject => JsonRpcError::params(format!("`{name}` must be an object")),
        // The body is JSON, but its names are decoded only here: half of a surrogate pair is not text.
        Wrong::Broken => JsonRpcError::not_json(),
    })
}

/// Returns members of the object `value`, which may be missing.
pub(super) fn optional<'a, const N: usize>(
    value: Option<&'a RawValue>,
    name: &str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], JsonRpcError> {
    members(value.map_or("{}", RawValue::get), name, names)
}
