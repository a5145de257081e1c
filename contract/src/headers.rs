//! Names of the header fields that the service reads or writes beyond the standard ones of its HTTP library.

/// The second place in which the sandbox key may stand (specification, "Content API and MCP").
pub const X_API_KEY: &str = "x-api-key";
/// Names a request in replies and logs; echoed when the client sent one.
pub const X_REQUEST_ID: &str = "x-request-id";
/// Estimated number of model tokens of a Markdown body.
pub const X_MARKDOWN_TOKENS: &str = "x-markdown-tokens";
/// What is left of a limit (draft-ietf-httpapi-ratelimit-headers).
pub const RATE_LIMIT: &str = "ratelimit";
/// The limit in force (draft-ietf-httpapi-ratelimit-headers).
pub const RATE_LIMIT_POLICY: &str = "ratelimit-policy";

/// Revision of the Model Context Protocol that a request speaks (MCP, "Streamable HTTP").
pub const MCP_PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// Method of the JSON-RPC request in the body.
pub const MCP_METHOD: &str = "mcp-method";
/// What the method is applied to: a tool's name, a prompt's name, a resource's address.
pub const MCP_NAME: &str = "mcp-name";

/// Who sent a request to a browser's knowledge: this site, another one, or the person (Fetch Metadata).
pub const SEC_FETCH_SITE: &str = "sec-fetch-site";
/// Whether search engines may list what they were given.
pub const X_ROBOTS_TAG: &str = "x-robots-tag";
/// Which windows may hold on to this one (HTML, "Cross-origin opener policies").
pub const CROSS_ORIGIN_OPENER_POLICY: &str = "cross-origin-opener-policy";
/// What the author allows search engines and the makers of models to do with a text (draft-ietf-aipref-attach).
pub const CONTENT_USAGE: &str = "content-usage";

/// Response fields that a script of another origin may read.
pub const CORS_EXPOSED: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Markdown-Tokens, X-Request-Id";
/// Request fields that a script of another origin may send to a readable resource.
pub const CORS_ALLOWED: &str = "Authorization, X-Api-Key, If-None-Match, X-Request-Id";
/// Request fields that a script of another origin may post to a computed resource.
pub const CORS_ALLOWED_POSTED: &str = "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, \
                                       Mcp-Name, Mcp-Session-Id, X-Api-Key, X-Request-Id";
/// How long a browser may remember a preflight's answer, in seconds.
pub const CORS_MAX_AGE: &str = "86400";
