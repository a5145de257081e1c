//! The work of tools.

mod arguments;
pub(super) mod listing;
pub(super) mod searching;
pub(super) mod texts;

use contract::mcp::Remarks;
use serde::Serialize;

use super::json;

/// A message about the arguments, which a model should correct.
pub(crate) type ToolError = String;

/// Writes an object with its remarks as a result: as structured content, and as text for older clients.
fn structured(object: &[u8], remarks: &Remarks, out: &mut Vec<u8>) -> Result<(), ToolError> {
    if *remarks != Remarks::default() {
        return structured(&with_members(object, remarks)?, &Remarks::default(), out);
    }
    out.reserve(object.len() * 2 + object.len() / 8 + 128);
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":\"");
    json::escape(object, out);
    out.extend_from_slice(b"\"}],\"structuredContent\":");
    out.extend_from_slice(object);
    Ok(())
}

/// Returns `object` with the members of `more` as its last ones; neither may be empty.
fn with_members(object: &[u8], more: &impl Serialize) -> Result<Vec<u8>, ToolError> {
    let object = object.trim_ascii_end();
    let more = serde_json::to_string(more).map_err(|error| error.to_string())?;
    Ok([object.strip_suffix(b"}").unwrap_or(object), b",", more.trim_start_matches('{').as_bytes()].concat())
}
