//! What will be published of a draft: which entries, and which archives list them.

use contract::Locale;

use crate::{
    site::{Draft, Status},
    source::{CategoryDraft, Facts, Kind, Record},
};

/// Returns whether an entry has an address, as far as is known.
pub(super) fn is_published(draft: &Draft, record: &Record) -> bool {
    matches!(draft.status(record), Status::Published | Status::Unknown)
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
