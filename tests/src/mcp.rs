//! MCP requests, in revisions with and without a handshake.

use contract::{mcp::meta, routes};
use serde_json::{Value, json};

use crate::{agent::JSON, firm::Firm, http::Reply, service::Service};

/// The newest revision.
pub const NEW: &str = "2026-07-28";

/// Returns a request as JSON.
#[must_use]
pub fn message(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
}

/// Calls `method` as clients of the revisions with a handshake do.
pub fn legacy(service: &Service<impl Firm>, method: &str, params: &Value) -> Reply {
    service.post(routes::MCP, &[JSON], message(method, params))
}

/// Calls `method` in the newest revision, with the fields that it requires.
pub fn modern(service: &Service<impl Firm>, method: &str, params: Value) -> Reply {
    let (lines, body) = modern_parts(method, params);
    let lines: Vec<&str> = [JSON].into_iter().chain(lines.iter().map(String::as_str)).collect();
    service.post(routes::MCP, &lines, body)
}

/// Returns the header lines and the body of a call in the newest revision.
#[must_use]
pub fn modern_parts(method: &str, mut params: Value) -> (Vec<String>, String) {
    params["_meta"] = json!({ meta::PROTOCOL_VERSION: NEW, meta::CLIENT_CAPABILITIES: {} });
    let mut lines = vec![format!("MCP-Protocol-Version: {NEW}"), format!("Mcp-Method: {method}")];
    if let Some(name) = params.get("name").or(params.get("uri")).and_then(Value::as_str) {
        lines.push(format!("Mcp-Name: {name}"));
    }
    (lines, message(method, &params))
}

/// Returns the result of a successful response.
#[track_caller]
pub fn result(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.as_text());
    let mut body = reply.json();
    assert_eq!((&body["jsonrpc"], &body["id"], body.get("error")), (&json!("2.0"), &json!(7), None), "{body}");
    body["result"].take()
}
