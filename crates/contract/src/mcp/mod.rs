//! The Model Context Protocol endpoint: revisions, tools, limits, and the catalogue that a build prepares for it.
//!
//! The generator renders every answer that can be prepared into one [`Catalogue`]; the sidecar adds what depends on the
//! request: its identifier, its revision, a part of a text.

mod answers;
mod catalogue;
mod revisions;
mod tools;

pub use self::{
    answers::{
        AssociatedFirm, Cut, Document, DocumentMetadata, GlobalNetwork, ListCut, NetworkCountry, NetworkRelation,
        PageMarkdown, Remarks, SearchResult, SearchResults,
    },
    catalogue::{Argument, Catalogue, Choice, Filter, Page, Prompt, Source, Template, ToolAnswer},
    revisions::{Era, REVISIONS, Revision, handshake_default, revision, supported},
    tools::{NO_NETWORK, SEARCH_TOOL, TOOLS, Tool, ToolKind},
};

/// Name of the part of a build that holds the [`Catalogue`].
pub const PART: &str = "mcp";

/// The method that calls a tool.
pub const CALL_TOOL: &str = "tools/call";

/// Media type of every resource; clients compare it without parameters.
pub const RESOURCE_TYPE: &str = "text/markdown";

/// Names of the arguments of tools: for the input schemas, for reading them, and for callers of a tool.
pub mod arguments {
    /// The words that are looked for.
    pub const QUERY: &str = "query";
    /// The language of what is returned.
    pub const LOCALE: &str = "locale";
    /// How many items or results at most.
    pub const LIMIT: &str = "limit";
    /// Where a part begins.
    pub const OFFSET: &str = "offset";
    /// What a search has found.
    pub const ID: &str = "id";
    /// A page's address.
    pub const URL: &str = "url";
    /// How many characters at most.
    pub const MAX_CHARS: &str = "max_chars";
    /// The category of an article.
    pub const CATEGORY: &str = "category";
    /// The year of an article.
    pub const YEAR: &str = "year";
    /// The author of an article.
    pub const AUTHOR: &str = "author";
    /// A person's field of law.
    pub const PRACTICE_AREA: &str = "practice_area";
    /// A person's working language.
    pub const LANGUAGE: &str = "language";
    /// The country of an associated firm.
    pub const COUNTRY: &str = "country";
}

// Error codes: those of JSON-RPC 2.0, and those that the protocol adds.

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

/// Names of members of `_meta` that belong to the protocol.
pub mod meta {
    /// The revision of a request.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// What the client can do.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// The server's identity.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
}

/// Limits on requests and answers. The input schemas name the same numbers.
pub mod limits {
    /// Bytes of a request's body.
    pub const BODY: usize = 256 * 1024;
    /// Levels of nesting in a request's body.
    pub const DEPTH: usize = 64;
    /// Messages of a batch.
    pub const BATCH: usize = 50;
    /// Resources on one page of their list.
    pub const RESOURCES: usize = 100;
    /// Values that a completion suggests; the protocol allows no more.
    pub const COMPLETIONS: usize = 100;
    /// Milliseconds for which a list or a read text may be kept.
    pub const TTL_MS: u64 = 300_000;

    /// Bytes up to which a list is returned whole. A result holds it twice, as an object and as text, which together
    /// stay below what the strictest client accepts, even at three bytes per token.
    pub const WHOLE_LIST: usize = 30_000;
    /// Bytes of items of a longer list that are returned at once.
    pub const LIST_PART: usize = 20_000;
    /// Items that a caller may ask for at once.
    pub const LIST_ITEMS: u64 = 200;
    /// Characters of an argument that selects items.
    pub const FILTER: usize = 200;

    /// Search results without a `limit`.
    pub const RESULTS: u64 = 10;
    /// Most search results.
    pub const MAX_RESULTS: u64 = 50;
    /// Most search results that can be skipped.
    pub const MAX_OFFSET: u64 = 450;
    /// Characters of a query.
    pub const QUERY: usize = 400;

    /// Characters of a text that are returned without `max_chars`.
    pub const CHARACTERS: u64 = 20_000;
    /// Smallest value of `max_chars`.
    pub const MIN_CHARACTERS: u64 = 500;
    /// Most characters that are returned at once.
    pub const MAX_CHARACTERS: u64 = 50_000;

    /// Characters of the `id` or the `url` of a page.
    pub const ADDRESS: usize = 2_000;

    /// Characters of an argument of a prompt.
    pub const PROMPT_ARGUMENT: usize = 2_000;
}
