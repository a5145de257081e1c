//! The page of search results: the page of the build, filled with the results of a query.
//!
//! It shows the results of the MCP tool `search`, in the same order, and pages that exist only in the other language.

mod html;
mod query;
mod results;
mod twin;

use bytes::Bytes;
use citations::Laws;
use contract::{
    Locale, PerLocale,
    forms::{
        Slot,
        search::{SEARCH_PAGE, SEARCH_TWIN, SEARCH_WORDS, SearchWords},
    },
};
use search::Index;

use super::{
    catalogue::FormsError,
    sheet::{SheetFormat, SlotSheet},
    value::{escape_into, visible},
};
use query::SearchQuery;
use results::Results;

/// The search page in one language.
#[derive(Debug)]
pub struct SearchPage {
    locale: Locale,
    html: SlotSheet,
    twin: SlotSheet,
    words: SearchWords,
}

/// The indexes of both languages, and the laws that a query may name.
pub type SearchSources<'a> = (&'a PerLocale<Option<Index>>, &'a Laws);

#[derive(Debug)]
pub struct SearchAnswer {
    /// The whole page, or its Markdown.
    pub body: String,
    /// Whether the query is invalid.
    pub is_bad: bool,
    /// The words of a query without any result.
    pub unfound: Option<String>,
}

impl SearchPage {
    /// Loads the parts of the page; `None` if the site has none in `locale`.
    pub(crate) fn load<'p>(
        locale: Locale,
        part: &impl Fn(&str, Locale) -> Option<&'p Bytes>,
    ) -> Result<Option<Self>, FormsError> {
        let Some(words) = part(SEARCH_WORDS, locale) else { return Ok(None) };
        let words = serde_json::from_slice(words).map_err(|problem| FormsError::Malformed { locale, problem })?;
        let sheet = |name: &str, medium, slots: &[Slot]| {
            let missing = || FormsError::Missing { part: name.to_owned(), locale };
            let text = str::from_utf8(part(name, locale).ok_or_else(missing)?)
                .map_err(|_| FormsError::Encoding { part: name.to_owned(), locale })?;
            let unfit = |problem| FormsError::Sheet { part: name.to_owned(), locale, problem };
            SlotSheet::parse(medium, text, slots).map_err(unfit)
        };
        let html = sheet(SEARCH_PAGE, SheetFormat::Html, &[Slot::Query, Slot::Results])?;
        let twin = sheet(SEARCH_TWIN, SheetFormat::Text, &[Slot::Results])?;
        Ok(Some(Self { locale, html, twin, words }))
    }

    /// Whether `path` is the address of the page or of its Markdown.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        path.strip_suffix(".md").unwrap_or(path) == self.words.path
    }

    /// Whether the query of an address, after the question mark, has search words or is invalid.
    pub fn has_query(&self, address: &str) -> bool {
        SearchQuery::parse(address, &self.words).map_or(true, |query| !query.query.is_empty())
    }

    /// Answers the query of an address, after the question mark.
    pub fn answer(&self, sources: SearchSources<'_>, address: &str, is_markdown: bool) -> SearchAnswer {
        let (query, results) = match SearchQuery::parse(address, &self.words) {
            Ok(parsed) => match Results::of(self, sources, &parsed) {
                Some(results) => (parsed.query.clone(), Ok((parsed, results))),
                None => (parsed.query, Err(())),
            },
            Err(query) => (query, Err(())),
        };
        let is_bad = results.is_err();
        let is_unfound = results
            .as_ref()
            .is_ok_and(|(parsed, results)| results.total == 0 && parsed.filters.iter().all(Option::is_none));
        let unfound = is_unfound.then(|| query.clone());
        let results = results.as_ref().map_err(|()| self.words.text.bad.as_str());
        SearchAnswer { body: self.fill_page(&query, results, is_markdown), is_bad, unfound }
    }

    pub fn too_long(&self) -> String {
        self.fill_page("", Err(&self.words.text.bad), false)
    }

    /// Returns the page for a client that exceeds its limit, with the search words for another attempt.
    pub fn too_many(&self, address: &str, is_markdown: bool) -> String {
        let query = SearchQuery::parse(address, &self.words).map_or_else(|query| query, |parsed| parsed.query);
        self.fill_page(&query, Err(&self.words.text.too_many), is_markdown)
    }

    /// Fills the page with results, or with the message why there are none.
    fn fill_page(&self, query: &str, results: Result<&(SearchQuery, Results<'_>), &str>, is_markdown: bool) -> String {
        if is_markdown {
            let text = twin::render(self, results);
            return self.twin.fill(|_, out| out.push_str(&text));
        }
        let text = html::render(self, results);
        self.html.fill(|slot, out| match slot {
            Slot::Results => out.push_str(&text),
            _ => escape_into(out, query),
        })
    }

    /// Returns the words of a query without characters that move or hide others.
    fn clean(text: &str) -> String {
        visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests;
