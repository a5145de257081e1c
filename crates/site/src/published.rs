//! Turns checked records into entries of the site.

use std::collections::HashMap;

use content::{ArticleFacts, AssociateFacts, At, ContactFacts, Facts, Head, MemberFacts, Record};
use markdown::turkish::Language;

use super::{
    AreaEntry, ArticleChange, ArticleEntry, Attachment, Contact, Document, MemberEntry, NetworkFirm, Office, Origin,
    Page, PageKind, Portrait, Usage,
    attachments::beside,
    draft::{Draft, Status},
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
    aliases: Vec<String>,
}

impl Address {
    pub(super) fn of(draft: &Draft, record: &Record) -> Self {
        let twin = draft.twin(record).filter(|twin| draft.status(twin) == Status::Published);
        Self {
            path: draft.path(record),
            translation: twin.and_then(|twin| draft.path(twin)),
            aliases: draft.former_paths(record),
        }
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
        Some(match record.facts.take()? {
            Facts::Area(facts) => {
                Self::PracticeArea(AreaEntry { document: document(record, address)?, order: value(facts.order) })
            }
            Facts::Member(facts) => Self::TeamMember(team_member(record, address, *facts, files)?),
            Facts::Article(facts) => Self::Publication(publication(record, address, *facts, is_unreviewed)?),
            Facts::Associate(facts) => Self::NetworkFirm(network_firm(record, *facts, language)?),
            Facts::Contact(facts) => Self::Contact(contact(record.head, *facts, language)?),
            Facts::Page => {
                let kind = PageKind::of(&record.key);
                Self::Page(Page { document: document(record, address)?, kind })
            }
        })
    }
}

fn document(record: Record, address: Address) -> Option<Document> {
    let Address { path, translation, aliases } = address;
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
        aliases,
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

fn values<T>(at: Option<At<Vec<At<T>>>>) -> Vec<T> {
    at.map(|list| list.value.into_iter().map(|item| item.value).collect()).unwrap_or_default()
}

fn team_member(record: Record, address: Address, facts: MemberFacts, files: &PublicFiles) -> Option<MemberEntry> {
    let usage = Usage::Portrait(value(facts.portrait_focus));
    let portrait = facts.portrait.map(|file| beside(&record.file, &file.value));
    let portrait = portrait.as_deref().and_then(|file| files.get(&(file, usage)));
    let portrait = portrait.zip(value(facts.portrait_alt));
    Some(MemberEntry {
        document: document(record, address)?,
        order: value(facts.order),
        title: value(facts.title)?,
        name_language: value(facts.name_language).unwrap_or_else(|| DEFAULT_NAME_LANGUAGE.to_owned()),
        email: value(facts.email),
        telephone: value(facts.telephone),
        linkedin: value(facts.linkedin),
        bar: value(facts.bar),
        languages: values(facts.languages),
        practice_areas: values(facts.practice_areas),
        portrait: portrait.map(|(file, alt)| {
            let forms = file.photograph.as_ref().map(|photograph| photograph.forms.clone());
            Portrait { path: file.path.clone(), alt, forms: forms.unwrap_or_default() }
        }),
    })
}

fn publication(record: Record, address: Address, facts: ArticleFacts, is_unreviewed: bool) -> Option<ArticleEntry> {
    let authors = facts.author_keys().map(|key| key.value.clone()).collect();
    let change = |it: content::Change| Some(ArticleChange { date: value(it.date)?, text: value(it.text)? });
    let mut changes = facts.changes.into_iter().map(change).collect::<Option<Vec<ArticleChange>>>()?;
    changes.sort_by(|one, other| other.date.cmp(&one.date));
    Some(ArticleEntry {
        document: document(record, address)?,
        authors,
        date: value(facts.date),
        category: value(facts.category),
        tags: values(facts.tags),
        changes,
        is_unreviewed,
    })
}

fn network_firm(record: Record, facts: AssociateFacts, language: &Language) -> Option<NetworkFirm> {
    let country = value(facts.country)?;
    Some(NetworkFirm {
        key: record.key,
        file: record.file,
        name: value(record.head.title)?,
        country_name: language.country_name(&country)?,
        country,
        city: value(facts.city)?,
        relation: value(facts.relation)?,
        network: value(facts.network),
        url: value(facts.url),
        note: record.note?,
    })
}

fn contact(head: Head, facts: ContactFacts, language: &Language) -> Option<Contact> {
    let offices = facts.offices.into_iter().map(|it| office(it.value, language)).collect::<Option<Vec<Office>>>()?;
    let address = match offices.first() {
        Some(main) => main.address.clone(),
        None => value(facts.address)?,
    };
    Some(Contact {
        description: value(head.description)?,
        email: value(facts.email)?,
        telephone: value(facts.telephone)?,
        telephone_display: value(facts.telephone_display),
        address,
        offices,
        directions: value(facts.directions),
        linkedin: value(facts.linkedin),
        hours: value(facts.hours),
        languages: values(facts.languages),
    })
}

fn office(facts: content::OfficeFacts, language: &Language) -> Option<Office> {
    let (street, city, country) = (value(facts.street)?, value(facts.city)?, value(facts.country)?);
    let postal_code = value(facts.postal_code);
    let country_name = language.country_name(&country)?;
    let address = postal::line(&postal::AddressParts {
        street: &street,
        postal_code: postal_code.as_deref(),
        city: &city,
        country: &country,
        country_name: &country_name,
    });
    Some(Office {
        key: value(facts.key)?,
        name: value(facts.name)?,
        address,
        street,
        postal_code,
        city,
        country,
        telephone: value(facts.telephone),
        email: value(facts.email),
        hours: value(facts.hours),
        directions: value(facts.directions),
    })
}
