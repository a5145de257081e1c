//! Lists of one page.

use super::{call::MethodCall, json, json_rpc_error::JsonRpcError};

pub(super) fn tools(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    write_single_page(call, &call.catalogue.tools, out)
}

pub(super) fn prompts(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    write_single_page(call, &call.catalogue.prompts, out)
}

pub(super) fn templates(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    write_single_page(call, &call.catalogue.templates, out)
}

/// Writes a list of one page, for which every cursor is invalid.
fn write_single_page(call: &MethodCall<'_>, members: &[u8], out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [cursor] = call.params(["cursor"])?;
    if json::non_null(cursor).is_some() {
        return Err(JsonRpcError::params("this cursor is not of this list; ask without one"));
    }
    out.extend_from_slice(members);
    Ok(())
}
