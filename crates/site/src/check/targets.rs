//! Every public address of the site with its target.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use content::{Agents, CategoryDraft, Kind, Record};
use contract::{Locale, routes};

use super::{
    addresses::is_year,
    published::{ArchiveKind, FEEDS, Times, archives, is_listed_somewhere, is_published, paths_beside},
    redirects,
};
use crate::{Draft, PageKind, laws_path, twin_path, well_known};

/// Fixed addresses of every site.
const FIXED: [&str; 26] = [
    "/",
    routes::API_BASE,
    routes::HEALTH,
    routes::PRACTICE_AREAS,
    routes::TEAM,
    routes::PUBLICATIONS,
    routes::CONTACT,
    routes::API_OPENAPI,
    routes::OPENAPI,
    routes::OPENAPI_YAML,
    routes::OPENAPI_3_0,
    routes::API_CATALOG,
    routes::PROTECTED_RESOURCE,
    routes::PROTECTED_RESOURCE_API,
    routes::SECURITY_TXT,
    routes::AI_CATALOG,
    routes::AGENT_SKILLS,
    routes::CONTENT_SKILL,
    routes::REGISTRATION_SKILL,
    routes::AUTH_MD,
    routes::LLMS_TXT,
    routes::LLMS_FULL_TXT,
    routes::ROBOTS_TXT,
    routes::SITEMAP,
    routes::FAVICON,
    routes::TOUCH_ICON,
];

/// Fixed addresses of the sidecar, and of documents about it.
const OF_THE_SERVICE: [&str; 17] = [
    routes::PROTECTED_RESOURCE_MCP,
    routes::AUTHORIZATION_SERVER,
    routes::SERVER_CARD,
    routes::SERVER_JSON,
    routes::SERVER_CARD_WELL_KNOWN,
    routes::MCP,
    routes::REGISTER,
    routes::CLAIM,
    routes::CLAIM_COMPLETE,
    routes::IDENTITY,
    routes::IDENTITY_CLAIM,
    routes::IDENTITY_COMPLETE,
    routes::PROVIDER_REVOKE,
    routes::AUTHORIZE,
    routes::TOKEN,
    routes::REVOKE,
    routes::ACCESS,
];

/// Addresses below each locale.
const OF_A_LOCALE: [&str; 5] =
    [routes::LLMS_TXT, routes::LLMS_FULL_TXT, routes::ATOM, routes::JSON_FEED, routes::OPENSEARCH];

#[derive(Clone)]
pub(super) enum AddressTarget<'a> {
    /// The page of an entry; an unpublished or expired entry only if the address has no other target.
    Page(&'a Record),
    /// A redirect to this path.
    Moved(String),
    /// An archive with the times of its publications; an empty one only if the address has no other target.
    Archive(Times),
    /// A resource with only one variant, which is no page.
    Fixed,
}

/// The addresses of a site.
pub(super) struct Addresses<'a> {
    draft: &'a Draft,
    answers: BTreeMap<String, AddressTarget<'a>>,
    /// Addresses of entries and archives that are unpublished or expired.
    absent: BTreeMap<String, AddressTarget<'a>>,
    /// Targets of redirects; collected on demand.
    moved: OnceCell<BTreeMap<String, String>>,
    /// Prefixes of addresses that are unknown because of unreadable fields, with the number of segments that follow.
    lost: BTreeSet<(String, usize)>,
}

impl<'a> Addresses<'a> {
    /// Collects all addresses, those of unpublished and expired entries included.
    pub(super) fn of(draft: &'a Draft) -> Self {
        let mut answers = BTreeMap::new();
        let may_be_reachable = draft.has_security_contact() || draft.settings.security_expires.is_none();
        let may_register = draft.settings.agents.as_ref().is_none_or(Agents::register);
        let has_service = draft.settings.agents.as_ref().is_none_or(|agents| agents.service);
        let is_there = |fixed: &&str| match *fixed {
            routes::SECURITY_TXT => may_be_reachable,
            routes::REGISTRATION_SKILL | routes::PROTECTED_RESOURCE_MCP => may_register,
            _ => true,
        };
        let of_the_service = OF_THE_SERVICE.into_iter().filter(|_| has_service);
        for fixed in FIXED.into_iter().chain(of_the_service).filter(is_there) {
            answers.insert(fixed.to_owned(), AddressTarget::Fixed);
        }
        for locale in Locale::ALL {
            // Feeds list the publications and link to their page.
            let has_feeds = draft.record(Kind::Pages, Kind::Publications.folder(), locale).is_some();
            let has_search = draft.record(Kind::Pages, "search", locale).is_some();
            let is_there = |name: &&str| match *name {
                routes::OPENSEARCH => has_search,
                routes::ATOM | routes::JSON_FEED => has_feeds,
                _ => true,
            };
            for name in OF_A_LOCALE.into_iter().filter(is_there) {
                answers.insert(routes::in_locale(locale, name), AddressTarget::Fixed);
            }
        }
        answers.extend(well_known(draft).map(|(path, _)| (path, AddressTarget::Fixed)));
        for (locale, law) in redirects::cited_laws(draft) {
            let path = format!("{}{law}", laws_path(locale));
            answers.extend([twin_path(&path), path].map(|path| (path, AddressTarget::Fixed)));
        }
        let mut absent = BTreeMap::new();
        for (path, times) in archive_paths(draft) {
            let is_there = draft.drafts || times.until(draft.now).is_some();
            let there = if is_there { &mut answers } else { &mut absent };
            there.insert(path, AddressTarget::Archive(times));
        }
        for record in &draft.records {
            let there = if is_published(draft, record) { &mut answers } else { &mut absent };
            if let Some(path) = draft.path(record) {
                there.extend(paths_beside(draft, record, &path).into_iter().map(|path| (path, AddressTarget::Fixed)));
                there.insert(path, AddressTarget::Page(record));
            }
        }
        Self { draft, answers, absent, moved: OnceCell::new(), lost: lost_addresses(draft) }
    }

