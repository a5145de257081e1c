//! Names of the arguments of tools: for the input schemas, for reading them, and for callers of a tool.

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
