//! Tools: the parts of a site as a model asks for them.

mod arguments;
mod listing;
mod searching;
mod texts;

use super::{call::Call, json, json_rpc_error::JsonRpcError, tool::Work};

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
        Work::Listing(listings) => listing::hand_out(listings, arguments, out),
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

/// Writes an object as a result: verbatim, and as text for clients that do not read objects.
fn structured(object: &[u8], out: &mut Vec<u8>) {
    out.reserve(object.len() * 2 + object.len() / 8 + 128);
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":\"");
    json::escape(object, out);
    out.extend_from_slice(b"\"}],\"structuredContent\":");
    out.extend_from_slice(object);
}
