//! Turns checked records into entries of the site.

use std::collections::HashMap;

use content::{At, ChangeOfLaw, Focus, Head, Kind, OpeningHours, Record, Review, Values, author_keys};
use contract::{mcp::NetworkRelation, text::Date};
use markdown::turkish::Language;

use super::{
    AreaEntry, ArticleChange, ArticleEntry, Attachment, Contact, Document, MemberEntry, NetworkFirm, Office, Origin,
    Page, PageKind, Portrait, Usage,
    attachments::beside,
    draft::{Draft, Status, former_addresses},
    laws::unstated_changes,
    postal,
};

/// Published files, by path below the content folder and by usage.
pub(super) type PublicFiles<'a> = HashMap<(&'a str, Usage), &'a Attachment>;

/// The language of a name without a `name_language`.
const DEFAULT_NAME_LANGUAGE: &str = "tr";

/// The address of an entry's page.
#[derive(Debug, Default)]
pub(super) struct Address {
    path: Option<String>,
    translation: Option<String>,
    compared: Option<Date>,
    aliases: Vec<String>,
    former_addresses: Vec<String>,
    law_changes: Vec<ChangeOfLaw>,
}

impl Address {
    pub(super) fn of(draft: &Draft, record: &Record) -> Self {
        let twin = draft.twin(record).filter(|twin| draft.status(twin) == Status::Published);
        Self {
            path: draft.path(record),
            translation: twin.and_then(|twin| draft.path(twin)),
            compared: [Some(record), twin].into_iter().flatten().filter_map(day_of_review).max(),
            aliases: draft.former_paths(record),
            former_addresses: former_addresses(record).map(str::to_owned).collect(),
            law_changes: unstated_changes(draft, record).cloned().collect(),
        }
    }
}

/// Returns the day that the field `reviewed` names; a commit is no day.
fn day_of_review(record: &Record) -> Option<Date> {
    match &record.head.reviewed.as_ref()?.value {
        Review::Day(day) => Some(day.clone()),
        Review::Commit(_) => None,
    }
}

/// An entry of any kind.
pub(super) enum Published {
    PracticeArea(AreaEntry),
    TeamMember(MemberEntry),
    Publication(ArticleEntry),
    NetworkFirm(NetworkFirm),
    Contact(Contact),
    Page(Page),
}

impl Published {
    /// Converts a record. Returns `None` if a value is missing that a check should have reported.
    pub(super) fn new(
        mut record: Record,
        address: Address,
        is_unreviewed: bool,
        files: &PublicFiles,
        language: &Language,
    ) -> Option<Self> {
        let values = std::mem::take(&mut record.values);
        Some(match record.kind {
            Kind::PracticeAreas => {
                let order = value(values.get("order"));
                Self::PracticeArea(AreaEntry { document: document(record, address)?, order })
            }
            Kind::Team => Self::TeamMember(team_member(record, address, &values, files)?),
            Kind::Publications => Self::Publication(publication(record, address, &values, is_unreviewed)?),
            Kind::Network => Self::NetworkFirm(network_firm(record, &values, language)?),
            Kind::Contact => Self::Contact(contact(record.head, &values, language)?),
            Kind::Pages => {
                let kind = PageKind::of(&record.key);
                Self::Page(Page { document: document(record, address)?, kind })
            }
        })
    }
}

fn document(record: Record, address: Address) -> Option<Document> {
    let Address { path, translation, compared, aliases, former_addresses, law_changes } = address;
    let path = match path {
        // The page for unknown addresses has no address of its own; this one is reserved.
        None if PageKind::of(&record.key) == PageKind::NotFound => {
            format!("{}/404", Document::path_of(record.locale, None, None))
        }
        path => path?,
    };
    Some(Document {
        path,
        slug: value(record.head.slug),
        title: value(record.head.title)?,
        description: value(record.head.description).unwrap_or_default(),
        updated: value(record.head.updated),
        translation,
        compared,
        is_stale: false,
        cites: record.cites,
        law_changes,
        aliases,
        former_addresses,
        origin: Origin { file: record.file, body_start: record.body_start, checksum: record.checksum },
        words: record.prose?.words,
        key: record.key,
        locale: record.locale,
    })
}

/// Returns the value without its position in the file.
pub(super) fn value<T>(at: Option<At<T>>) -> Option<T> {
    at.map(|at| at.value)
}

