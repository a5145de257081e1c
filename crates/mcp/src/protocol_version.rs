//! Determines the revision that a request uses, and checks the header fields that the revision requires.

use contract::{
    headers::written,
    mcp::{
        Era, HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, REVISIONS, Revision,
        UNSUPPORTED_VERSION, handshake_default, meta, revision, supported,
    },
};
use serde_json::value::RawValue;

use super::{
    call,
    fields::{McpField, McpFields},
    json,
    json_rpc_error::{Concern, JsonRpcError},
    message::RpcRequest,
    methods::{self, MirroredParameter},
};

/// The protocol revision of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedRevision {
    pub(super) revision: &'static Revision,
}

impl UsedRevision {
    /// Returns the error for a method that this revision does not have.
    pub(super) fn unknown_method(self) -> JsonRpcError {
        let concern = match self.revision.era {
            Era::Handshake => Concern::Answer,
            Era::PerRequest => Concern::Unknown,
        };
        JsonRpcError { concern, ..JsonRpcError::new(METHOD_NOT_FOUND, "this method is not available here") }
    }
}

/// The values of a body that header fields repeat.
struct MirroredValues<'a> {
    /// The revision in `_meta`.
    version: Option<&'a RawValue>,
    /// The client's capabilities in `_meta`.
    capabilities: Option<&'a RawValue>,
    name: Option<&'a RawValue>,
    uri: Option<&'a RawValue>,
}

/// Returns the revision of `request`, if its header fields and its body agree.
pub(super) fn revision_of(request: &RpcRequest<'_>, fields: &McpFields<'_>) -> Result<UsedRevision, JsonRpcError> {
    let values = read_mirrored_values(request.params)?;
    // A handshake negotiates the revision, so its header field is ignored.
    if request.method == methods::INITIALIZE && values.version.is_none() {
        return Ok(UsedRevision { revision: handshake_default() });
    }
    if values.version.is_some() || names_new(fields.version) {
        return per_request(request, &values, fields);
    }
    after_handshake(fields.version)
}

/// Checks whether a notification with these `fields` may be accepted.
pub(super) fn check_notification(fields: &McpFields<'_>) -> Result<(), JsonRpcError> {
    match fields.version.word().and_then(revision) {
        Some(_) => Ok(()),
        None => after_handshake(fields.version).map(|_| ()),
    }
}

/// Checks whether a response with these `fields` may be accepted. New revisions have no responses from clients.
pub(super) fn check_response(fields: &McpFields<'_>) -> Result<(), JsonRpcError> {
    if names_new(fields.version) {
        return Err(JsonRpcError::bad(INVALID_REQUEST, "this revision has no responses of clients"));
    }
    after_handshake(fields.version).map(|_| ())
}

/// Whether a body with these `fields` may be an array.
pub(super) fn has_batches(fields: &McpFields<'_>) -> bool {
    after_handshake(fields.version).is_ok_and(|used| used.revision.batches)
}

/// Returns the revision of the messages of an array.
pub(super) fn batch_revision() -> UsedRevision {
    UsedRevision { revision: default_revision() }
}

fn read_mirrored_values(params: Option<&str>) -> Result<MirroredValues<'_>, JsonRpcError> {
    let nothing = MirroredValues { version: None, capabilities: None, name: None, uri: None };
    let Some(params) = params else { return Ok(nothing) };
    let [meta, name, uri] = members(params, "params", ["_meta", "name", "uri"])?;
    let known = MirroredValues { name, uri, ..nothing };
    let Some(meta) = meta.filter(|meta| json::is_object(meta)) else { return Ok(known) };
    let [version, capabilities] = members(meta.get(), "_meta", [meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES])?;
    Ok(MirroredValues { version, capabilities, ..known })
}

/// Reads members of `text`; an error rejects the whole request.
fn members<'a, const N: usize>(
    text: &'a str,
    name: &str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], JsonRpcError> {
    call::members(text, name, names).map_err(|error| JsonRpcError { concern: Concern::Refusal, ..error })
}

/// Returns the revision of a request that names none: the oldest with this transport (2025-06-18, "Protocol Version
/// Header").
fn default_revision() -> &'static Revision {
    REVISIONS.iter().find(|revision| revision.batches).unwrap_or_else(|| handshake_default())
}

