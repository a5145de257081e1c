//! The methods of skills (SEP-2640).

use super::{call::MethodCall, json, json_rpc_error::JsonRpcError, skill::find};

/// Writes the list, which has one page.
pub(super) fn list(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [cursor] = call.params(["cursor"])?;
    if json::non_null(cursor).is_some() {
        return Err(JsonRpcError::params("this cursor is not of this list; ask without one"));
    }
    out.extend_from_slice(b"\"skills\":[");
    for (at, skill) in call.catalogue.skills.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(skill.entry());
    }
    out.push(b']');
    Ok(())
}

/// Writes the entry of one skill.
pub(super) fn get(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [uri] = call.params(["uri"])?;
    let uri = uri.and_then(json::string).ok_or_else(|| JsonRpcError::params("`uri` must be a string"))?;
    let skill = find(&call.catalogue.skills, &uri)
        .ok_or_else(|| JsonRpcError::params("there is no skill with this address; `skills/list` names all"))?;
    out.extend_from_slice(b"\"skill\":");
    out.extend_from_slice(skill.entry());
    Ok(())
}
