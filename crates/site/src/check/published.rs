//! The entries and archives that a draft publishes, and their times.

use content::{At, CategoryDraft, Kind, Record, author_keys};
use contract::{Locale, routes, text::Date};
use jiff::Timestamp;

use crate::{Draft, PageKind, Status, card_paths};

/// The feeds of a person or a category, below the address of the page.
pub(super) const FEEDS: [&str; 2] = [routes::ATOM, routes::JSON_FEED];

/// Returns whether an entry is published, or its status is unknown.
pub(super) fn is_published(draft: &Draft, record: &Record) -> bool {
    matches!(draft.status(record), Status::Published | Status::Unknown)
}

/// Returns the moment at which an entry expires.
pub(super) fn expires(record: &Record) -> Option<Timestamp> {
    record.values.get("expires").map(|expires| expires.value)
}

/// Returns the addresses of an entry's cards and feeds.
pub(super) fn paths_beside(draft: &Draft, record: &Record, path: &str) -> Vec<String> {
    let is_author = |article: &Record| {
        article.locale == record.locale
            && article.has("date")
            && is_published(draft, article)
            && author_keys(&article.values).contains(&record.key)
    };
    let mut cards = Vec::new();
    let mut besides = Vec::new();
    if record.kind == Kind::Team {
        cards.extend((record.has("email") || record.has("telephone")).then(|| path.to_owned()));
        if draft.of_kind(Kind::Publications).iter().any(is_author) {
            besides.extend(FEEDS.map(|name| format!("{path}{name}")));
        }
    } else if record.kind == Kind::Pages && PageKind::of(&record.key) == PageKind::Contact {
        let contact = draft.of_kind(Kind::Contact).iter().find(|of| of.locale == record.locale);
        let offices = contact.into_iter().flat_map(|contact| contact.values.groups("offices"));
        let keys = offices.filter_map(|office| office.value.get("key"));
        cards.extend(keys.map(|key: At<String>| format!("{path}/{}", key.value)));
        cards.push(path.to_owned());
    }
    besides.extend(cards.iter().flat_map(|path| card_paths(path)));
    besides
}

/// Disjoint spans of time in which something is published.
#[derive(Clone, Default)]
pub(super) struct Times(Vec<(Timestamp, Timestamp)>);

impl Times {
    /// Adds the span in which an entry is published.
    pub(super) fn add(&mut self, draft: &Draft, record: &Record) {
        let until = expires(record).unwrap_or(Timestamp::MAX);
        let (mut from, mut until) = match draft.status(record) {
            Status::Draft => return,
            // Unreadable fields allow no conclusion.
            Status::Unknown => (Timestamp::MIN, Timestamp::MAX),
            // `--drafts` ignores `publish`.
            _ if draft.drafts => (Timestamp::MIN, until),
            _ => (record.values.get("publish").map_or(Timestamp::MIN, |publish| publish.value), until),
        };
        if from >= until {
            return;
        }
        self.0.retain(|(first, last)| {
            let is_apart = *last < from || until < *first;
            if !is_apart {
                (from, until) = (from.min(*first), until.max(*last));
            }
            is_apart
        });
        self.0.push((from, until));
    }

    /// Returns the end of the span that contains `moment`; [`Timestamp::MAX`] if it has no end.
    pub(super) fn until(&self, moment: Timestamp) -> Option<Timestamp> {
        self.0.iter().find(|(from, until)| (*from..*until).contains(&moment)).map(|(_, until)| *until)
    }
}

/// A list of publications.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArchiveKind {
    Year(u16),
    /// Index of the category in the settings.
    Category(usize),
}

impl ArchiveKind {
    /// Returns the last part of the archive's address.
    pub(super) fn slug(self, draft: &Draft, locale: Locale) -> Option<String> {
        Some(match self {
            Self::Year(year) => format!("{year:04}"),
            Self::Category(at) => draft.settings.categories.get(at)?.slug[locale].as_ref()?.value.as_str().to_owned(),
        })
    }

    pub(super) fn former_slugs(self, draft: &Draft) -> impl Iterator<Item = &str> {
        let category = match self {
            Self::Year(_) => None,
            Self::Category(at) => draft.settings.categories.get(at),
        };
        category.into_iter().flat_map(|category| &category.aliases).map(|alias| alias.value.as_str())
    }
}

/// Returns the index in the settings of the category with this key.
fn category_of(draft: &Draft, name: &str) -> Option<usize> {
    let is_it = |it: &CategoryDraft| it.key.as_ref().is_some_and(|key| key.value == name);
    draft.settings.categories.iter().rposition(is_it)
}

/// Returns whether an unknown archive lists the publication, because its date or category is unreadable or unknown.
pub(super) fn is_listed_somewhere(draft: &Draft, record: &Record) -> bool {
    record.kind == Kind::Publications
        && (["date", "category"].into_iter().any(|field| record.shares_lost(field))
            || record
                .values
                .get("category")
                .is_some_and(|named: At<String>| category_of(draft, &named.value).is_none()))
}

/// Returns the archives that list a publication.
pub(super) fn archives(draft: &Draft, record: &Record) -> impl Iterator<Item = ArchiveKind> {
    let date = record.values.get::<Date>("date");
    let category = record.values.get("category").and_then(|named: At<String>| category_of(draft, &named.value));
    date.map(|date| ArchiveKind::Year(date.value.year())).into_iter().chain(category.map(ArchiveKind::Category))
}
