//! The page of search results: the parts of a build with which the sidecar writes it without a template.

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
    /// The number of the result page, from 1.
    pub const PAGE: &str = "page";
    /// Every parameter.
    pub const ALL: [&str; 5] = [QUERY, KIND, SUBJECT, YEAR, PAGE];
}

/// Results on one result page.
pub const RESULTS_ON_PAGE: usize = 20;
/// The name of the limit on searches, in `RateLimit`.
pub const QUOTA: &str = "search";
/// Maximum number of results of a query.
pub const MAX_RESULTS: usize = 200;

/// The words and names of one locale. `{…}` is a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchWords {
    /// Origin of the site.
    pub site_url: String,
    /// Path of the page.
    pub path: String,
    /// Names of the months, from January on.
    pub months: Vec<String>,
    /// Names of the kinds of pages.
    pub kinds: BTreeMap<String, String>,
    /// The subjects by key.
    pub subjects: BTreeMap<String, String>,
    /// The sentences and labels.
    pub text: SearchText,
    /// The contact to show if nothing is found.
    pub contact: SearchContact,
}

/// Sentences and labels of the theme below `search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchText {
    /// The number of results: `{total}`, `{query}`.
    pub found: String,
    /// The same for one result.
    pub found_one: String,
    /// The same for [`MAX_RESULTS`] or more.
    pub found_most: String,
    /// Nothing was found: `{query}`.
    pub nothing: String,
    /// Suggestions if nothing was found.
    pub attempts: Vec<String>,
    /// Introduces a suggested query.
    pub did_you_mean: String,
    /// Introduces the contact.
    pub ask: String,
    /// The address has an unknown parameter or value.
    pub bad: String,
    /// The reader searches too often.
    pub too_many: String,
    /// The date to which a text states the law: `{date}`.
    pub as_of: String,
    /// Marks a page in the other language.
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
    /// The link to the previous result page.
    pub previous: String,
    /// The link to the next result page.
    pub next: String,
    /// The number of the result page: `{page}`, `{pages}`.
    pub page: String,
}

/// Contact details of the firm or of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchContact {
    /// Name of the firm; empty if the result already shows a name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Path of the page with more details.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The mailbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The number for `tel:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telephone: Option<String>,
    /// The number for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telephone_display: Option<String>,
}

/// Facts about a page in the index of a locale.
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
    /// The laws and articles that it cites: `6102`, `6102/553`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
    /// Contact details of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<SearchContact>,
}
