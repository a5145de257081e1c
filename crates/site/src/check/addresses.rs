//! Checks that addresses are unique.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    ops::RangeInclusive,
};

use content::{At, CategoryDraft, Kind, Record};
use contract::{Locale, routes, text::Slug};
use findings::{
    Code, Finding, Place,
    messages::{self, Text},
};

use crate::{Draft, PageKind, Status, laws_path};

/// Reserved slugs directly below a locale.
const RESERVED: [&str; 1] = ["404"];

/// Returns the entries with a present or future address.
fn lasting_entries(draft: &Draft) -> impl Iterator<Item = &Record> {
    draft.records.iter().filter(|record| !matches!(draft.status(record), Status::Expired(_) | Status::Unknown))
}

/// Returns the current and former slugs of an entry; the flag is set for former ones.
fn present_and_former(record: &Record) -> impl Iterator<Item = (&At<Slug>, bool)> {
    let former = record.head.aliases.iter().map(|alias| (alias, true));
    record.head.slug.iter().map(|slug| (slug, false)).chain(former)
}

/// Years that articles have. Other numbers of four digits may be those of laws.
const YEARS: RangeInclusive<u16> = 1900..=2199;

/// Returns whether a slug is the archive of a year.
pub(super) fn is_year(slug: &str) -> bool {
    slug.len() == 4 && slug.parse().is_ok_and(|year| YEARS.contains(&year))
}

/// Checks that slugs are unique within a kind and a locale.
pub(super) fn slugs(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut taken: HashMap<(Kind, Locale, &str), (&Record, &At<Slug>)> = HashMap::new();
    for record in lasting_entries(draft) {
        let Some(slug) = &record.head.slug else { continue };
        match taken.entry((record.kind, record.locale, slug.value.as_str())) {
            Entry::Vacant(entry) => {
                entry.insert((record, slug));
            }
            Entry::Occupied(entry) if !slug.inherited => {
                let (other, first) = *entry.get();
                let message = messages::slug_taken(&slug.value, other.kind.noun(), &other.key);
                let finding = Finding::new(Code::SLUG_TWICE, record.place(slug.span), message);
                findings.push(relate(finding, other, first).help(messages::slug_taken_help()));
            }
            Entry::Occupied(_) => {}
        }
    }
}

fn relate(finding: Finding, other: &Record, slug: &At<Slug>) -> Finding {
    if slug.is_written_here() {
        finding.related(other.place(slug.span), messages::slug_given_here())
    } else {
        finding.related(Place::file(other.file.as_str()), messages::slug_inherited_here())
    }
}

/// Returns the remedy for a slug; a former one can only be removed.
fn remedy(is_former: bool, of_current: Text) -> Text {
    if is_former { messages::alias_removal_help() } else { of_current }
}

/// Checks for reserved addresses, with which only pages can collide: all other addresses are below that of a page. Below
/// the path of the laws no section may have its entries.
pub(super) fn reserved(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Pages) {
        for (slug, is_former) in present_and_former(record) {
            let is_section =
                matches!(PageKind::of(&record.key), PageKind::PracticeAreas | PageKind::Team | PageKind::Publications);
            let of_laws = laws_path(record.locale).split('/').nth(2);
            if RESERVED.contains(&slug.value.as_str()) || is_section && of_laws == Some(slug.value.as_str()) {
                let message = messages::address_reserved(record.locale, &slug.value);
                let finding = Finding::new(Code::RESERVED_ADDRESS, record.place(slug.span), message);
                findings.push(finding.help(remedy(is_former, messages::address_reserved_help())));
            }
        }
    }
}

/// Checks former slugs and addresses of a former site.
pub(super) fn aliases(draft: &Draft, findings: &mut Vec<Finding>) {
    former_addresses(draft, findings);
    let mut taken: HashMap<(Kind, Locale, &str), (&Record, &At<Slug>)> = HashMap::new();
    for record in lasting_entries(draft) {
        if let Some(slug) = &record.head.slug {
            taken.entry((record.kind, record.locale, slug.value.as_str())).or_insert((record, slug));
        }
    }
    for record in lasting_entries(draft) {
        for alias in &record.head.aliases {
            // Shared slugs collide in both languages, and are reported only where they are written.
            let Some(place) = alias.is_written_here().then(|| record.place(alias.span)) else {
                taken.entry((record.kind, record.locale, alias.value.as_str())).or_insert((record, alias));
                continue;
            };
            let value = &alias.value;
            match taken.entry((record.kind, record.locale, value.as_str())) {
                Entry::Vacant(entry) => {
                    entry.insert((record, alias));
                }
                Entry::Occupied(entry) if std::ptr::eq(entry.get().0, record) => {
                    let finding = Finding::new(Code::ALIAS_IS_CURRENT, place, messages::alias_current(value));
                    findings.push(finding.help(messages::alias_removal_help()));
                }
                Entry::Occupied(entry) => {
                    let (other, slug) = *entry.get();
                    let message = messages::alias_taken(value, other.kind.noun(), &other.key);
                    let finding = relate(Finding::new(Code::ALIAS_TAKEN, place, message), other, slug);
                    findings.push(finding.help(messages::alias_taken_help()));
                }
            }
        }
    }
}