/// Returns the items of a list of texts.
fn items(values: &Values, name: &str) -> Vec<String> {
    values.list(name).map(|list| list.value.into_iter().map(|item| item.value).collect()).unwrap_or_default()
}

fn team_member(record: Record, address: Address, values: &Values, files: &PublicFiles) -> Option<MemberEntry> {
    let usage = Usage::Portrait(value(values.parse("portrait_focus", Focus::parse)));
    let portrait = values.get("portrait").map(|file: At<String>| beside(&record.file, &file.value));
    let portrait = portrait.as_deref().and_then(|file| files.get(&(file, usage)));
    let portrait = portrait.zip(value(values.get("portrait_alt")));
    Some(MemberEntry {
        document: document(record, address)?,
        order: value(values.get("order")),
        title: value(values.get("title"))?,
        name_language: value(values.get("name_language")).unwrap_or_else(|| DEFAULT_NAME_LANGUAGE.to_owned()),
        email: value(values.get("email")),
        telephone: value(values.get("telephone")),
        linkedin: value(values.get("linkedin")),
        bar: value(values.get("bar")),
        alumni_of: items(values, "alumni_of"),
        languages: items(values, "languages"),
        practice_areas: items(values, "practice_areas"),
        portrait: portrait.map(|(file, alt)| {
            let forms = file.photograph.as_ref().map(|photograph| photograph.forms.clone());
            Portrait { path: file.path.clone(), alt, forms: forms.unwrap_or_default() }
        }),
    })
}

fn publication(record: Record, address: Address, values: &Values, is_unreviewed: bool) -> Option<ArticleEntry> {
    let change = |it: &At<Values>| {
        Some(ArticleChange { date: value(it.value.get("date"))?, text: value(it.value.get("text"))? })
    };
    let mut changes = values.groups("changes").iter().map(change).collect::<Option<Vec<ArticleChange>>>()?;
    changes.sort_by(|one, other| other.date.cmp(&one.date));
    Some(ArticleEntry {
        document: document(record, address)?,
        authors: author_keys(values),
        date: value(values.get("date")),
        category: value(values.get("category")),
        tags: items(values, "tags"),
        changes,
        is_unreviewed,
    })
}

fn network_firm(record: Record, values: &Values, language: &Language) -> Option<NetworkFirm> {
    let country: String = value(values.get("country"))?;
    Some(NetworkFirm {
        key: record.key,
        file: record.file,
        name: value(record.head.title)?,
        country_name: language.country_name(&country)?,
        country,
        city: value(values.get("city"))?,
        relation: value(values.parse("relation", NetworkRelation::parse))?,
        network: value(values.get("network")),
        url: value(values.get("url")),
        note: record.note?,
    })
}

fn contact(head: Head, values: &Values, language: &Language) -> Option<Contact> {
    let offices =
        values.groups("offices").iter().map(|it| office(&it.value, language)).collect::<Option<Vec<Office>>>()?;
    let address = match offices.first() {
        Some(main) => main.address.clone(),
        None => value(values.get("address"))?,
    };
    Some(Contact {
        description: value(head.description)?,
        email: value(values.get("email"))?,
        telephone: value(values.get("telephone"))?,
        telephone_display: value(values.get("telephone_display")),
        address,
        offices,
        directions: value(values.get("directions")),
        linkedin: value(values.get("linkedin")),
        hours: OpeningHours::of(values),
        languages: items(values, "languages"),
    })
}

fn office(values: &Values, language: &Language) -> Option<Office> {
    let text = |name| value(values.get::<String>(name));
    let (street, city, country) = (text("street")?, text("city")?, text("country")?);
    let postal_code = text("postal_code");
    let country_name = language.country_name(&country)?;
    let address = postal::line(&postal::AddressParts {
        street: &street,
        postal_code: postal_code.as_deref(),
        city: &city,
        country: &country,
        country_name: &country_name,
    });
    Some(Office {
        key: value(values.get("key"))?,
        name: value(values.get("name"))?,
        address,
        street,
        postal_code,
        city,
        country,
        areas_served: items(values, "areas_served"),
        telephone: value(values.get("telephone")),
        email: value(values.get("email")),
        hours: OpeningHours::of(values),
        directions: value(values.get("directions")),
    })
}
