//! The page of search results: what the build prepares, so that the sidecar can fill it in without a template.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Name of the part that is the page as HTML, with the slots `query` and `results`.
pub const SEARCH_PAGE: &str = "forms/search";
/// Name of the part that is its Markdown, with the slot `results`.
pub const SEARCH_TWIN: &str = "forms/search-twin";
/// Name of the part that holds [`SearchWords`].
pub const SEARCH_WORDS: &str = "forms/search-words";

/// The parameters of the address of a result page.
pub mod parameters {
    /// The words.
    pub const QUERY: &str = "q";
    /// The kind of page.
    pub const KIND: &str = "kind";
    /// The key of a subject.
    pub const SUBJECT: &str = "subject";
    /// The year of publication.
    pub const YEAR: &str = "year";
    /// The number of the result page, from 1 on.
    pub const PAGE: &str = "page";
    /// Every parameter.
    pub const ALL: [&str; 5] = [QUERY, KIND, SUBJECT, YEAR, PAGE];
}

/// How many pages are listed on one result page.
pub const RESULTS_ON_PAGE: usize = 20;
/// The name of the limit on questions, in `RateLimit`.
pub const QUOTA: &str = "search";
/// The most pages that a query finds.
pub const MAX_RESULTS: usize = 200;

/// The words and names of one locale. `{…}` is a place that is filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchWords {
    /// Origin of the site.
    pub site_url: String,
    /// Path of the page.
    pub path: String,
    /// Names of the months, from January on.
    pub months: Vec<String>,
    /// What each kind of page is called.
    pub kinds: BTreeMap<String, String>,
    /// The subjects by key.
    pub subjects: BTreeMap<String, String>,
    /// The sentences and labels.
    pub text: SearchText,
    /// Whom to ask where nothing is found.
    pub contact: SearchContact,
}

/// Sentences and labels, as the theme has them below `search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchText {
    /// How many were found: `{total}`, `{query}`.
    pub found: String,
    /// The same for one.
    pub found_one: String,
    /// The same for [`MAX_RESULTS`], of which there may be more.
    pub found_most: String,
    /// Nothing was found: `{query}`.
    pub nothing: String,
    /// What to try then.
    pub attempts: Vec<String>,
    /// Comes before a query with other words.
    pub did_you_mean: String,
    /// Comes before whom to ask.
    pub ask: String,
    /// The address says something that no page here has.
    pub bad: String,
    /// The reader asks too often.
    pub too_many: String,
    /// How current a text is: `{date}`.
    pub as_of: String,
    /// Says of a page that it is in the other language.
    pub in_other: String,
    /// Label of the filters.
    pub filters: String,
    /// Label of the kinds.
    pub kind: String,
    /// Label of the subjects.
    pub subject: String,
    /// Label of the years.
    pub year: String,
    /// The link that removes a filter.
    pub all: String,
    /// The link to the result page before.
    pub previous: String,
    /// The link to the next one.
    pub next: String,
    /// Which result page this is: `{page}`, `{pages}`.
    pub page: String,
}

/// How to reach somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchContact {
    /// Name of the firm; empty where it is said already.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Path of the page with more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The mailbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The number as `tel:` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telephone: Option<String>,
    /// The number as people read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telephone_display: Option<String>,
}

/// What the index of a locale notes about a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFacts {
    /// The day to which the text states the law, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// The year of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<String>,
    /// Keys of its subjects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// How to reach a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<SearchContact>,
}