fn former_addresses(draft: &Draft, findings: &mut Vec<Finding>) {
    let entries = || lasting_entries(draft).filter(|record| !record.head.former.is_empty());
    if entries().next().is_none() {
        return;
    }
    let pages =
        lasting_entries(draft).filter_map(|record| Some((draft.path(record)?, (record, record.head.slug.as_ref()))));
    let pages: HashMap<String, (&Record, Option<&At<Slug>>)> = pages.collect();
    let mut taken: HashMap<&str, (&Record, &At<String>)> = HashMap::new();
    for record in entries() {
        for address in record.head.former.iter().filter(|address| address.is_written_here()) {
            let (place, value) = (record.place(address.span), address.value.as_str());
            let finding = if routes::is_of_service(value) {
                Finding::new(Code::RESERVED_ADDRESS, place, messages::former_address_reserved(value))
                    .help(messages::alias_removal_help())
            } else if pages.get(value).is_some_and(|(other, _)| std::ptr::eq(*other, record)) {
                Finding::new(Code::ALIAS_IS_CURRENT, place, messages::alias_current(value))
                    .help(messages::alias_removal_help())
            } else if let Some((other, slug)) = pages.get(value) {
                let message = messages::alias_taken(value, other.kind.noun(), &other.key);
                let finding = Finding::new(Code::ALIAS_TAKEN, place, message);
                let finding = match slug {
                    Some(slug) => relate(finding, other, slug),
                    None => finding,
                };
                finding.help(messages::alias_removal_help())
            } else if let Some((other, first)) = taken.insert(value, (record, address)) {
                let message = messages::alias_taken(value, other.kind.noun(), &other.key);
                let finding = Finding::new(Code::ALIAS_TAKEN, place, message);
                finding.related(other.place(first.span), messages::slug_given_here()).help(messages::alias_taken_help())
            } else {
                continue;
            };
            findings.push(finding);
        }
    }
}

/// Checks publications against the archives of years and categories, which share a level with them.
pub(super) fn archives(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut categories: BTreeMap<(Locale, &str), &str> = BTreeMap::new();
    for category in &draft.settings.categories {
        for (locale, slug) in category.slug.iter() {
            if let (Some(slug), Some(key)) = (slug, &category.key) {
                categories.entry((locale, slug.value.as_str())).or_insert(key.value.as_str());
            }
        }
    }
    former_categories(draft, findings);
    for record in lasting_entries(draft).filter(|record| record.kind == Kind::Publications) {
        for (slug, is_former) in present_and_former(record) {
            let place = record.place(slug.span);
            let value = slug.value.as_str();
            if is_year(value) {
                let message = messages::address_of_year(value);
                let finding = Finding::new(Code::SLUG_IS_A_YEAR, place, message);
                findings.push(finding.help(remedy(is_former, messages::address_of_year_help(value))));
            } else if let Some(category) = categories.get(&(record.locale, value)) {
                let message = messages::address_of_category(value, category);
                let finding = Finding::new(Code::SLUG_IS_A_CATEGORY, place, message);
                findings.push(finding.help(remedy(is_former, messages::address_of_category_help())));
            }
        }
    }
}

/// Checks the former slugs of categories. Each is free in every language in which it is not the category's present one.
fn former_categories(draft: &Draft, findings: &mut Vec<Finding>) {
    let categories = &draft.settings.categories;
    let is_slug = |category: &CategoryDraft, locale: Locale, value: &Slug| {
        category.slug[locale].as_ref().is_some_and(|slug| slug.value == *value)
    };
    for (at, category) in categories.iter().enumerate() {
        for (number, alias) in category.aliases.iter().enumerate() {
            let value = &alias.value;
            let locales: Vec<Locale> = Locale::ALL.into_iter().filter(|it| !is_slug(category, *it, value)).collect();
            let is_repeated = category.aliases[..number].contains(alias);
            let other = categories.iter().enumerate().find(|(place, other)| {
                *place != at && (other.aliases.contains(alias) || locales.iter().any(|it| is_slug(other, *it, value)))
            });
            let article = || {
                let articles = lasting_entries(draft).filter(|record| record.kind == Kind::Publications);
                let mut articles = articles.filter(|record| locales.contains(&record.locale));
                articles.find(|record| present_and_former(record).any(|(slug, _)| slug.value == *value))
            };
            let (code, message) = if locales.is_empty() || is_repeated {
                (Code::ALIAS_IS_CURRENT, messages::alias_current(value))
            } else if let Some((_, other)) = other {
                let key = other.key.as_ref().map_or("", |key| key.value.as_str());
                (Code::ALIAS_TAKEN, messages::address_of_category(value, key))
            } else if let Some(article) = article() {
                (Code::ALIAS_TAKEN, messages::alias_taken(value, article.kind.noun(), &article.key))
            } else {
                continue;
            };
            let finding = Finding::new(code, Place::new(content::SETTINGS, alias.span), message);
            findings.push(finding.help(messages::alias_removal_help()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_a_law_is_no_year() {
        assert!(["1996", "2026", "2100"].into_iter().all(is_year));
        assert!(["7531", "1136", "6098", "202", "20266", "kira"].into_iter().all(|slug| !is_year(slug)));
    }
}
