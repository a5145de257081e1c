//! Every public address of the site, and what answers there.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use content::{Agents, CategoryDraft, Facts, Kind, Record};
use contract::{Locale, routes};

use super::{
    addresses::is_year,
    published::{Archive, Times, archives, is_listed_somewhere, is_published},
    redirects,
};
use crate::{Draft, PageKind, card_paths, twin_path, well_known};

/// Fixed addresses that do not depend on content.
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

/// The same of those that only a sidecar answers, or that describe what it does.
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

/// Addresses that exist in every locale, below its own address.
const OF_A_LOCALE: [&str; 5] =
    [routes::LLMS_TXT, routes::LLMS_FULL_TXT, routes::ATOM, routes::JSON_FEED, routes::OPENSEARCH];

/// The feeds of a person or a subject, below the address of its page.
const FEEDS: [&str; 2] = [routes::ATOM, routes::JSON_FEED];

/// What answers at an address.
#[derive(Clone)]
pub(super) enum Answer<'a> {
    /// The page of an entry; an entry that is not published yet or has expired counts only if nothing else answers.
    Page(&'a Record),
    /// A redirect to this path.
    Moved(String),
    /// An archive, and when any publication is in it; one that lists none at present counts only if nothing else
    /// answers.
    Archive(Times),
    /// A resource that has only one form and is not a page.
    Fixed,
}

/// The addresses of a site.
pub(super) struct Addresses<'a> {
    draft: &'a Draft,
    answers: BTreeMap<String, Answer<'a>>,
    /// The addresses of entries and archives that readers cannot see: not yet, or not any more.
    absent: BTreeMap<String, Answer<'a>>,
    /// Where redirects lead; collected when the first link needs it.
    moved: OnceCell<BTreeMap<String, String>>,
    /// Beginnings of addresses of which one is not known, because what determines it could not be read, and the number
    /// of segments that follow.
    lost: BTreeSet<(String, usize)>,
}

impl<'a> Addresses<'a> {
    /// Collects the addresses of everything that is published, not published yet, or expired.
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
            answers.insert(fixed.to_owned(), Answer::Fixed);
        }
        for locale in Locale::ALL {
            // Feeds are of the publications, and name their page.
            let has_feeds = draft.record(Kind::Pages, Kind::Publications.folder(), locale).is_some();
            let has_search = draft.record(Kind::Pages, "search", locale).is_some();
            let is_there = |name: &&str| match *name {
                routes::OPENSEARCH => has_search,
                routes::ATOM | routes::JSON_FEED => has_feeds,
                _ => true,
            };
            for name in OF_A_LOCALE.into_iter().filter(is_there) {
                answers.insert(routes::in_locale(locale, name), Answer::Fixed);
            }
        }
        answers.extend(well_known(draft).map(|(path, _)| (path, Answer::Fixed)));
        let mut absent = BTreeMap::new();
        for (path, times) in of_archives(draft) {
            let is_there = draft.drafts || times.until(draft.now).is_some();
            let there = if is_there { &mut answers } else { &mut absent };
            there.insert(path, Answer::Archive(times));
        }
        for record in &draft.records {
            let there = if is_published(draft, record) { &mut answers } else { &mut absent };
            if let Some(path) = draft.path(record) {
                there.extend(besides(draft, record, &path).into_iter().map(|path| (path, Answer::Fixed)));
                there.insert(path, Answer::Page(record));
            }
        }
        Self { draft, answers, absent, moved: OnceCell::new(), lost: lost(draft) }
    }

    /// Returns whether an address that is not known might be this one.
    pub(super) fn may_answer(&self, path: &str) -> bool {
        let is_it = |(beginning, more): &(String, usize)| {
            path.strip_prefix(beginning.as_str()).is_some_and(|rest| rest.split('/').count() == *more)
        };
        self.lost.iter().any(is_it)
    }

    /// Returns whether an address is, in form, that of the archive of a year or of a category.
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

    /// Returns what answers at `path`, which may be that of a Markdown twin.
    pub(super) fn answer(&self, path: &str) -> Option<Answer<'a>> {
        if let Some(answer) = self.answers.get(path) {
            return Some(answer.clone());
        }
        if path == twin_path("/") {
            return Some(Answer::Fixed);
        }
        if let Some(answer) = path.strip_suffix(".md").and_then(|page| self.answers.get(page))
            && !matches!(answer, Answer::Fixed)
        {
            return Some(answer.clone());
        }
        let moved = self.moved.get_or_init(|| redirects::of(self.draft));
        let absent = || self.absent.get(path).or_else(|| self.absent.get(path.strip_suffix(".md")?)).cloned();
        moved.get(path).map(|to| Answer::Moved(to.clone())).or_else(absent)
    }

    /// Returns every address that answers, in order, for a suggestion.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.answers.keys().map(String::as_str)
    }
}

