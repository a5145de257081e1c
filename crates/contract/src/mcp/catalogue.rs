//! Everything that a build prepares for the endpoint, in one file of the build.
//!
//! `R` is a piece of JSON in the form in which it is sent: owned where it is made, borrowed where it is served. An
//! object becomes a result member by member, because a revision adds members of its own.

use serde::{Deserialize, Serialize};

use crate::{Locale, PerLocale};

/// The prepared answers. `P` holds the pages, of which there may be many: all of them where they are made, and, where
/// they are served, the JSON from which they are yet to be read one by one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue<R, P = Vec<Page<R>>> {
    /// Identity of the server, for `_meta`.
    pub server: R,
    /// Result of `initialize`, without the revision.
    pub initialize: R,
    /// Result of `server/discover`.
    pub discover: R,
    /// Result of `tools/list`.
    pub tools: R,
    /// What each tool answers, in the order of the list.
    pub answers: Vec<ToolAnswer<R>>,
    /// Result of `prompts/list`.
    pub prompts: R,
    /// What each prompt says, in the order of the list.
    pub texts: Vec<Prompt>,
    /// Result of `resources/templates/list`.
    pub templates: R,
    /// What the variables of each template stand for, in the order of the list.
    pub patterns: Vec<Template>,
    /// Every page, in the order of the site.
    pub pages: P,
}

/// What a tool answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolAnswer<R> {
    /// Its name.
    pub name: String,
    /// Where its answer comes from.
    pub source: Source<R>,
    /// The member of the answer that is a list and may be returned in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// The member of an item whose elements `count` counts; without it, `count` counts the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// The arguments that select items of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<Filter>,
    /// The members of an item in which the words of `query` must stand; empty if the tool has no such argument.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<String>,
}

/// An argument that selects items of a list by what is known about them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Its name.
    pub name: String,
    /// What it can name.
    pub choices: Vec<Choice>,
    /// For each item of the list, the numbers of the choices that it fits.
    pub items: PerLocale<Vec<Vec<u32>>>,
}

/// Something that a filter can name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Its name in each language.
    pub name: PerLocale<String>,
    /// Other names that it goes by, such as its key or code.
    pub others: Vec<String>,
}

/// Where the answer of a tool comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source<R> {
    /// The body of the route at this path, in both locales.
    Route(String),
    /// This object.
    Prepared(PerLocale<R>),
    /// The search index.
    Search,
    /// The text of a page that was found.
    Fetch,
    /// The text of a page with an address.
    Page,
}

/// A prompt.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// Its arguments besides `locale`.
    pub arguments: Vec<Argument>,
    /// What it is for, in each locale.
    pub description: PerLocale<String>,
    /// What the user says, in each locale; `{argument}` stands for an argument.
    pub text: PerLocale<String>,
}

/// An argument of a prompt. All are required.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Values to suggest.
    pub values: PerLocale<Vec<String>>,
}

/// A template for the addresses of resources.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// The template (RFC 6570).
    pub uri: String,
    /// Its variables: one for each segment of a page's path.
    pub variables: Vec<String>,
}

/// A page, which is a resource. `T` is a text: owned where it is made, borrowed where it is served.
#[derive(Clone, Debug, Serialize, Deserialize)]
// Without the bound, a member that may be missing would require a default for `T`.
#[serde(deny_unknown_fields, bound(deserialize = "R: Deserialize<'de>, T: Deserialize<'de>"))]
pub struct Page<R, T = String> {
    /// Its path.
    pub path: T,
    /// The path of its Markdown, which is the route whose body is the text.
    pub twin: T,
    /// Its language.
    pub locale: Locale,
    /// Its title.
    pub title: T,
    /// The path of the same page in the other language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<T>,
    /// Day of the last change that the page names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated: Option<T>,
    /// Its entry in the list of resources, without the size. A text without one can be read by its address, and stands
    /// after all that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<R>,
}
