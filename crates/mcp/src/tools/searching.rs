//! The tool `search`, with the order of the search page.

use std::borrow::Cow;

use contract::{
    Locale,
    mcp::{
        SearchResult, SearchResults,
        arguments::{self, LIMIT, OFFSET},
        limits::{MAX_OFFSET, MAX_RESULTS, QUERY, RESULTS},
    },
};
use search::{Found, Languages};

use super::{ToolError, arguments::Arguments, structured};
use crate::catalogue::Catalogue;

/// The hint for an `offset` beyond the last result.
const NO_FURTHER: &str = "There are no further results; begin with a smaller `offset`.";

/// A match with texts borrowed from the index; only its passage is assembled.
type Match<'a> = SearchResult<Cow<'a, str>, &'a str>;

/// Searches pages.
pub(crate) fn search(catalogue: &Catalogue, arguments: &str, out: &mut Vec<u8>) -> Result<(), ToolError> {
    let mut read = Arguments::parse(arguments)?;
    let query = read.text(arguments::QUERY, QUERY);
    let locale = read.locale();
    let limit = read.number(LIMIT, 1..=MAX_RESULTS).unwrap_or(RESULTS) as usize;
    let offset = read.number(OFFSET, 0..=MAX_OFFSET).unwrap_or(0) as usize;
    let mut remarks = read.finish()?;
    let languages = locale.map_or(Languages::Any, Languages::Only);
    let found = search::find(&catalogue.indexes, &query, languages, offset + limit)
        .ok_or("This site has no search index; use the `list_` tools and the resources instead.")?;
    let best = found.first().map_or(1.0, |best| best.hit.score);
    let results = found.into_iter().skip(offset).map(|found| search_result(catalogue, found, best)).collect::<Vec<_>>();
    if results.is_empty() {
        remarks.hint = Some(if offset > 0 { NO_FURTHER.to_owned() } else { nothing_found(locale) });
    }
    let object = serde_json::to_vec(&SearchResults { results }).map_err(|error| error.to_string())?;
    structured(&object, &remarks, out)
}

/// Returns the hint for a search without results.
fn nothing_found(locale: Option<Locale>) -> String {
    let other = locale.map_or_else(String::new, |locale| format!(" search with `locale` `{}`,", locale.other()));
    format!(
        "Nothing was found. Try fewer words, other words for the same, or the words of the other language;{other} or read \
         what the `list_` tools give."
    )
}

/// Returns a result with its score relative to `best`, rounded to hundredths.
fn search_result<'a>(catalogue: &'a Catalogue, Found { hit, locale }: Found<'a>, best: f32) -> Match<'a> {
    let page = catalogue.pages.resolve(hit.url).ok().flatten();
    SearchResult {
        id: hit.id.into(),
        title: hit.title.into(),
        url: hit.url,
        kind: hit.kind.into(),
        locale,
        text: hit.snippet().into(),
        score: (f64::from(hit.score / best) * 100.0).round() / 100.0,
        translation: page.and_then(|page| page.translation_state(catalogue.pages.site_url())),
    }
}