/// Returns the addresses of what is published beside the page of an entry: its cards and feeds.
fn besides(draft: &Draft, record: &Record, path: &str) -> Vec<String> {
    let is_author = |article: &&Record| match &article.facts {
        Some(Facts::Article(facts))
            if facts.date.is_some() && article.locale == record.locale && is_published(draft, article) =>
        {
            let several = facts.authors.iter().flat_map(|authors| &authors.value);
            facts.author.iter().chain(several).any(|author| author.value == record.key)
        }
        _ => false,
    };
    let mut cards = Vec::new();
    let mut besides = Vec::new();
    match &record.facts {
        Some(Facts::Member(facts)) => {
            cards.extend((facts.email.is_some() || facts.telephone.is_some()).then(|| path.to_owned()));
            if draft.records.iter().any(|article| is_author(&article)) {
                besides.extend(FEEDS.map(|name| format!("{path}{name}")));
            }
        }
        Some(Facts::Page) if PageKind::of(&record.key) == PageKind::Contact => {
            let facts = draft.records.iter().filter(|of| of.locale == record.locale).find_map(|of| match &of.facts {
                Some(Facts::Contact(facts)) => Some(facts),
                _ => None,
            });
            let offices = facts.iter().flat_map(|facts| &facts.offices);
            let keys = offices.filter_map(|office| office.value.key.as_ref());
            cards.extend(keys.map(|key| format!("{path}/{}", key.value)));
            cards.push(path.to_owned());
        }
        _ => {}
    }
    besides.extend(cards.iter().flat_map(|path| card_paths(path)));
    besides
}

/// Returns the address of each archive that lists a publication at any time, and at what times it does; with those of
/// its feeds.
fn of_archives(draft: &Draft) -> BTreeMap<String, Times> {
    let mut all: BTreeMap<(Locale, Archive), Times> = BTreeMap::new();
    for record in &draft.records {
        for archive in archives(draft, record) {
            all.entry((record.locale, archive)).or_default().add(draft, record);
        }
    }
    let path = |locale: Locale, archive: Archive| {
        let section = draft.section(Kind::Publications, locale)?;
        Some(format!("/{locale}/{}/{}", section.as_str(), archive.slug(draft, locale)?))
    };
    let mut paths = BTreeMap::new();
    for ((locale, archive), times) in all {
        let Some(path) = path(locale, archive) else { continue };
        if matches!(archive, Archive::Category(_)) {
            paths.extend(FEEDS.map(|name| (format!("{path}{name}"), times.clone())));
        }
        paths.insert(path, times);
    }
    paths
}

/// Returns the beginnings of unknown addresses, in the form that [`Addresses`] keeps.
fn lost(draft: &Draft) -> BTreeSet<(String, usize)> {
    let below = |kind: Kind, locale: Locale| match draft.section(kind, locale) {
        Some(section) => (format!("/{locale}/{}/", section.as_str()), 1),
        None => (format!("/{locale}/"), 2),
    };
    let mut lost = BTreeSet::new();
    for record in draft.records.iter().filter(|record| record.kind.has_page()) {
        let locale = record.locale;
        if record.kind != Kind::Pages {
            // A team member has one slug, and the same former ones, in both languages.
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
