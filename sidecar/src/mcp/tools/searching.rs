//! Search: the index of one language, or of the other where that holds nothing.

use contract::{
    Locale,
    mcp::limits::{MOST_RESULTS, QUERY, RESULTS},
};
use serde::Serialize;

use super::{
    Refusal,
    arguments::{Arguments, named},
    structured,
};
use crate::mcp::catalogue::Catalogue;

#[derive(Serialize)]
struct Results<'a> {
    results: Vec<Match<'a>>,
}

/// What the output schema describes as a search result.
#[derive(Serialize)]
struct Match<'a> {
    id: &'a str,
    title: &'a str,
    url: &'a str,
    kind: &'a str,
    locale: Locale,
    text: String,
}

/// Finds pages.
pub(super) fn search(catalogue: &Catalogue, arguments: &str, out: &mut Vec<u8>) -> Result<(), Refusal> {
    let [query, locale, limit] = named(arguments, ["query", "locale", "limit"])?;
    let mut read = Arguments::default();
    let query = read.text("query", query, QUERY);
    let locale = read.locale(locale);
    let limit = read.number("limit", limit, 1..=MOST_RESULTS, RESULTS) as usize;
    read.finish()?;
    let mut results = find(catalogue, &query, locale.unwrap_or(Locale::DEFAULT), limit)?;
    if results.is_empty() && locale.is_none() {
        results = find(catalogue, &query, Locale::DEFAULT.other(), limit)?;
    }
    let object = serde_json::to_vec(&Results { results }).map_err(|error| error.to_string())?;
    structured(&object, out);
    Ok(())
}

fn find<'a>(catalogue: &'a Catalogue, query: &str, locale: Locale, limit: usize) -> Result<Vec<Match<'a>>, Refusal> {
    let index = catalogue.indexes[locale].as_ref();
    let index = index.ok_or("This site has no search index; use the `list_` tools and the resources instead.")?;
    let hits = index.search(query, limit).into_iter();
    let found =
        hits.map(|hit| Match { id: hit.id, title: hit.title, url: hit.url, kind: hit.kind, locale, text: hit.snippet });
    Ok(found.collect())
}
