//! The nodes of a graph, with the names that schema.org gives their fields.

use contract::{
    Locale,
    text::{Date, Email, Uri},
};
use serde::Serialize;

/// The structured data of a page: its nodes and their vocabulary.
#[derive(Serialize)]
pub(super) struct Graph<'a> {
    #[serde(rename = "@context")]
    pub(super) context: &'static str,
    #[serde(rename = "@graph")]
    pub(super) nodes: &'a [Node<'a>],
}

/// A node of the graph; its `@type` says which kind it is.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Node<'a> {
    Page(WebPage<'a>),
    Person(Person<'a>),
    Article(Article<'a>),
    Archive(Archive<'a>),
    Firm(LegalService<'a>),
    Site(WebSite<'a>),
    Trail(BreadcrumbList<'a>),
}

/// A reference to a node that may be on another page.
#[derive(Serialize)]
pub(super) struct Reference {
    #[serde(rename = "@id")]
    pub(super) id: String,
}

/// A page of the site.
#[derive(Serialize)]
pub(super) struct WebPage<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    pub(super) url: String,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    #[serde(rename = "inLanguage")]
    pub(super) language: Locale,
    #[serde(rename = "isPartOf")]
    pub(super) site: Reference,
    pub(super) about: Reference,
    #[serde(rename = "dateModified", skip_serializing_if = "Option::is_none")]
    pub(super) modified: Option<&'a Date>,
    #[serde(rename = "mainEntity", skip_serializing_if = "Option::is_none")]
    pub(super) entity: Option<Reference>,
}

/// A person of the team.
#[derive(Serialize)]
pub(super) struct Person<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    #[serde(rename = "@id")]
    pub(super) id: String,
    pub(super) name: &'a str,
    pub(super) url: String,
    #[serde(rename = "jobTitle")]
    pub(super) title: &'a str,
    #[serde(rename = "worksFor")]
    pub(super) firm: Reference,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) email: Option<&'a Email>,
    #[serde(rename = "knowsLanguage", skip_serializing_if = "<[String]>::is_empty")]
    pub(super) languages: &'a [String],
    #[serde(rename = "sameAs", skip_serializing_if = "Option::is_none")]
    pub(super) profiles: Option<[&'a Uri; 1]>,
}

/// A publication.
#[derive(Serialize)]
pub(super) struct Article<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    pub(super) headline: &'a str,
    #[serde(rename = "inLanguage")]
    pub(super) language: Locale,
    pub(super) url: &'a str,
    #[serde(rename = "mainEntityOfPage")]
    pub(super) page: &'a str,
    pub(super) publisher: Reference,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) description: &'a str,
    #[serde(rename = "datePublished", skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<&'a Date>,
    #[serde(rename = "dateModified", skip_serializing_if = "Option::is_none")]
    pub(super) modified: Option<&'a Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) author: Option<Author<'a>>,
}

/// The author of an article; their own page describes them in full.
#[derive(Serialize)]
pub(super) struct Author<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    #[serde(rename = "@id")]
    pub(super) id: String,
    pub(super) name: &'a str,
}

/// A list of publications.
#[derive(Serialize)]
pub(super) struct Archive<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    pub(super) url: String,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    #[serde(rename = "inLanguage")]
    pub(super) language: Locale,
    #[serde(rename = "isPartOf")]
    pub(super) site: Reference,
}

/// The firm.
#[derive(Serialize)]
pub(super) struct LegalService<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    #[serde(rename = "@id")]
    pub(super) id: String,
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) url: String,
    pub(super) logo: String,
    pub(super) email: &'a Email,
    pub(super) telephone: &'a str,
    pub(super) address: PostalAddress<'a>,
    #[serde(rename = "openingHoursSpecification", skip_serializing_if = "Option::is_none")]
    pub(super) hours: Option<[OpeningHours<'a>; 1]>,
    #[serde(rename = "knowsLanguage", skip_serializing_if = "<[String]>::is_empty")]
    pub(super) languages: &'a [String],
}

/// The address of the firm. In the content it is one line without a separate country, so none is given: it would be a
/// guess.
#[derive(Serialize)]
pub(super) struct PostalAddress<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    #[serde(rename = "streetAddress")]
    pub(super) line: &'a str,
}

/// The hours in which the firm answers.
#[derive(Serialize)]
pub(super) struct OpeningHours<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    #[serde(rename = "dayOfWeek", skip_serializing_if = "Vec::is_empty")]
    pub(super) days: Vec<&'static str>,
    pub(super) opens: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) closes: Option<&'a str>,
}

/// The site.
#[derive(Serialize)]
pub(super) struct WebSite<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    #[serde(rename = "@id")]
    pub(super) id: String,
    pub(super) url: String,
    pub(super) name: &'a str,
    #[serde(rename = "inLanguage")]
    pub(super) languages: [Locale; 2],
    pub(super) publisher: Reference,
}

/// The position of a page in the site.
#[derive(Serialize)]
pub(super) struct BreadcrumbList<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    #[serde(rename = "itemListElement")]
    pub(super) steps: Vec<ListItem<'a>>,
}

/// One step on the way to a page.
#[derive(Serialize)]
pub(super) struct ListItem<'a> {
    #[serde(rename = "@type")]
    pub(super) kind: &'static str,
    pub(super) position: usize,
    pub(super) name: &'a str,
    pub(super) item: String,
}
