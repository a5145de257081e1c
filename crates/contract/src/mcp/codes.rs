//! Error codes: those of JSON-RPC 2.0, and those that the protocol adds.

/// The body is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// The JSON is not a message.
pub const INVALID_REQUEST: i32 = -32600;
/// The method does not exist in this revision.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters are wrong.
pub const INVALID_PARAMS: i32 = -32602;
/// A defect of the service.
pub const INTERNAL_ERROR: i32 = -32603;
/// No such resource, up to revision 2025-11-25; later [`INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND: i32 = -32002;
/// Header fields and body say different things.
pub const HEADER_MISMATCH: i32 = -32020;
/// The revision is not supported here.
pub const UNSUPPORTED_VERSION: i32 = -32022;
