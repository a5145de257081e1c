//! Names of header fields that the HTTP library does not define, and values of header fields.

/// The second field in which the sandbox key may be sent (specification, "Content API and MCP").
pub const X_API_KEY: &str = "x-api-key";
/// The identifier of a request, repeated in the response. The error log has it for failed requests, the access log for
/// all requests.
pub const X_REQUEST_ID: &str = "x-request-id";
/// The trace of a request (W3C Trace Context, 3.2), recorded only in the access log.
pub const TRACEPARENT: &str = "traceparent";
/// Authenticates an edge module and names its client: the secret shared with the sidecar, a space, and the client's
/// address.
pub const X_MECELLE_EDGE: &str = "x-mecelle-edge";
/// Estimated number of model tokens of a Markdown body.
pub const X_MARKDOWN_TOKENS: &str = "x-markdown-tokens";
/// The remainder of a limit (draft-ietf-httpapi-ratelimit-headers).
pub const RATE_LIMIT: &str = "ratelimit";
/// The limit (draft-ietf-httpapi-ratelimit-headers).
pub const RATE_LIMIT_POLICY: &str = "ratelimit-policy";

/// Revision of the Model Context Protocol of a request (MCP, "Streamable HTTP").
pub const MCP_PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// Method of the JSON-RPC request in the body.
pub const MCP_METHOD: &str = "mcp-method";
/// The object of the method: the name of a tool or of a prompt, or the address of a resource.
pub const MCP_NAME: &str = "mcp-name";

/// The initiator of a request: this site, another one, or the user (Fetch Metadata).
pub const SEC_FETCH_SITE: &str = "sec-fetch-site";
/// Whether search engines may list the response.
pub const X_ROBOTS_TAG: &str = "x-robots-tag";
/// Which windows may keep a reference to this one (HTML, "Cross-origin opener policies").
pub const CROSS_ORIGIN_OPENER_POLICY: &str = "cross-origin-opener-policy";
/// Whether a browser shows or saves the response (RFC 6266).
pub const CONTENT_DISPOSITION: &str = "content-disposition";
/// Permitted uses of a text by search engines and model makers (draft-ietf-aipref-attach).
pub const CONTENT_USAGE: &str = "content-usage";

/// `Referrer-Policy` of the whole site.
pub const REFERRERS: &str = "strict-origin-when-cross-origin";
/// `X-Content-Type-Options` of the whole site.
pub const NOSNIFF: &str = "nosniff";
/// `Content-Security-Policy` of responses that are no pages: nothing is loaded, even if a browser displays them.
pub const NOTHING_LOADED: &str = "default-src 'none'; frame-ancestors 'none'";

/// Response fields readable by scripts of other origins.
pub const CORS_EXPOSED: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Markdown-Tokens, X-Request-Id";
/// Request fields that scripts of other origins may send to a readable resource. MCP clients send their revision and a
/// `Content-Type` also when they read metadata.
pub const CORS_ALLOWED: &str =
    "Authorization, Content-Type, If-None-Match, MCP-Protocol-Version, X-Api-Key, X-Request-Id";
/// Request fields that scripts of other origins may send in a POST to a computed resource.
pub const CORS_ALLOWED_POSTED: &str = "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, \
                                       Mcp-Name, Mcp-Session-Id, X-Api-Key, X-Request-Id";
/// Seconds for which a browser may cache the answer to a preflight.
pub const CORS_MAX_AGE: &str = "86400";

/// The names with capitals, for documents, messages and lists of fields.
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
    fn written_names_equal_the_names_without_case() {
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
