//! Names of the header fields that the service reads or writes beyond the standard ones of its HTTP library.

/// The second field in which the sandbox key may be sent (specification, "Content API and MCP").
pub const X_API_KEY: &str = "x-api-key";
/// Identifies a request in its reply; echoed if the client sent one. The log records it for a request that could not be
/// answered, and for every request if the operator wants an access log.
pub const X_REQUEST_ID: &str = "x-request-id";
/// The trace that a request belongs to (W3C Trace Context, 3.2). It is repeated in the access log alone.
pub const TRACEPARENT: &str = "traceparent";
/// Proves that an edge module sent the request, and says for whom: the secret that it shares with the sidecar, a space,
/// and the address of its client.
pub const X_MECELLE_EDGE: &str = "x-mecelle-edge";
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

/// Who initiated the request, as the browser sees it: this site, another one, or the person (Fetch Metadata).
pub const SEC_FETCH_SITE: &str = "sec-fetch-site";
/// Whether search engines may list what they were given.
pub const X_ROBOTS_TAG: &str = "x-robots-tag";
/// Which windows may hold on to this one (HTML, "Cross-origin opener policies").
pub const CROSS_ORIGIN_OPENER_POLICY: &str = "cross-origin-opener-policy";
/// How a browser treats what it was given (RFC 6266).
pub const CONTENT_DISPOSITION: &str = "content-disposition";
/// What the author allows search engines and the makers of models to do with a text (draft-ietf-aipref-attach).
pub const CONTENT_USAGE: &str = "content-usage";

/// `Referrer-Policy` of the whole site.
pub const REFERRERS: &str = "strict-origin-when-cross-origin";
/// `X-Content-Type-Options` of the whole site.
pub const NOSNIFF: &str = "nosniff";
/// `Content-Security-Policy` of everything that is not a page: it loads nothing, even if a browser shows it on its own.
pub const NOTHING_LOADED: &str = "default-src 'none'; frame-ancestors 'none'";

/// Response fields that a script of another origin may read.
pub const CORS_EXPOSED: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Markdown-Tokens, X-Request-Id";
/// Request fields that a script of another origin may send to a readable resource. MCP clients also name their revision
/// when they read metadata, and the type of a body that does not exist.
pub const CORS_ALLOWED: &str =
    "Authorization, Content-Type, If-None-Match, MCP-Protocol-Version, X-Api-Key, X-Request-Id";
/// Request fields that a script of another origin may post to a computed resource.
pub const CORS_ALLOWED_POSTED: &str = "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, \
                                       Mcp-Name, Mcp-Session-Id, X-Api-Key, X-Request-Id";
/// How long a browser may remember a preflight's answer, in seconds.
pub const CORS_MAX_AGE: &str = "86400";

/// The same names as people write them: in documents, in messages and in values that name fields.
pub mod written {
    /// [`X_API_KEY`](super::X_API_KEY).
    pub const X_API_KEY: &str = "X-Api-Key";
    /// [`X_REQUEST_ID`](super::X_REQUEST_ID).
    pub const X_REQUEST_ID: &str = "X-Request-Id";
    /// [`X_MARKDOWN_TOKENS`](super::X_MARKDOWN_TOKENS).
    pub const X_MARKDOWN_TOKENS: &str = "X-Markdown-Tokens";
    /// [`RATE_LIMIT`](super::RATE_LIMIT).
    pub const RATE_LIMIT: &str = "RateLimit";
    /// [`RATE_LIMIT_POLICY`](super::RATE_LIMIT_POLICY).
    pub const RATE_LIMIT_POLICY: &str = "RateLimit-Policy";
    /// [`MCP_PROTOCOL_VERSION`](super::MCP_PROTOCOL_VERSION).
    pub const MCP_PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
    /// [`MCP_METHOD`](super::MCP_METHOD).
    pub const MCP_METHOD: &str = "Mcp-Method";
    /// [`MCP_NAME`](super::MCP_NAME).
    pub const MCP_NAME: &str = "Mcp-Name";
    /// [`SEC_FETCH_SITE`](super::SEC_FETCH_SITE).
    pub const SEC_FETCH_SITE: &str = "Sec-Fetch-Site";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_as_people_write_it_is_the_same_name() {
        for (name, written) in [
            (X_API_KEY, written::X_API_KEY),
            (X_REQUEST_ID, written::X_REQUEST_ID),
            (X_MARKDOWN_TOKENS, written::X_MARKDOWN_TOKENS),
            (RATE_LIMIT, written::RATE_LIMIT),
            (RATE_LIMIT_POLICY, written::RATE_LIMIT_POLICY),
            (MCP_PROTOCOL_VERSION, written::MCP_PROTOCOL_VERSION),
            (MCP_METHOD, written::MCP_METHOD),
            (MCP_NAME, written::MCP_NAME),
            (SEC_FETCH_SITE, written::SEC_FETCH_SITE),
        ] {
            assert!(written != name && written.eq_ignore_ascii_case(name), "{written}");
        }
    }
}
