//! Tools: the parts of a site as a model asks for them.

mod arguments;
mod filters;
mod listing;
mod searching;
mod texts;

use contract::mcp::Remarks;
use serde::Serialize;

use super::{call::Call, json, json_rpc_error::JsonRpcError, tool::Work};

pub(super) use filters::Filter;

/// What a model should correct: the call was understood, but its arguments were not.
type ToolError = String;

/// Calls a tool.
pub(super) fn call(call: &Call<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [name, arguments] = call.params(["name", "arguments"])?;
    let name = name.and_then(json::string).ok_or_else(|| JsonRpcError::params("`name` must be a string"))?;
    let tool = call.catalogue.answers.iter().find(|tool| *tool.name == *name);
    let tool = tool.ok_or_else(|| JsonRpcError::params("there is no tool of this name; `tools/list` names all"))?;
    let arguments = match json::given(arguments) {
        None => "{}",
        Some(arguments) if json::is_object(arguments) => arguments.get(),
        Some(_) => return Err(JsonRpcError::params("`arguments` must be an object")),
    };
    let start = out.len();
    let result = match &tool.work {
        Work::Listing(lists) => listing::hand_out(lists, arguments, out),
        Work::Search => searching::search(call.catalogue, arguments, out),
        Work::Fetch => texts::fetch(call.catalogue, arguments, out),
        Work::Page => texts::page(call.catalogue, arguments, out),
    };
    if let Err(refusal) = result {
        out.truncate(start);
        out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
        json::quote(&refusal, out);
        out.extend_from_slice(b"}],\"isError\":true");
    }
    Ok(())
}

/// Writes an object with its remarks as a result: verbatim, and as text for clients that do not read objects.
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
