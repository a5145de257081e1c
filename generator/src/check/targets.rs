//! Every public address of the site, and what answers there.

use std::collections::BTreeMap;

use contract::{Locale, routes, text::Slug};

use crate::{
    site::{Draft, Status},
    source::{At, Facts, Kind, Record},
};

/// Fixed addresses that do not depend on content.
const FIXED: [&str; 34] = [
    "/",
    routes::API_BASE,
    routes::HEALTH,
    routes::PRACTICE_AREAS,
    routes::TEAM,
    routes::PUBLICATIONS,
    routes::CONTACT,
    routes::API_OPENAPI,
    routes::OPENAPI,
    routes::API_CATALOG,
    routes::PROTECTED_RESOURCE,
    routes::PROTECTED_RESOURCE_MCP,
    routes::PROTECTED_RESOURCE_API,
    routes::AUTHORIZATION_SERVER,
    routes::SECURITY_TXT,
    routes::AI_CATALOG,
    routes::AGENT_SKILLS,
    routes::CONTENT_SKILL,
    routes::REGISTRATION_SKILL,
    routes::SERVER_CARD,
    routes::SERVER_CARD_WELL_KNOWN,
    routes::MCP,
    routes::REGISTER,
    routes::CLAIM,
    routes::CLAIM_COMPLETE,
    routes::PROVIDER_REVOKE,
    routes::TOKEN,
    routes::REVOKE,
    routes::ACCESS,
    routes::AUTH_MD,
    routes::LLMS_TXT,
    routes::LLMS_FULL_TXT,
    routes::ROBOTS_TXT,
    routes::SITEMAP,
];

/// The Markdown of the first page.
const ROOT_TWIN: &str = "/index.md";

/// Addresses that every locale has, below its own.
const OF_A_LOCALE: [&str; 4] = [routes::LLMS_TXT, routes::LLMS_FULL_TXT, routes::ATOM, routes::JSON_FEED];

/// What answers at an address.
#[derive(Clone)]
pub(super) enum Answer<'a> {
    /// The page of an entry.
    Page(&'a Record),
    /// A redirect to this path.
    Former(String),
    /// An archive.
    Archive,
    /// Something that has one form, which is no page.
    Fixed,
}

/// The addresses of a site.
pub(super) struct Addresses<'a> {
    answers: BTreeMap<String, Answer<'a>>,
}

impl<'a> Addresses<'a> {
    /// Collects the addresses of everything that is published.
    pub(super) fn of(draft: &'a Draft) -> Self {
        let mut answers = BTreeMap::new();
        let is_there = |fixed: &&str| *fixed != routes::SECURITY_TXT || draft.has_security_contact();
        for fixed in FIXED.into_iter().filter(is_there) {
            answers.insert(fixed.to_owned(), Answer::Fixed);
        }
        for locale in Locale::ALL {
            for name in OF_A_LOCALE {
                answers.insert(format!("/{locale}{name}"), Answer::Fixed);
            }
        }
        let published = || draft.records.iter().filter(|record| draft.status(record) == Status::Published);
        let archives: Vec<_> = published().flat_map(|record| archives(draft, record)).collect();
        for Archive { path, former } in &archives {
            answers.extend(former.iter().map(|former| (former.clone(), Answer::Former(path.clone()))));
        }
        answers.extend(archives.into_iter().map(|archive| (archive.path, Answer::Archive)));
        for record in published() {
            if let Some(current) = draft.path(record) {
                let former = draft.former_paths(record).into_iter();
                answers.extend(former.map(|path| (path, Answer::Former(current.clone()))));
            }
        }
        for record in published() {
            if let Some(path) = draft.path(record) {
                answers.insert(path, Answer::Page(record));
            }
        }
        Self { answers }
    }

    /// What answers at `path`, which may be that of a Markdown twin.
    pub(super) fn answer(&self, path: &str) -> Option<Answer<'a>> {
        if let Some(answer) = self.answers.get(path) {
            return Some(answer.clone());
        }
        if path == ROOT_TWIN {
            return Some(Answer::Fixed);
        }
        match self.answers.get(path.strip_suffix(".md")?)? {
            Answer::Former(_) | Answer::Fixed => None,
            answer => Some(answer.clone()),
        }
    }

    /// Every address but former ones, in order, for a suggestion.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.answers.iter().filter(|(_, answer)| !matches!(answer, Answer::Former(_))).map(|(path, _)| path.as_str())
    }
}

/// The page of a year or a category.
struct Archive {
    path: String,
    /// Its paths below the former slugs of its section, which redirect (`render::redirects`).
    former: Vec<String>,
}

/// The archives in which a publication is listed.
fn archives(draft: &Draft, record: &Record) -> Vec<Archive> {
    let Some(Facts::Article(facts)) = &record.facts else { return Vec::new() };
    let Some(page) = draft.record(Kind::Pages, Kind::Publications.folder(), record.locale) else { return Vec::new() };
    let Some(section) = &page.head.slug else { return Vec::new() };
    let archive = |name: &dyn std::fmt::Display| {
        let below = |section: &At<Slug>| format!("/{}/{}/{name}", record.locale, section.value);
        Archive { path: below(section), former: page.head.aliases.iter().map(below).collect() }
    };
    let year = facts.date.iter().map(|date| archive(&format_args!("{:04}", date.value.year())));
    let category = facts.category.iter().filter_map(|named| {
        let categories = draft.settings.categories.iter();
        let mut categories = categories.rev();
        let category = categories.find(|it| it.key.as_ref().is_some_and(|key| key.value == named.value))?;
        Some(archive(&category.slug[record.locale].as_ref()?.value))
    });
    year.chain(category).collect()
}
