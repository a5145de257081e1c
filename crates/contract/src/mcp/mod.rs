//! The Model Context Protocol endpoint: revisions, tools, limits, and the catalogue that a build prepares for it.
//!
//! The generator prepares results in one [`PreparedCatalogue`]; the sidecar adds the data of the request: identifier, revision,
//! part of a text.

mod answers;
mod catalogue;
mod revisions;
mod tools;

pub use self::{
    answers::{
        AssociatedFirm, Cut, DocumentMetadata, DocumentResult, GlobalNetwork, LawChanged, ListCut, NetworkCountry,
        NetworkRelation, PageMarkdown, Remarks, SearchResult, SearchResults, Translation,
    },
    catalogue::{
        Argument, CataloguePage, Choice, Filter, PreparedCatalogue, Prompt, Skill, Source, Template, ToolAnswer,
    },
    revisions::{Era, REVISIONS, Revision, handshake_default, revision, supported},
    tools::{LIST_PUBLICATIONS_TOOL, NO_NETWORK, SEARCH_TOOL, TOOLS, Tool, ToolKind},
};

/// Name of the part of a build that holds the [`PreparedCatalogue`].
pub const PART: &str = "mcp";

/// The method that calls a tool.
pub const CALL_TOOL: &str = "tools/call";

/// Media type of every resource; clients compare it without parameters.
pub const RESOURCE_TYPE: &str = "text/markdown";

/// Names of the arguments of tools.
pub mod arguments {
    /// The words to search for.
    pub const QUERY: &str = "query";
    /// The locale of the result.
    pub const LOCALE: &str = "locale";
    /// Maximum number of items or results.
    pub const LIMIT: &str = "limit";
    /// The start of a part.
    pub const OFFSET: &str = "offset";
    /// The id of a search result.
    pub const ID: &str = "id";
    /// A page's address.
    pub const URL: &str = "url";
    /// Maximum number of characters.
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
    /// The cited law or article.
    pub const CITES: &str = "cites";
}

// Error codes of JSON-RPC 2.0 and of the protocol.

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
/// The resource does not exist, up to revision 2025-11-25; later [`INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND: i32 = -32002;
/// Header fields and body differ.
pub const HEADER_MISMATCH: i32 = -32020;
/// The revision is not supported here.
pub const UNSUPPORTED_VERSION: i32 = -32022;

/// Names of the extensions.
pub mod extensions {
    /// Skills (SEP-2640).
    pub const SKILLS: &str = "io.modelcontextprotocol/skills";
    /// The authorization server takes identity assertions of a client's company.
    pub const ENTERPRISE_MANAGED_AUTHORIZATION: &str = "io.modelcontextprotocol/enterprise-managed-authorization";
}

/// Names of the protocol's members of `_meta`.
pub mod meta {
    /// The revision of a request.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// The capabilities of the client.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// The server's identity.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
}

/// Limits on requests and results. The input schemas have the same numbers.
pub mod limits {
    /// Bytes of a request's body.
    pub const BODY: usize = 256 * 1024;
    /// Levels of nesting in a request's body.
    pub const DEPTH: usize = 64;
    /// Messages of a batch.
    pub const BATCH: usize = 50;
    /// Resources on one page of their list.
    pub const RESOURCES: usize = 100;
    /// Values of a completion; the maximum of the protocol.
    pub const COMPLETIONS: usize = 100;
    /// Milliseconds for which a list or a text may be cached.
    pub const TTL_MS: u64 = 300_000;

    /// Bytes up to which a list is returned whole. A result holds the list twice, as an object and as text; both
    /// together stay below the limit of the strictest client, even at three bytes per token.
    pub const WHOLE_LIST: usize = 30_000;
    /// Bytes of items in one part of a longer list.
    pub const LIST_PART: usize = 20_000;
    /// Maximum `limit` of a list, in items.
    pub const LIST_ITEMS: u64 = 200;
    /// Characters of a filter argument.
    pub const FILTER: usize = 200;

    /// Search results without a `limit`.
    pub const RESULTS: u64 = 10;
    /// Maximum `limit` of a search.
    pub const MAX_RESULTS: u64 = 50;
    /// Maximum `offset` of a search.
    pub const MAX_OFFSET: u64 = 450;
    /// Characters of a query.
    pub const QUERY: usize = 400;

    /// Characters of a text without `max_chars`.
    pub const CHARACTERS: u64 = 20_000;
    /// Minimum of `max_chars`.
    pub const MIN_CHARACTERS: u64 = 500;
    /// Maximum of `max_chars`.
    pub const MAX_CHARACTERS: u64 = 50_000;

    /// Characters of the `id` or the `url` of a page.
    pub const ADDRESS: usize = 2_000;

    /// Characters of an argument of a prompt.
    pub const PROMPT_ARGUMENT: usize = 2_000;
}
