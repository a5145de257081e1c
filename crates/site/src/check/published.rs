//! What will be published of a draft: which entries, and which archives list them, and at what times.

use content::{CategoryDraft, Facts, Kind, Record};
use contract::Locale;
use jiff::Timestamp;

use crate::{Draft, Status};

/// Returns whether an entry has an address, as far as is known.
pub(super) fn is_published(draft: &Draft, record: &Record) -> bool {
    matches!(draft.status(record), Status::Published | Status::Unknown)
}

/// Returns the moment at which an entry expires, if it has one.
pub(super) fn expires(record: &Record) -> Option<Timestamp> {
    let Some(Facts::Article(facts)) = &record.facts else { return None };
    facts.expires.as_ref().map(|expires| expires.value)
}

/// The stretches of time in which there is something, apart from each other.
#[derive(Clone, Default)]
pub(super) struct Times(Vec<(Timestamp, Timestamp)>);

impl Times {
    /// Adds those in which an entry is published.
    pub(super) fn add(&mut self, draft: &Draft, record: &Record) {
        let until = expires(record).unwrap_or(Timestamp::MAX);
        let (mut from, mut until) = match (draft.status(record), &record.facts) {
            (Status::Draft, _) => return,
            // Nothing is concluded from what could not be read.
            (Status::Unknown, _) => (Timestamp::MIN, Timestamp::MAX),
            // With `--drafts` nothing waits.
            (_, Some(Facts::Article(facts))) if !draft.drafts => {
                (facts.publish.as_ref().map_or(Timestamp::MIN, |publish| publish.value), until)
            }
            _ => (Timestamp::MIN, until),
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

    /// Returns how long it lasts if it is there at `moment`; what does not end lasts until [`Timestamp::MAX`].
    pub(super) fn until(&self, moment: Timestamp) -> Option<Timestamp> {
        self.0.iter().find(|(from, until)| (*from..*until).contains(&moment)).map(|(_, until)| *until)
    }
}

/// A list of publications.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Archive {
    Year(u16),
    /// A category, by its index in the settings.
    Category(usize),
}

impl Archive {
    /// Returns the last part of its address.
    pub(super) fn slug(self, draft: &Draft, locale: Locale) -> Option<String> {
        Some(match self {
            Self::Year(year) => format!("{year:04}"),
            Self::Category(at) => draft.settings.categories.get(at)?.slug[locale].as_ref()?.value.as_str().to_owned(),
        })
    }
}

/// Returns the category with this key, by its index in the settings.
fn category_of(draft: &Draft, name: &str) -> Option<usize> {
    let is_it = |it: &CategoryDraft| it.key.as_ref().is_some_and(|key| key.value == name);
    draft.settings.categories.iter().rposition(is_it)
}

/// Returns whether an archive lists a publication without it being known which one.
pub(super) fn is_listed_somewhere(draft: &Draft, record: &Record) -> bool {
    record.kind == Kind::Publications
        && (["date", "category"].into_iter().any(|field| record.shares_lost(field))
            || matches!(&record.facts, Some(Facts::Article(facts))
                if facts.category.as_ref().is_some_and(|named| category_of(draft, &named.value).is_none())))
}

/// Returns the archives that list a publication.
pub(super) fn archives(draft: &Draft, record: &Record) -> impl Iterator<Item = Archive> {
    let (date, category) = match &record.facts {
        Some(Facts::Article(facts)) => (facts.date.as_ref(), facts.category.as_ref()),
        _ => (None, None),
    };
    let category = category.and_then(|named| category_of(draft, &named.value));
    date.map(|date| Archive::Year(date.value.year())).into_iter().chain(category.map(Archive::Category))
}
