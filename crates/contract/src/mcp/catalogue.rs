//! The results that a build prepares for the endpoint, in one file.
//!
//! `R` is a piece of JSON as it is sent: owned in the generator, borrowed in the sidecar. An object becomes a result
//! member by member, because a revision adds members of its own.

use serde::{Deserialize, Serialize};

use super::LawChanged;
use crate::{Locale, PerLocale};

/// The prepared results. `P` holds the pages, of which there may be many: a list in the generator, and in the sidecar
/// the JSON from which pages are read one by one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparedCatalogue<R, P = Vec<CataloguePage<R>>> {
    /// Identity of the server, for `_meta`.
    pub server: R,
    /// Result of `initialize`, without the revision and the capabilities.
    pub initialize: R,
    /// Result of `server/discover`, without the capabilities.
    pub discover: R,
    /// Capabilities of a service that trusts a provider.
    pub capabilities: R,
    /// Capabilities of a service that trusts none.
    pub capabilities_without_providers: R,
    /// The skills, the most general first. A service that does not have the text of one leaves it out.
    pub skills: Vec<Skill<R>>,
    /// Result of `tools/list`.
    pub tools: R,
    /// The answer of each tool, in the order of the list.
    pub answers: Vec<ToolAnswer<R>>,
    /// Result of `prompts/list`.
    pub prompts: R,
    /// The text of each prompt, in the order of the list.
    pub texts: Vec<Prompt>,
    /// Result of `resources/templates/list`.
    pub templates: R,
    /// The variables of each template, in the order of the list.
    pub patterns: Vec<Template>,
    /// Every page, in the order of the site.
    pub pages: P,
}

/// A skill of one file (SEP-2640).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill<R> {
    /// Its address in the protocol.
    pub uri: String,
    /// The path of its text.
    pub path: String,
    /// The front matter of its text.
    pub frontmatter: R,
}

/// The answer of a tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolAnswer<R> {
    /// The name of the tool.
    pub name: String,
    /// The source of the answer.
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
    /// The members of an item that are searched for the words of `query`; empty if the tool has no such argument.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<String>,
}

/// An argument that selects items of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// The name of the argument.
    pub name: String,
    /// The values of the argument.
    pub choices: Vec<Choice>,
    /// For each item of the list, the numbers of the choices that it fits.
    pub items: PerLocale<Vec<Vec<u32>>>,
}

/// A value of a filter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The name in each locale.
    pub name: PerLocale<String>,
    /// Other accepted names, such as a key or a code.
    pub others: Vec<String>,
}

/// The source of a tool's answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source<R> {
    /// The body of the route at this path, in both locales.
    Route(String),
    /// This object.
    Prepared(PerLocale<R>),
    /// The search index.
    Search,
    /// The text of a search result.
    Fetch,
    /// The text of the page at an address.
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
    /// The purpose, in each locale.
    pub description: PerLocale<String>,
    /// The user's message, in each locale; `{argument}` stands for an argument.
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
    /// The variables: one for each segment of a page's path.
    pub variables: Vec<String>,
}

/// A page, which is a resource. `T` is a text: owned in the generator, borrowed in the sidecar.
#[derive(Clone, Debug, Serialize, Deserialize)]
// Without the bound, a member that may be missing would require a default for `T`.
#[serde(deny_unknown_fields, bound(deserialize = "R: Deserialize<'de>, T: Deserialize<'de>"))]
pub struct CataloguePage<R, T = String> {
    /// The path of the page.
    pub path: T,
    /// The path of its Markdown, whose body is the text of the resource.
    pub twin: T,
    /// The locale of the page.
    pub locale: Locale,
    /// The title of the page.
    pub title: T,
    /// The path of the same page in the other language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<T>,
    /// Day on which both languages were last compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<T>,
    /// Whether the text in the other language has changed since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The changes of law that the text does not state yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub law_changed: Vec<LawChanged>,
    /// Day of the last change that the page names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated: Option<T>,
    /// The entry in the list of resources, without the size. A page without one can be read by its address, and follows
    /// all pages with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<R>,
}
