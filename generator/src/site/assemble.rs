//! A checked [`Draft`] → a [`Site`], in the order of the site.

use std::{cmp::Reverse, collections::HashMap, path::Path};

use contract::{Locale, PerLocale};

use super::{
    Category, Contact, Content, Document, Firm, Mcp, NetworkFirm, Origin, Page, PageKind, Portrait, PracticeArea,
    Publication, Security, Settings, Site, TeamMember,
    attachments::attach,
    draft::{Draft, Status},
    schedule::next_change,
};
use crate::{
    diagnostic::{Code, Finding, Place},
    source::{At, Facts, Kind, Record},
    turkish::Language,
};

/// Puts the site together. Without an error in the checks, nothing is missing here.
pub(crate) fn assemble(draft: &Draft, content: &Path) -> (Option<Site>, Vec<Finding>) {
    let (files, findings) = attach(draft, content);
    let paths: HashMap<&str, &str> = files.iter().map(|file| (file.file.as_str(), file.path.as_str())).collect();
    let next_change = next_change(draft);
    let assembly = Assembly { draft, paths };
    let settings = assembly.settings();
    let locales = Locale::ALL.map(|locale| assembly.content(locale));
    drop(assembly);
    if let (Some(settings), [Some(en), Some(tr)]) = (settings, locales) {
        let folder = content.to_path_buf();
        return (Some(Site { settings, content: PerLocale { en, tr }, files, next_change, folder }), findings);
    }
    let finding = Finding::new(Code::INCOMPLETE, Place::file(""), "the site could not be put together");
    (None, findings.into_iter().chain([finding]).collect())
}

struct Assembly<'a> {
    draft: &'a Draft,
    /// Public paths of attachments.
    paths: HashMap<&'a str, &'a str>,
}

fn value<T: Clone>(at: Option<&At<T>>) -> Option<T> {
    at.map(|at| at.value.clone())
}

fn values<T: Clone>(at: Option<&At<Vec<At<T>>>>) -> Vec<T> {
    at.map(|list| list.value.iter().map(|item| item.value.clone()).collect()).unwrap_or_default()
}

