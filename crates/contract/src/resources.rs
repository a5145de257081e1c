//! The resources of the content API, field by field as the specification's tables name them.
//!
//! The JSON Schema of each type is derived here once; the OpenAPI document and the MCP tools both use it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Locale,
    text::{Date, Email, Slug, Uri},
};

/// A field of law in which the firm works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PracticeArea {
    /// Name in the response language.
    pub name: String,
    /// Last segment of the page's path; differs between the languages.
    pub slug: Slug,
    /// The HTML page in the response language.
    pub url: Uri,
    /// One or two sentences of plain text.
    pub summary: String,
}

/// An attorney or another member of the team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamMember {
    /// Name as the person writes it.
    pub name: String,
    /// Professional title in the response language.
    pub title: String,
    /// Last segment of the page's path.
    pub slug: Slug,
    /// The HTML page in the response language.
    pub url: Uri,
    /// Mailbox at the firm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Email")]
    pub email: Option<Email>,
    /// Public professional profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Uri")]
    pub linkedin: Option<Uri>,
}

/// A published article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Publication {
    /// Title in the response language.
    pub title: String,
    /// Last segment of the page's path; differs between the languages.
    pub slug: Slug,
    /// The HTML page in the response language.
    pub url: Uri,
    /// One or two sentences of plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub excerpt: Option<String>,
    /// Day of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Date")]
    pub date: Option<Date>,
    /// Name of the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub author: Option<String>,
    /// Category in the response language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub category: Option<String>,
}

/// The envelope of the three lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct List<T> {
    /// Name of the firm in the response language.
    pub firm: String,
    /// The response language.
    pub locale: Locale,
    /// Number of items.
    pub count: u64,
    /// The items, in the order that their schema describes.
    pub items: Vec<T>,
}

/// A list of practice areas.
pub type PracticeAreaList = List<PracticeArea>;
/// A list of team members.
pub type TeamList = List<TeamMember>;
/// A list of publications, newest first.
pub type PublicationList = List<Publication>;

impl<T> List<T> {
    /// Wraps `items`, which are already in the order of their schema.
    pub fn new(firm: String, locale: Locale, items: Vec<T>) -> Self {
        Self { firm, locale, count: items.len() as u64, items }
    }
}

/// The name of a list type, and the description of its items, in the OpenAPI description.
trait Listed {
    const NAME: &'static str;
    const ITEMS: &'static str = "The items: first those that the firm ranks, in that order, then the others by name.";
}
impl Listed for PracticeArea {
    const NAME: &'static str = "PracticeAreaList";
}
impl Listed for TeamMember {
    const NAME: &'static str = "TeamList";
}
impl Listed for Publication {
    const NAME: &'static str = "PublicationList";
    const ITEMS: &'static str = "The items, newest first, items of one day by title, items without a date last.";
}

impl<T: Listed + JsonSchema> JsonSchema for List<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let locale = generator.subschema_for::<Locale>();
        let item = generator.subschema_for::<T>();
        schemars::json_schema!({
            "type": "object",
            "properties": {
                "firm": { "type": "string", "description": "Name of the firm in the response language." },
                "locale": locale,
                "count": { "type": "integer", "minimum": 0, "description": "Number of items in the whole list." },
                "items": { "type": "array", "items": item, "description": T::ITEMS },
            },
            "required": ["firm", "locale", "count", "items"],
        })
    }
}

/// How to reach the firm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContactResponse {
    /// Name of the firm in the response language.
    pub firm: String,
    /// Description of the firm in one or two sentences.
    pub description: String,
    /// The firm's mailbox.
    pub email: Email,
    /// Telephone number in E.164 form.
    pub telephone: String,
    /// The telephone number as people write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub telephone_display: Option<String>,
    /// Postal address in one line.
    pub address: String,
    /// A map or route description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Uri")]
    pub directions_url: Option<Uri>,
    /// The firm's public professional profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Uri")]
    pub linkedin_url: Option<Uri>,
    /// Canonical addresses of the firm's pages and interfaces, by name.
    pub urls: BTreeMap<String, Uri>,
    /// Office hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Hours")]
    pub hours: Option<Hours>,
    /// Names of the working languages, in the response language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub languages: Option<Vec<String>>,
}

/// Office hours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Hours {
    /// Names of the days on which the office is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub days: Option<Vec<String>>,
    /// Opening time, `HH:MM`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub opens: Option<String>,
    /// Closing time, `HH:MM`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub closes: Option<String>,
    /// IANA time zone of the two times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub time_zone: Option<String>,
}

/// The state of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HealthResponse {
    /// Whether the service answers.
    pub ok: bool,
    /// Name of the service.
    pub service: String,
    /// Whether the published sandbox key is accepted here.
    pub sandbox: bool,
}