    /// Returns whether `path` may be one of the unknown addresses.
    pub(super) fn may_answer(&self, path: &str) -> bool {
        let is_it = |(beginning, more): &(String, usize)| {
            path.strip_prefix(beginning.as_str()).is_some_and(|rest| rest.split('/').count() == *more)
        };
        self.lost.iter().any(is_it)
    }

    /// Returns whether `path` has the form of the archive of a year or of a category.
    pub(super) fn could_be_archive(&self, path: &str) -> bool {
        let path = path.strip_suffix(".md").unwrap_or(path);
        let categories = &self.draft.settings.categories;
        Locale::ALL.into_iter().any(|locale| {
            let section = self.draft.section(Kind::Publications, locale);
            let below = section.map(|section| format!("/{locale}/{}/", section.as_str()));
            below.and_then(|below| path.strip_prefix(&below)).is_some_and(|slug| {
                let is_it = |it: &CategoryDraft| it.slug[locale].as_ref().is_some_and(|it| it.value.as_str() == slug);
                is_year(slug) || categories.iter().any(is_it)
            })
        })
    }

    /// Returns the target of `path`, which may be that of a Markdown twin.
    pub(super) fn answer(&self, path: &str) -> Option<AddressTarget<'a>> {
        let absent = || self.absent.get(path).or_else(|| self.absent.get(path.strip_suffix(".md")?)).cloned();
        self.public_answer(path).or_else(absent)
    }

    /// Returns the target of `path` at the time of the build.
    pub(super) fn public_answer(&self, path: &str) -> Option<AddressTarget<'a>> {
        if let Some(answer) = self.answers.get(path) {
            return Some(answer.clone());
        }
        if path == twin_path("/") {
            return Some(AddressTarget::Fixed);
        }
        if let Some(answer) = path.strip_suffix(".md").and_then(|page| self.answers.get(page))
            && !matches!(answer, AddressTarget::Fixed)
        {
            return Some(answer.clone());
        }
        let moved = self.moved.get_or_init(|| redirects::of(self.draft));
        moved.get(path).map(|to| AddressTarget::Moved(to.clone()))
    }

    /// Returns every address with a target, in order, for suggestions.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.answers.keys().map(String::as_str)
    }
}

/// Returns the address of each archive and of its feeds, with the times at which the archive lists a publication.
fn archive_paths(draft: &Draft) -> BTreeMap<String, Times> {
    let mut all: BTreeMap<(Locale, ArchiveKind), Times> = BTreeMap::new();
    for record in &draft.records {
        for archive in archives(draft, record) {
            all.entry((record.locale, archive)).or_default().add(draft, record);
        }
    }
    let path = |locale: Locale, archive: ArchiveKind| {
        let section = draft.section(Kind::Publications, locale)?;
        Some(format!("/{locale}/{}/{}", section.as_str(), archive.slug(draft, locale)?))
    };
    let mut paths = BTreeMap::new();
    for ((locale, archive), times) in all {
        let Some(path) = path(locale, archive) else { continue };
        if matches!(archive, ArchiveKind::Category(_)) {
            paths.extend(FEEDS.map(|name| (format!("{path}{name}"), times.clone())));
        }
        paths.insert(path, times);
    }
    paths
}

/// Returns the prefixes of unknown addresses, as in [`Addresses`].
fn lost_addresses(draft: &Draft) -> BTreeSet<(String, usize)> {
    let below = |kind: Kind, locale: Locale| match draft.section(kind, locale) {
        Some(section) => (format!("/{locale}/{}/", section.as_str()), 1),
        None => (format!("/{locale}/"), 2),
    };
    let mut lost = BTreeSet::new();
    for record in draft.records.iter().filter(|record| record.kind.has_page()) {
        let locale = record.locale;
        if record.kind != Kind::Pages {
            // Both languages of a team member share current and former slugs.
            let has_lost_aliases = match record.kind {
                Kind::Team => record.shares_lost("aliases"),
                _ => record.lost.has("aliases"),
            };
            let has_section = draft.section(record.kind, locale).is_some();
            if !has_section || record.head.slug.is_none() || has_lost_aliases || is_listed_somewhere(draft, record) {
                lost.insert(below(record.kind, locale));
            }
        } else if record.lost.has("aliases") || (record.head.slug.is_none() && PageKind::of(&record.key).has_slug()) {
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
