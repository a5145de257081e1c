//! Results of the Model Context Protocol endpoint without a counterpart in the content API. The output schemas are
//! derived from these types.
//!
//! Results made for each request can borrow their texts `T` and addresses `U` from the build, so that they are neither
//! copied nor checked again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Locale, named, text::Uri};

/// Associated law firms in other countries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GlobalNetwork {
    /// Name of the firm in the response language.
    pub firm: String,
    /// The response language.
    pub locale: Locale,
    /// The page with the same facts.
    pub url: Uri,
    /// Number of associated firms in the whole list.
    pub count: u64,
    /// The countries by name.
    pub countries: Vec<NetworkCountry>,
}

/// The associated firms of one country.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkCountry {
    /// ISO 3166-1 alpha-2 code.
    pub code: String,
    /// Name in the response language.
    pub name: String,
    /// The firms by name.
    pub firms: Vec<AssociatedFirm>,
}

/// An associated firm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssociatedFirm {
    /// Name of the firm.
    pub name: String,
    /// City in the response language.
    pub city: String,
    /// Kind of relation.
    pub relation: NetworkRelation,
    /// The kind of relation in words of the response language.
    pub relation_name: String,
    /// Name of the association that both firms belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub network: Option<String>,
    /// The firm's own site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Uri")]
    pub url: Option<Uri>,
    /// What the relation covers, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

named! {
    /// How a firm of the network is related.
    #[derive(JsonSchema)]
    #[schemars(inline)]
    #[expect(missing_docs, reason = "documented variants are published as a choice of schemas, which clients misread")]
    pub enum NetworkRelation {
        // Member of the same association.
        Member "member",
        // Correspondent firm.
        Correspondent "correspondent",
    }
}

/// Results of a search, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SearchResults")]
pub struct SearchResults<T = String, U = Uri> {
    /// The matches.
    pub results: Vec<SearchResult<T, U>>,
}

/// A page that matches a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SearchResult")]
// Without this, the member that may be missing would require a default for `T`.
#[serde(bound(deserialize = "T: Deserialize<'de>, U: Deserialize<'de>"))]
pub struct SearchResult<T = String, U = Uri> {
    /// Identifier for the tool `fetch`.
    pub id: T,
    /// Title of the page.
    pub title: T,
    /// Address of the page, for citations.
    pub url: U,
    /// Kind of the page.
    pub kind: T,
    /// Language of the page.
    pub locale: Locale,
    /// The matching passage, plain text.
    pub text: T,
    /// How well it fits: 1 for the best match, less for others.
    pub score: f64,
    /// The same page in the other language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Translation")]
    pub translation: Option<Translation<T>>,
    /// Whether the text in the other language is newer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The changes of law since the day as of which the text states the law.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub law_changed: Vec<LawChanged>,
}

/// A change of law that a text does not state yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub struct LawChanged {
    /// Number of the law.
    pub law: String,
    /// The changed articles; absent for the law as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub articles: Vec<String>,
    /// Day from which the change is in force.
    pub in_force: String,
    /// What changed.
    pub what: String,
}

/// How a page relates to the same page in the other language. It stands where both were compared, or where the text in
/// the other language is newer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, rename = "Translation")]
// Without this, the member that may be missing would require a default for `T`.
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Translation<T = String> {
    /// Address of the page in the other language.
    #[schemars(with = "Uri")]
    pub of: String,
    /// Day on which both were last compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reviewed: Option<T>,
    /// Whether the text in the other language has changed since, so that this one may state what no longer holds.
    pub stale: bool,
}

/// The text of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Document")]
pub struct DocumentResult<T = String, U = Uri> {
    /// The requested identifier.
    pub id: T,
    /// Title of the page.
    pub title: T,
    /// The text in Markdown, or a part of it.
    pub text: T,
    /// Address of the page, for citations.
    pub url: U,
    /// Further data of the page and of the part.
    pub metadata: DocumentMetadata<T, U>,
}

/// Further data of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, rename = "DocumentMetadata")]
// Without this, the member that may be missing would require a default for `T`.
#[serde(bound(deserialize = "T: Deserialize<'de>, U: Deserialize<'de>"))]
pub struct DocumentMetadata<T = String, U = Uri> {
    /// Language of the page.
    pub locale: Locale,
    /// Address of the text.
    pub markdown_url: U,
    /// Day of the last change that the page names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub updated: Option<T>,
    /// The same page in the other language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Translation")]
    pub translation: Option<Translation<T>>,
    /// Whether the text in the other language is newer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The changes of law since the day as of which the text states the law.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub law_changed: Vec<LawChanged>,
    /// The returned part of the text.
    #[serde(flatten)]
    pub cut: Cut,
}

/// A page as Markdown; the text itself is the result's text block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PageMarkdown")]
pub struct PageMarkdown<T = String, U = Uri> {
    /// Title of the page.
    pub title: T,
    /// Address of the page, for citations.
    pub url: U,
    /// Further data of the page and of the part.
    #[serde(flatten)]
    pub metadata: DocumentMetadata<T, U>,
}

/// The returned part of a text, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Cut {
    /// Start of the part.
    pub offset: u64,
    /// Length of the part.
    pub characters: u64,
    /// Length of the whole text.
    pub total: u64,
    /// Whether the text continues after this part.
    pub truncated: bool,
    /// Start of the next part, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub next_offset: Option<u64>,
}

/// The returned part of a list, in items. A whole list has none of these members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListCut {
    /// Start of the part, in items.
    pub offset: u64,
    /// Whether the list continues after this part.
    pub truncated: bool,
    /// Start of the next part, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub next_offset: Option<u64>,
}

/// Notes on the arguments of a call. A result without notes has none of these members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remarks {
    /// Names of the arguments that the tool does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_arguments: Vec<String>,
    /// A suggestion if nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub hint: Option<String>,
}