impl Assembly<'_> {
    fn settings(&self) -> Option<Settings> {
        let draft = &self.draft.settings;
        let categories = draft.categories.iter().map(|category| {
            Some(Category {
                key: value(category.key.as_ref())?,
                name: category.name.clone()?,
                slug: PerLocale { en: value(category.slug.en.as_ref())?, tr: value(category.slug.tr.as_ref())? },
                practice_area: value(category.practice_area.as_ref()),
            })
        });
        Some(Settings {
            site_url: value(draft.site_url.as_ref())?,
            service: value(draft.service.as_ref())?,
            sandbox_key: value(draft.sandbox_key.as_ref())?,
            firm: Firm {
                name: draft.name.clone()?,
                short_name: value(draft.short_name.as_ref())?,
                tagline: draft.tagline.clone()?,
                description: draft.description.clone()?,
                disclaimer: draft.disclaimer.clone()?,
                logo: (*self.paths.get(draft.logo.as_ref()?.value.as_str())?).to_owned(),
            },
            security: Security {
                contact: value(draft.security_contact.as_ref())?,
                expires: value(draft.security_expires.as_ref())?,
            },
            crawlers: draft.crawlers?,
            agents: draft.agents.clone()?,
            mcp: Mcp { name: value(draft.mcp_name.as_ref())?, title: draft.mcp_title.clone()? },
            categories: categories.collect::<Option<_>>()?,
        })
    }

    fn content(&self, locale: Locale) -> Option<Content> {
        let language = Language::new(locale);
        let mut practice_areas: Vec<PracticeArea> = self.all(Kind::PracticeAreas, locale, Self::practice_area)?;
        practice_areas
            .sort_by(|a, b| a.order.cmp(&b.order).then_with(|| language.compare(&a.document.title, &b.document.title)));
        let mut team: Vec<TeamMember> = self.all(Kind::Team, locale, Self::team_member)?;
        team.sort_by(|a, b| a.order.cmp(&b.order).then_with(|| language.compare(&a.document.title, &b.document.title)));
        let mut publications: Vec<Publication> = self.all(Kind::Publications, locale, Self::publication)?;
        publications.sort_by(|a, b| {
            let newest_first = Reverse(&a.date).cmp(&Reverse(&b.date));
            newest_first
                .then_with(|| language.compare(&a.document.title, &b.document.title))
                .then_with(|| a.document.key.cmp(&b.document.key))
        });
        let mut network: Vec<NetworkFirm> =
            self.all(Kind::Network, locale, |_, record| network_firm(record, &language))?;
        network.sort_by(|a, b| {
            language.compare(&a.country_name, &b.country_name).then_with(|| language.compare(&a.name, &b.name))
        });
        let contact = contact(self.draft.record(Kind::Contact, Kind::Contact.folder(), locale)?)?;
        let pages = PageKind::ALL.into_iter().map(|kind| {
            let record = self.draft.record(Kind::Pages, kind.key(), locale)?;
            Some(Page { document: self.document(record)?, kind })
        });
        Some(Content { practice_areas, team, publications, network, contact, pages: pages.collect::<Option<_>>()? })
    }

    /// The published entries of a kind.
    fn all<T>(&self, kind: Kind, locale: Locale, one: impl Fn(&Self, &Record) -> Option<T>) -> Option<Vec<T>> {
        let records = self.draft.of_kind(kind).iter().filter(|record| record.locale == locale);
        records
            .filter(|record| self.draft.status(record) == Status::Published)
            .map(|record| one(self, record))
            .collect()
    }

    fn document(&self, record: &Record) -> Option<Document> {
        let twin = self.draft.twin(record).filter(|twin| self.draft.status(twin) == Status::Published);
        let path = match self.draft.path(record) {
            None if record.key == PageKind::NotFound.key() => format!("/{}/404", record.locale),
            path => path?,
        };
        Some(Document {
            key: record.key.clone(),
            locale: record.locale,
            path,
            slug: value(record.head.slug.as_ref()),
            title: value(record.head.title.as_ref())?,
            description: value(record.head.description.as_ref()).unwrap_or_default(),
            updated: value(record.head.updated.as_ref()),
            translation: twin.and_then(|twin| self.draft.path(twin)),
            aliases: self.draft.former_paths(record),
            origin: Origin { file: record.file.clone(), body_start: record.body_start, digest: record.digest },
            words: record.prose.as_ref()?.words,
        })
    }

    fn practice_area(&self, record: &Record) -> Option<PracticeArea> {
        let Some(Facts::Area(facts)) = &record.facts else { return None };
        Some(PracticeArea { document: self.document(record)?, order: value(facts.order.as_ref())? })
    }

    fn team_member(&self, record: &Record) -> Option<TeamMember> {
        let Some(Facts::Member(facts)) = &record.facts else { return None };
        let portrait = facts.portrait.as_ref().and_then(|file| {
            let file = beside(&record.file, &file.value);
            let path = (*self.paths.get(file.as_str())?).to_owned();
            Some(Portrait { path, alt: value(facts.portrait_alt.as_ref())? })
        });
        Some(TeamMember {
            document: self.document(record)?,
            order: value(facts.order.as_ref())?,
            title: value(facts.title.as_ref())?,
            email: value(facts.email.as_ref()),
            telephone: value(facts.telephone.as_ref()),
            linkedin: value(facts.linkedin.as_ref()),
            bar: value(facts.bar.as_ref()),
            languages: values(facts.languages.as_ref()),
            practice_areas: values(facts.practice_areas.as_ref()),
            portrait,
        })
    }

    fn publication(&self, record: &Record) -> Option<Publication> {
        let Some(Facts::Article(facts)) = &record.facts else { return None };
        Some(Publication {
            document: self.document(record)?,
            date: value(facts.date.as_ref()),
            author: value(facts.author.as_ref()),
            category: value(facts.category.as_ref()),
        })
    }
}

fn network_firm(record: &Record, language: &Language) -> Option<NetworkFirm> {
    let Some(Facts::Associate(facts)) = &record.facts else { return None };
    let country = value(facts.country.as_ref())?;
    Some(NetworkFirm {
        key: record.key.clone(),
        name: value(record.head.title.as_ref())?,
        country_name: language.country_name(&country)?,
        country,
        city: value(facts.city.as_ref())?,
        relation: value(facts.relation.as_ref())?,
        network: value(facts.network.as_ref()),
        url: value(facts.url.as_ref()),
        note: record.note.clone()?,
    })
}

fn contact(record: &Record) -> Option<Contact> {
    let Some(Facts::Office(facts)) = &record.facts else { return None };
    Some(Contact {
        description: value(record.head.description.as_ref())?,
        email: value(facts.email.as_ref())?,
        telephone: value(facts.telephone.as_ref())?,
        telephone_display: value(facts.telephone_display.as_ref()),
        address: value(facts.address.as_ref())?,
        directions: value(facts.directions.as_ref()),
        linkedin: value(facts.linkedin.as_ref()),
        hours: value(facts.hours.as_ref()),
        languages: values(facts.languages.as_ref()),
    })
}

/// The path of a file in the folder of another one.
pub(crate) fn beside(file: &str, name: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = name.strip_prefix("./").unwrap_or(name);
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
