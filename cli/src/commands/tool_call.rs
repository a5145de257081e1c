//! Calls of a tool of the MCP endpoint.

use contract::{
    headers,
    mcp::{CALL_TOOL, REVISIONS, Remarks, arguments, meta},
    media, routes,
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::session::{Session, parse, shape_failure, with_url};
use crate::{client::PostRequest, failure::Failure};

/// A call, and the words of its failures.
pub(super) struct ToolCall<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
    /// What fails, at the beginning of a sentence: `The search`.
    pub(super) subject: &'a str,
    /// What to do if the arguments are refused, and the command to try.
    pub(super) remedy: &'a str,
    pub(super) next: &'a str,
}

impl ToolCall<'_> {
    /// Sends the call and returns the exact bytes of the structured result.
    pub(super) fn send(&self, session: &mut Session<'_, '_>) -> Result<String, Failure> {
        // The newest revision is first.
        let revision = REVISIONS[0].name;
        let message = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": CALL_TOOL,
            "params": {
                "name": self.tool,
                "arguments": self.arguments,
                "_meta": {
                    meta::PROTOCOL_VERSION: revision,
                    meta::CLIENT_CAPABILITIES: {},
                },
            },
        })
        .to_string();
        let post = PostRequest {
            path: routes::MCP,
            media_type: media::JSON,
            fields: &[
                (headers::MCP_PROTOCOL_VERSION, revision),
                (headers::MCP_METHOD, CALL_TOOL),
                (headers::MCP_NAME, self.tool),
            ],
            body: message.as_bytes(),
            keyed: true,
        };
        let reply = session.post(&post)?;
        let body = session.success_body(&reply, &post)?;
        let url = session.settings.base.join(routes::MCP);
        self.structured_result(&body).map(str::to_owned).map_err(|failure| with_url(failure, &url))
    }

    fn structured_result<'b>(&self, body: &'b [u8]) -> Result<&'b str, Failure> {
        let Self { subject, .. } = self;
        let unusable = |what: String| Failure::Unusable { what, url: String::new() };
        let stopped = |what: String, remedy: &str| Failure::Stopped {
            what,
            remedy: remedy.to_owned(),
            next: self.next.to_owned(),
        };
        let reply: RpcReply<'_> = serde_json::from_slice(body).map_err(|error| shape_failure(&error))?;
        if let Some(error) = reply.error {
            return Err(unusable(format!("{subject} failed: {}", error.message)));
        }
        match reply.result {
            Some(ToolResult { is_error: false, structured: Some(found), .. }) => {
                // A host of an earlier version ignores the option and returns everything.
                let remarks: Remarks = parse(found.get().as_bytes()).unwrap_or_default();
                if remarks.ignored_arguments.iter().any(|name| name == arguments::CITES) {
                    let what = "This host does not select texts by what they cite.".to_owned();
                    return Err(stopped(what, "Leave --cites out."));
                }
                Ok(found.get())
            }
            Some(result) => {
                let reasons: Vec<_> = result.content.into_iter().map(|block| block.text).collect();
                Err(stopped(format!("{subject} was refused: {}", reasons.join(" ")), self.remedy))
            }
            None => Err(unusable("The reply contains no result.".to_owned())),
        }
    }
}

#[derive(Deserialize)]
struct RpcReply<'a> {
    #[serde(borrow)]
    result: Option<ToolResult<'a>>,
    error: Option<CallError>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    #[serde(borrow, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
    #[serde(rename = "isError", default)]
    is_error: bool,
    #[serde(default)]
    content: Vec<ContentBlock>,
}

#[derive(Deserialize)]
struct ContentBlock {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct CallError {
    message: String,
}
