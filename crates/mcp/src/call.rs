//! A request whose method was found.

use contract::mcp::Revision;
use serde_json::value::RawValue;

use super::{
    catalogue::Catalogue,
    json::{self, Wrong},
    json_rpc_error::JsonRpcError,
};

/// A request that a method answers.
#[derive(Clone, Copy)]
pub(super) struct MethodCall<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) revision: &'static Revision,
    /// An object, if given.
    pub(super) params: Option<&'a str>,
}

impl<'a> MethodCall<'a> {
    /// Members of the parameters.
    pub(super) fn params<const N: usize>(&self, names: [&str; N]) -> Result<[Option<&'a RawValue>; N], JsonRpcError> {
        members(self.params.unwrap_or("{}"), "params", names)
    }
}

/// Members of `text`, which is called `name` in faults.
pub(super) fn members<'a, const N: usize>(
    text: &'a str,
    name: &str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], JsonRpcError> {
    json::members(text, names).map_err(|wrong| match wrong {
        Wrong::Twice => JsonRpcError::params(format!("a member of `{name}` stands twice")),
        Wrong::NotAnObject => JsonRpcError::params(format!("`{name}` must be an object")),
        // The body was parsed before, but the names in it were not: half of a surrogate pair is not text.
        Wrong::Broken => JsonRpcError::not_json(),
    })
}

/// Members of the object `value`, which may itself be missing.
pub(super) fn optional<'a, const N: usize>(
    value: Option<&'a RawValue>,
    name: &str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], JsonRpcError> {
    members(value.map_or("{}", RawValue::get), name, names)
}
