//! A call that every MCP server answers.

use contract::media;
use findings::messages;
use serde_json::json;

use super::Remedy;

/// The fields of a call that every MCP server answers.
pub(super) const MCP_FIELDS: [(&str, &str); 2] =
    [("content-type", media::JSON), ("accept", "application/json, text/event-stream")];

/// What to do about a computed answer that something in between stored.
pub(super) const NO_CACHE: Remedy = messages::doctor_computed_help;

/// Returns the call with which a client of MCP begins.
pub(super) fn initialize(id: u32) -> String {
    let client = json!({ "name": "mecelle-doctor", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params }).to_string()
}
