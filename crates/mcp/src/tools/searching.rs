//! The tool `search`, with the order of the search page.

use std::borrow::Cow;

use citations::Cited;
use contract::{
    Locale,
    forms::search::SearchFacts,
    mcp::{
        SearchResult, SearchResults,
        arguments::{self, CITES, LIMIT, OFFSET},
        limits::{MAX_OFFSET, MAX_RESULTS, QUERY, RESULTS},
    },
};
use search::{Found, Languages};

use super::{ToolError, arguments::Arguments, structured};
use crate::{ToolUse, ToolUses, catalogue::Catalogue, pages::PreparedPage};

/// The hint for an `offset` beyond the last result.
const NO_FURTHER: &str = "There are no further results; begin with a smaller `offset`.";

/// A match with texts borrowed from the index; only its passage is assembled.
type Match<'a> = SearchResult<Cow<'a, str>, &'a str>;

pub(crate) fn search(
    (catalogue, uses): (&Catalogue, &ToolUses),
    arguments: &str,
    out: &mut Vec<u8>,
) -> Result<(), ToolError> {
    let mut read = Arguments::parse(arguments)?;
    let query = read.text(arguments::QUERY, QUERY);
    let locale = read.locale();
    let cites = read.cited(CITES, &catalogue.laws);
    let limit = read.number(LIMIT, 1..=MAX_RESULTS).unwrap_or(RESULTS) as usize;
    let offset = read.number(OFFSET, 0..=MAX_OFFSET).unwrap_or(0) as usize;
    let mut remarks = read.finish()?;
    let languages = locale.map_or(Languages::Any, Languages::Only);
    // Pages are selected among all matches.
    let most = if cites.is_some() { MAX_OFFSET + MAX_RESULTS } else { (offset + limit) as u64 } as usize;
    let mut found = citations::search(&catalogue.indexes, &catalogue.laws, &query, languages, most)
        .ok_or("This site has no search index; use the `list_` tools and the resources instead.")?;
    if let Some(cites) = &cites {
        found.retain(|found| is_citing(found.hit.facts, cites));
        found.truncate(offset + limit);
    }
    let best = found.first().map_or(1.0, |best| best.hit.score);
    let results = found.into_iter().skip(offset).map(|found| search_result(catalogue, found, best)).collect::<Vec<_>>();
    if results.is_empty() {
        if offset == 0 {
            uses.add(ToolUse::Unfound(query.into()));
        }
        remarks.hint = Some(if offset > 0 { NO_FURTHER.to_owned() } else { nothing_found(locale) });
    }
    let object = serde_json::to_vec(&SearchResults { results }).map_err(|error| error.to_string())?;
    structured(&object, &remarks, out)
}

/// Whether the facts of a page name a law or an article.
fn is_citing(facts: &str, cites: &Cited) -> bool {
    let facts: SearchFacts = serde_json::from_str(facts).unwrap_or_default();
    facts.cites.iter().filter_map(|text| text.parse().ok()).any(|cited| cites.includes(&cited))
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
        stale: page.is_some_and(PreparedPage::is_stale),
        law_changed: page.map(PreparedPage::law_changed).unwrap_or_default(),
        translation: page.and_then(|page| page.translation_state(catalogue.pages.site_url())),
    }
}
