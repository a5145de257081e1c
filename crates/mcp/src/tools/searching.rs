//! Search: uses the index of one language, and that of the other for words that the first does not know. A page found
//! in the other language is shown in the language that was asked for: someone who asks for `konkordato` in English
//! means the page that is called `concordat`.

use std::{borrow::Cow, cmp::Ordering};

use contract::{
    Locale,
    mcp::{
        SearchResult, SearchResults,
        arguments::{self, LIMIT, OFFSET},
        limits::{MAX_OFFSET, MAX_RESULTS, QUERY, RESULTS},
    },
};
use search::Hit;

use super::{ToolError, arguments::Arguments, structured};
use crate::{catalogue::Catalogue, pages::Page};

/// Weight of a page found in the language that was not asked for, or that is not the first.
const OTHER: f32 = 0.8;

/// What to say where a search found nothing beyond the results that were skipped.
const NO_FURTHER: &str = "There are no further results; begin with a smaller `offset`.";

/// A match whose texts are borrowed from the index; only its passage is assembled.
type Match<'a> = SearchResult<Cow<'a, str>, &'a str>;

/// Finds pages.
pub(super) fn search(catalogue: &Catalogue, given: &str, out: &mut Vec<u8>) -> Result<(), ToolError> {
    let mut read = Arguments::parse(given)?;
    let query = read.text(arguments::QUERY, QUERY);
    let locale = read.locale();
    let limit = read.number(LIMIT, 1..=MAX_RESULTS).unwrap_or(RESULTS) as usize;
    let offset = read.number(OFFSET, 0..=MAX_OFFSET).unwrap_or(0) as usize;
    let mut remarks = read.finish()?;
    let results = find(catalogue, &query, locale, offset + limit)?.into_iter().skip(offset).collect::<Vec<_>>();
    if results.is_empty() {
        remarks.hint = Some(if offset > 0 { NO_FURTHER.to_owned() } else { nothing_found(locale) });
    }
    let object = serde_json::to_vec(&SearchResults { results }).map_err(|error| error.to_string())?;
    structured(&object, &remarks, out)
}

/// What to try where a search found nothing.
fn nothing_found(locale: Option<Locale>) -> String {
    let other = locale.map_or_else(String::new, |locale| format!(" search with `locale` `{}`,", locale.other()));
    format!(
        "Nothing was found. Try fewer words, other words for the same, or the words of the other language;{other} or read \
         what the `list_` tools give."
    )
}

/// A page that was found, in one language.
struct Found<'a> {
    hit: Hit<'a>,
    locale: Locale,
}

/// The best pages in `locale`. Without one, both languages are searched, and each page is shown in the language in
/// which it fits best, English before equals.
fn find<'a>(
    catalogue: &'a Catalogue,
    query: &str,
    locale: Option<Locale>,
    limit: usize,
) -> Result<Vec<Match<'a>>, ToolError> {
    let first = locale.unwrap_or(Locale::DEFAULT);
    let index = |locale: Locale| catalogue.indexes[locale].as_ref();
    let own = index(first).ok_or("This site has no search index; use the `list_` tools and the resources instead.")?;
    let hits = own.search(query, limit).into_iter();
    let mut found: Vec<Found<'a>> = hits.map(|hit| Found { hit, locale: first }).collect();
    if let Some(other) = index(first.other())
        && (locale.is_none() || own.is_rather_of(query, other))
    {
        for hit in other.search_after(own, query, limit) {
            let hit = Hit { score: hit.score * OTHER, ..hit };
            let translation = catalogue.pages.at(hit.id).and_then(Page::translation);
            let twin = translation.and_then(|path| own.document(path));
            add(&mut found, hit, twin, first, locale.is_none());
        }
        // The sort is stable, so that equal scores keep the order of their language.
        found.sort_by(|a, b| b.hit.score.partial_cmp(&a.hit.score).unwrap_or(Ordering::Equal));
        found.truncate(limit);
    }
    Ok(found.into_iter().map(shown).collect())
}

/// Adds a page found in the other language; `twin` is the same page in `first`. Each page is listed once, with the
/// better of its scores; where any language will do, it is listed in the language of that score.
fn add<'a>(found: &mut Vec<Found<'a>>, hit: Hit<'a>, twin: Option<Hit<'a>>, first: Locale, in_any: bool) {
    let known = twin.as_ref().and_then(|twin| found.iter_mut().find(|found| found.hit.id == twin.id));
    match (known, twin) {
        (Some(known), _) if known.hit.score >= hit.score => {}
        (Some(known), _) if in_any => *known = Found { hit, locale: first.other() },
        (Some(known), _) => known.hit.score = hit.score,
        (None, _) if in_any => found.push(Found { hit, locale: first.other() }),
        (None, Some(twin)) => found.push(Found { hit: Hit { score: hit.score, ..twin }, locale: first }),
        (None, None) => {}
    }
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