/// Whether the header field names a revision without handshake, or a later one.
fn names_new(field: McpField<'_>) -> bool {
    let is_date = |word: &&str| word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let oldest = REVISIONS.iter().rfind(|revision| revision.era == Era::PerRequest);
    field.word().filter(is_date).zip(oldest).is_some_and(|(word, oldest)| word >= oldest.name)
}

fn after_handshake(field: McpField<'_>) -> Result<UsedRevision, JsonRpcError> {
    let revision = match field {
        McpField::Absent => Some(default_revision()),
        McpField::Twice => {
            return Err(JsonRpcError::bad(HEADER_MISMATCH, "`MCP-Protocol-Version` stands more than once"));
        }
        McpField::Once(_) => field.word().and_then(revision).filter(|revision| revision.era == Era::Handshake),
    };
    let value = || match field {
        McpField::Once(value) => String::from_utf8_lossy(value).into_owned(),
        McpField::Absent | McpField::Twice => String::new(),
    };
    revision.map(|revision| UsedRevision { revision }).ok_or_else(|| unsupported(&value()))
}

/// Checks a request of a revision without handshake, in this order: `_meta`, header fields, revision.
fn per_request(
    request: &RpcRequest<'_>,
    values: &MirroredValues<'_>,
    fields: &McpFields<'_>,
) -> Result<UsedRevision, JsonRpcError> {
    let version = values.version.and_then(json::string).ok_or_else(|| {
        JsonRpcError::bad(
            INVALID_PARAMS,
            format!("`_meta` must name the revision as a string in `{}`", meta::PROTOCOL_VERSION),
        )
    })?;
    let known = revision(&version);
    if let Some(revision) = known.filter(|revision| revision.era == Era::Handshake)
        && fields.version.has_value(&version)
    {
        return Ok(UsedRevision { revision });
    }
    if !values.capabilities.is_some_and(json::is_object) {
        let name = meta::CLIENT_CAPABILITIES;
        return Err(JsonRpcError::bad(INVALID_PARAMS, format!("`_meta` must hold an object in `{name}`")));
    }
    check_mirrored(fields.version, written::MCP_PROTOCOL_VERSION, "the revision in `_meta`", |field| {
        field.has_value(&version)
    })?;
    check_mirrored(fields.method, written::MCP_METHOD, "`method`", |field| field.has_value(&request.method))?;
    if let Some((subject, name)) = subject(request, values) {
        let subject = subject.and_then(json::string);
        // If both are missing, the method reports that.
        if subject.is_some() || fields.name != McpField::Absent {
            let agrees = |field: McpField<'_>| subject.as_ref().is_some_and(|subject| field.has_encoded_value(subject));
            check_mirrored(fields.name, written::MCP_NAME, name, agrees)?;
        }
    }
    let used = known.filter(|revision| revision.era == Era::PerRequest).map(|revision| UsedRevision { revision });
    used.ok_or_else(|| unsupported(&version))
}

/// Returns the value that `Mcp-Name` must repeat, and its name in messages; `None` if the method repeats none.
fn subject<'a>(request: &RpcRequest<'_>, values: &MirroredValues<'a>) -> Option<(Option<&'a RawValue>, &'static str)> {
    Some(match methods::find(&request.method, Era::PerRequest)?.subject? {
        MirroredParameter::Name => (values.name, "`params.name`"),
        MirroredParameter::Uri => (values.uri, "`params.uri`"),
    })
}

fn check_mirrored(
    field: McpField<'_>,
    name: &str,
    what: &str,
    agrees: impl Fn(McpField<'_>) -> bool,
) -> Result<(), JsonRpcError> {
    let problem = match field {
        McpField::Absent => format!("the header field `{name}` is missing; it must repeat {what}"),
        McpField::Twice => format!("the header field `{name}` stands more than once"),
        McpField::Once(_) if agrees(field) => return Ok(()),
        McpField::Once(_) => format!("the header field `{name}` does not repeat {what}"),
    };
    Err(JsonRpcError::bad(HEADER_MISMATCH, problem))
}

fn unsupported(requested: &str) -> JsonRpcError {
    let supported: Vec<_> = supported().collect();
    let message = format!("this revision of the protocol is not supported; supported are {}", supported.join(", "));
    let names: Vec<_> = supported.iter().map(|name| json::to_json_string(name)).collect();
    let data = format!("{{\"supported\":[{}],\"requested\":{}}}", names.join(","), json::to_json_string(requested));
    JsonRpcError::bad(UNSUPPORTED_VERSION, message).with(data)
}
