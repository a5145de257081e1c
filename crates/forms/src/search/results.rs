//! The results of a query, for HTML and Markdown.

use std::{cell::OnceCell, collections::BTreeMap, ops::Range};

use contract::{
    PerLocale,
    forms::search::{MAX_RESULTS, RESULTS_ON_PAGE, SearchFacts},
};
use search::{Found, Languages};

use super::{
    SearchPage, SearchSources,
    query::{FILTERS, SearchQuery},
};

/// One page of results.
#[derive(Debug)]
pub(super) struct Results<'a> {
    /// The number of matching pages.
    pub(super) total: usize,
    /// The matches on this page of results.
    pub(super) hits: Vec<ListedPage<'a>>,
    /// The number of result pages, at least one.
    pub(super) pages: usize,
    /// The values of each filter with their number of matches.
    pub(super) filters: [Vec<(String, usize)>; 3],
    /// A similarly spelled query.
    pub(super) suggestion: Option<String>,
}

/// A matching page of the site.
#[derive(Debug)]
pub(super) struct ListedPage<'a> {
    pub(super) found: Found<'a>,
    pub(super) facts: SearchFacts,
    pub(super) snippet: String,
    /// The ranges of search words in its passage.
    pub(super) marks: Vec<Range<usize>>,
}

impl<'a> Results<'a> {
    /// Queries the indexes; `None` if the page number is too large.
    pub(super) fn of(page: &SearchPage, (indexes, laws): SearchSources<'a>, query: &SearchQuery) -> Option<Self> {
        let locale = page.locale;
        let all =
            citations::search(indexes, laws, &query.query, Languages::Before(locale), MAX_RESULTS).unwrap_or_default();
        let all: Vec<(Found<'a>, SearchFacts)> = all
            .into_iter()
            .map(|found| {
                let facts = serde_json::from_str(found.hit.facts).unwrap_or_default();
                (found, facts)
            })
            .collect();
        let filters = std::array::from_fn(|filter| {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for (found, facts) in &all {
                let others = (0..FILTERS.len()).filter(|other| *other != filter);
                if others.into_iter().all(|other| passes(query, other, found, facts)) {
                    values(filter, found, facts).for_each(|value| *counts.entry(value).or_default() += 1);
                }
            }
            let known = |value: &str| match FILTERS[filter] {
                contract::forms::search::parameters::KIND => page.words.kinds.contains_key(value),
                contract::forms::search::parameters::SUBJECT => page.words.subjects.contains_key(value),
                _ => true,
            };
            let counts = counts.into_iter().filter(|(value, _)| known(value));
            let mut counts: Vec<(String, usize)> = counts.map(|(value, count)| (value.to_owned(), count)).collect();
            if filter == FILTERS.len() - 1 {
                // Years are sorted newest first, other values by count.
                counts.reverse();
            } else {
                counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            }
            counts
        });
        let fits = |(found, facts): &(Found<'_>, SearchFacts)| {
            (0..FILTERS.len()).all(|filter| passes(query, filter, found, facts))
        };
        let all: Vec<_> = all.into_iter().filter(fits).collect();
        let (total, pages) = (all.len(), all.len().div_ceil(RESULTS_ON_PAGE).max(1));
        if query.page > pages {
            return None;
        }
        let start = (query.page - 1) * RESULTS_ON_PAGE;
        let markers = PerLocale::build(|_| OnceCell::new());
        let listed = all.into_iter().skip(start).take(RESULTS_ON_PAGE).map(|(found, facts)| {
            let (locale, snippet) = (found.locale, found.hit.snippet());
            // Most pages list one language; preparing a marker takes as long as a search.
            let marker = markers[locale].get_or_init(|| indexes[locale].as_ref().map(|it| it.marker(&query.query)));
            let marks = marker.as_ref().map(|it| it.places(&snippet)).unwrap_or_default();
            ListedPage { found, facts, snippet, marks }
        });
        let listed: Vec<ListedPage<'_>> = listed.collect();
        let suggestion = indexes[locale].as_ref().and_then(|index| index.suggestion(&query.query));
        Some(Self { total, hits: listed, pages, filters, suggestion })
    }
}

fn values<'v>(filter: usize, found: &'v Found<'_>, facts: &'v SearchFacts) -> impl Iterator<Item = &'v str> {
    let (kind, subjects, year) = match filter {
        0 => (Some(found.hit.kind), &[][..], None),
        1 => (None, facts.subjects.as_slice(), None),
        _ => (None, &[][..], facts.year.as_deref()),
    };
    kind.into_iter().chain(subjects.iter().map(String::as_str)).chain(year)
}

fn passes(query: &SearchQuery, filter: usize, found: &Found<'_>, facts: &SearchFacts) -> bool {
    query.filters[filter].as_deref().is_none_or(|wanted| values(filter, found, facts).any(|value| value == wanted))
}
