//! Every public address of the site, and what answers there.

use std::collections::{BTreeMap, BTreeSet};

use contract::{Locale, routes, text::Slug};

use crate::{
    site::{Draft, PageKind, Status},
    source::{At, CategoryDraft, Facts, Kind, Record},
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
    /// Beginnings of addresses of which one is not known, because what says it could not be read; it has this many
    /// segments more.
    lost: BTreeSet<(String, usize)>,
}

impl<'a> Addresses<'a> {
    /// Collects the addresses of everything that is published.
    pub(super) fn of(draft: &'a Draft) -> Self {
        let mut answers = BTreeMap::new();
        let may_be_reachable = draft.has_security_contact() || draft.settings.security_expires.is_none();
        let is_there = |fixed: &&str| *fixed != routes::SECURITY_TXT || may_be_reachable;
        for fixed in FIXED.into_iter().filter(is_there) {
            answers.insert(fixed.to_owned(), Answer::Fixed);
        }
        for locale in Locale::ALL {
            for name in OF_A_LOCALE {
                answers.insert(format!("/{locale}{name}"), Answer::Fixed);
            }
        }
        let is_published = |record: &&Record| matches!(draft.status(record), Status::Published | Status::Unknown);
        let published = || draft.records.iter().filter(is_published);
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
        Self { answers, lost: lost(draft) }
    }

    /// Whether an address that is not known may be this one.
    pub(super) fn may_answer(&self, path: &str) -> bool {
        let is_it = |(beginning, more): &(String, usize)| {
            path.strip_prefix(beginning.as_str()).is_some_and(|rest| rest.split('/').count() == *more)
        };
        self.lost.iter().any(is_it)
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

/// Where an address stands that is not known, as [`Addresses`] keeps it.
fn lost(draft: &Draft) -> BTreeSet<(String, usize)> {
    let below = |kind: Kind, locale: Locale| match draft.section(kind, locale) {
        Some(section) => (format!("/{locale}/{}/", section.as_str()), 1),
        None => (format!("/{locale}/"), 2),
    };
    let mut lost = BTreeSet::new();
    for record in draft.records.iter().filter(|record| record.kind.has_page()) {
        let locale = record.locale;
        if record.kind != Kind::Pages {
            // A person has one slug, and the same former ones, in both languages.
            let has_lost_aliases = match record.kind {
                Kind::Team => record.shares_lost("aliases"),
                _ => record.lost.has("aliases"),
            };
            let is_listed_somewhere = record.kind == Kind::Publications
                && ["date", "category"].into_iter().any(|field| record.shares_lost(field));
            if record.head.slug.is_none() || has_lost_aliases || is_listed_somewhere {
                lost.insert(below(record.kind, locale));
            }
        } else if record.lost.has("aliases") || (record.head.slug.is_none() && has_slug(&record.key)) {
            lost.extend([(format!("/{locale}/"), 1), (format!("/{locale}/"), 2)]);
        }
    }
    let settings = &draft.settings;
    let is_known = |it: &CategoryDraft| it.key.is_some() && it.slug.iter().all(|(_, slug)| slug.is_some());
    if !settings.readable || settings.lost_categories || !settings.categories.iter().all(is_known) {
        lost.extend(Locale::ALL.map(|locale| below(Kind::Publications, locale)));
    }
    lost
}

/// Whether the page of this name has an address of its own.
fn has_slug(key: &str) -> bool {
    PageKind::ALL.into_iter().find(|kind| kind.key() == key).is_none_or(PageKind::has_slug)
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
