//! Search, in the order of the `search` crate, which the page for people has too.

use std::borrow::Cow;

use contract::mcp::{
    SearchResult, SearchResults,
    arguments::{self, LIMIT, LOCALE},
    limits::{MAX_RESULTS, QUERY, RESULTS},
};
use search::{Found, Languages};

use super::{
    ToolError,
    arguments::{Arguments, named},
    structured,
};
use crate::catalogue::Catalogue;

/// A match whose texts are borrowed from the index; only its passage is assembled.
type Match<'a> = SearchResult<Cow<'a, str>, &'a str>;

/// Finds pages.
pub(super) fn search(catalogue: &Catalogue, given: &str, out: &mut Vec<u8>) -> Result<(), ToolError> {
    let [query, locale, limit] = named(given, [arguments::QUERY, LOCALE, LIMIT])?;
    let mut read = Arguments::default();
    let query = read.text(arguments::QUERY, query, QUERY);
    let locale = read.locale(locale);
    let limit = read.number(LIMIT, limit, 1..=MAX_RESULTS, RESULTS) as usize;
    read.finish()?;
    let languages = locale.map_or(Languages::Any, Languages::Only);
    let found = search::find(&catalogue.indexes, &query, languages, limit)
        .ok_or("This site has no search index; use the `list_` tools and the resources instead.")?;
    let results = found.into_iter().map(shown).collect();
    let object = serde_json::to_vec(&SearchResults { results }).map_err(|error| error.to_string())?;
    structured(&object, out);
    Ok(())
}

fn shown(Found { hit, locale }: Found<'_>) -> Match<'_> {
    SearchResult {
        id: hit.id.into(),
        title: hit.title.into(),
        url: hit.url,
        kind: hit.kind.into(),
        locale,
        text: hit.snippet.into(),
    }
}
