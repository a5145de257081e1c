//! The table of methods: their eras, handlers, and whether their results may be cached.

use std::borrow::Cow;

use contract::mcp::{CALL_TOOL, Era, REVISIONS, handshake_default, revision};

use super::{
    ToolUse,
    call::MethodCall,
    completion, json,
    json_rpc_error::JsonRpcError,
    lists, prompts, resources, skills,
    tool::Work,
    tools::{listing, searching, texts},
};

/// The method of the handshake.
pub(super) const INITIALIZE: &str = "initialize";

pub(super) struct Method {
    name: &'static str,
    eras: &'static [Era],
    /// Whether clients may cache the result; answers in new revisions must declare that.
    pub(super) kept: bool,
    /// The parameter that a header field repeats.
    pub(super) subject: Option<MirroredParameter>,
    /// Writes the members of the result.
    pub(super) answer: fn(&MethodCall<'_>, &mut Vec<u8>) -> Result<(), JsonRpcError>,
}

/// The parameter that `Mcp-Name` repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MirroredParameter {
    Name,
    Uri,
}

const HANDSHAKE: &[Era] = &[Era::Handshake];
const PER_REQUEST: &[Era] = &[Era::PerRequest];
const BOTH: &[Era] = &[Era::Handshake, Era::PerRequest];

#[rustfmt::skip]
static METHODS: [Method; 13] = [
    Method { name: CALL_TOOL, eras: BOTH, kept: false, subject: Some(MirroredParameter::Name), answer: call_tool },
    Method { name: "tools/list", eras: BOTH, kept: true, subject: None, answer: lists::tools },
    Method { name: "resources/read", eras: BOTH, kept: true, subject: Some(MirroredParameter::Uri), answer: resources::read },
    Method { name: "resources/list", eras: BOTH, kept: true, subject: None, answer: resources::list },
    Method { name: "resources/templates/list", eras: BOTH, kept: true, subject: None, answer: lists::templates },
    Method { name: "skills/list", eras: BOTH, kept: true, subject: None, answer: skills::list },
    Method { name: "skills/get", eras: BOTH, kept: true, subject: None, answer: skills::get },
    Method { name: "prompts/list", eras: BOTH, kept: true, subject: None, answer: lists::prompts },
    Method { name: "prompts/get", eras: BOTH, kept: false, subject: Some(MirroredParameter::Name), answer: prompts::get },
    Method { name: "completion/complete", eras: BOTH, kept: false, subject: None, answer: completion::complete },
    Method { name: "server/discover", eras: PER_REQUEST, kept: true, subject: None, answer: discover },
    Method { name: INITIALIZE, eras: HANDSHAKE, kept: false, subject: None, answer: initialize },
    Method { name: "ping", eras: HANDSHAKE, kept: false, subject: None, answer: |_, _| Ok(()) },
];

pub(super) fn find(name: &str, era: Era) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && method.eras.contains(&era))
}

/// Calls a tool. An error in its arguments, which a model should correct, is a result and no protocol error.
fn call_tool(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [name, arguments] = call.params(["name", "arguments"])?;
    let name = name.and_then(json::string).ok_or_else(|| JsonRpcError::params("`name` must be a string"))?;
    let tool = call.catalogue.answers.iter().find(|tool| *tool.name == *name);
    let tool = tool.ok_or_else(|| JsonRpcError::params("there is no tool of this name; `tools/list` names all"))?;
    let arguments = match json::non_null(arguments) {
        None => "{}",
        Some(arguments) if json::is_object(arguments) => arguments.get(),
        Some(_) => return Err(JsonRpcError::params("`arguments` must be an object")),
    };
    call.uses.add(ToolUse::Called(tool.name.clone()));
    let start = out.len();
    let result = match &tool.work {
        Work::Listing(lists) => listing::write_list((lists, &call.catalogue.laws), arguments, out),
        Work::Search => searching::search((call.catalogue, call.uses), arguments, out),
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

/// Describes the server.
fn discover(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [] = call.params([])?;
    out.extend_from_slice(&call.catalogue.discover);
    Ok(())
}

/// Answers the handshake with the requested revision, or else the newest one with a handshake.
fn initialize(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [version] = call.params(["protocolVersion"])?;
    let version: Cow<'_, str> =
        version.and_then(json::string).ok_or_else(|| JsonRpcError::params("`protocolVersion` must be a string"))?;
    let agreed = revision(&version).filter(|revision| revision.era == Era::Handshake);
    out.extend_from_slice(b"\"protocolVersion\":\"");
    out.extend_from_slice(agreed.unwrap_or_else(|| handshake_default()).name.as_bytes());
    out.extend_from_slice(b"\",");
    out.extend_from_slice(&call.catalogue.initialize);
    Ok(())
}

// The names of revisions are written into answers without escaping.
const _: () = {
    let mut row = 0;
    while row < REVISIONS.len() {
        let name = REVISIONS[row].name.as_bytes();
        let mut at = 0;
        while at < name.len() {
            assert!(name[at].is_ascii_digit() || name[at] == b'-');
            at += 1;
        }
        row += 1;
    }
};
