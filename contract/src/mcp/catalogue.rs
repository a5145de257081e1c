//! Everything that a build prepares for the endpoint, in one file of the build.
//!
//! `R` is a piece of JSON as it goes onto the wire: owned where it is made, borrowed where it is served. What is an
//! object becomes a result by its members, because a revision adds members of its own.

use serde::{Deserialize, Serialize};

use crate::{Locale, PerLocale};

/// The prepared answers. `P` are the pages, of which there may be many: all of them where they are made; where they are
/// served, what is yet to be read one by one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue<R, P = Vec<Page<R>>> {
    /// Who answers, for `_meta`.
    pub server: R,
    /// Result of `initialize`, but for the revision.
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
    /// What it is called by.
    pub name: String,
    /// Where its answer comes from.
    pub source: Source<R>,
    /// The member of the answer that is a list and may be handed out in parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
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
    /// What it is called by.
    pub name: String,
    /// Its arguments beside `locale`.
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
    /// What it is called by.
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
// Without the bound, a member that may be missing would ask for a `T` to put in its place.
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
    /// Its entry in the list of resources, but for the size.
    pub resource: R,
}
