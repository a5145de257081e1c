//! The `initialize` request of MCP.

use contract::media;
use findings::messages;
use serde_json::json;

use super::Remedy;

/// Header fields of an MCP request.
pub(super) const MCP_FIELDS: [(&str, &str); 2] =
    [("content-type", media::JSON), ("accept", "application/json, text/event-stream")];

/// The remedy for a cached answer that must be computed for each request.
pub(super) const NO_CACHE: Remedy = messages::doctor_computed_help;

/// Returns the request with which an MCP client begins.
pub(super) fn initialize(id: u32) -> String {
    let client = json!({ "name": "mecelle-doctor", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params }).to_string()
}
