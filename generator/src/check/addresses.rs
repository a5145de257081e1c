//! Checks that every address leads to only one thing.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};

use contract::{Locale, text::Slug};

use crate::{
    diagnostic::{Code, Finding, Place},
    site::{Draft, Status},
    source::{At, Kind, Record},
};

/// Slugs directly below a locale that the service reserves for itself.
const RESERVED: [&str; 2] = ["404", "search"];

/// What to do with a former slug that cannot redirect: it is history, and so cannot be changed.
const REMOVE: &str = "remove it from `aliases`";

/// Entries that have an address now or will have one.
fn lasting(draft: &Draft) -> impl Iterator<Item = &Record> {
    draft.records.iter().filter(|record| !matches!(draft.status(record), Status::Expired(_) | Status::Unknown))
}

/// Returns the slug of an entry and its former ones, each with whether it is a former one.
fn present_and_former(record: &Record) -> impl Iterator<Item = (&At<Slug>, bool)> {
    let former = record.head.aliases.iter().map(|alias| (alias, true));
    record.head.slug.iter().map(|slug| (slug, false)).chain(former)
}

/// Returns whether a slug is that of a year's archive.
pub(super) fn is_year(slug: &str) -> bool {
    slug.len() == 4 && slug.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks the slugs within a kind and a locale.
pub(super) fn slugs(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut taken: HashMap<(Kind, Locale, &str), (&Record, &At<Slug>)> = HashMap::new();
    for record in lasting(draft) {
        let Some(slug) = &record.head.slug else { continue };
        match taken.entry((record.kind, record.locale, slug.value.as_str())) {
            Entry::Vacant(entry) => {
                entry.insert((record, slug));
            }
            Entry::Occupied(entry) if !slug.inherited => {
                let (other, first) = *entry.get();
                let message = format!("slug `{}` is taken by {} `{}`", slug.value, other.kind.noun(), other.key);
                let finding = Finding::new(Code::SLUG_TWICE, record.place(slug.span), message);
                findings.push(relate(finding, other, first).help("give one of the two another slug"));
            }
            Entry::Occupied(_) => {}
        }
    }
}

fn relate(finding: Finding, other: &Record, slug: &At<Slug>) -> Finding {
    match slug.written_here() {
        Some(slug) => finding.related(other.place(slug.span), "the slug is given here"),
        None => finding.related(Place::file(other.file.as_str()), "it is inherited here"),
    }
}

/// Checks for addresses of the service. Only pages can collide with them: every other address is below that of a page.
pub(super) fn reserved(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Pages) {
        for (slug, is_former) in present_and_former(record) {
            if RESERVED.contains(&slug.value.as_str()) {
                let message = format!("`/{}/{}` belongs to the service", record.locale, slug.value);
                let finding = Finding::new(Code::RESERVED_ADDRESS, record.place(slug.span), message);
                findings.push(finding.help(if is_former { REMOVE } else { "choose another slug" }));
            }
        }
    }
}

/// Checks former slugs.
pub(super) fn aliases(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut taken: HashMap<(Kind, Locale, &str), (&Record, &At<Slug>)> = HashMap::new();
    for record in lasting(draft) {
        if let Some(slug) = &record.head.slug {
            taken.entry((record.kind, record.locale, slug.value.as_str())).or_insert((record, slug));
        }
    }
    for record in lasting(draft) {
        for alias in &record.head.aliases {
            // It is reported where it is written: shared slugs collide in both languages.
            let Some(place) = alias.written_here().map(|alias| record.place(alias.span)) else {
                taken.entry((record.kind, record.locale, alias.value.as_str())).or_insert((record, alias));
                continue;
            };
            let value = &alias.value;
            match taken.entry((record.kind, record.locale, value.as_str())) {
                Entry::Vacant(entry) => {
                    entry.insert((record, alias));
                }
                Entry::Occupied(entry) if std::ptr::eq(entry.get().0, record) => {
                    let finding = Finding::new(Code::ALIAS_IS_CURRENT, place, format!("`{value}` is the current slug"));
                    findings.push(finding.help(REMOVE));
                }
                Entry::Occupied(entry) => {
                    let (other, slug) = *entry.get();
                    let message = format!("former slug `{value}` belongs to {} `{}`", other.kind.noun(), other.key);
                    let finding = relate(Finding::new(Code::ALIAS_TAKEN, place, message), other, slug);
                    findings.push(finding.help("an address leads to one page: remove one of the two"));
                }
            }
        }
    }
}

/// Checks the archives of years and categories, which share a level with the publications.
pub(super) fn archives(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut categories: BTreeMap<(Locale, &str), &str> = BTreeMap::new();
    for category in &draft.settings.categories {
        for (locale, slug) in category.slug.iter() {
            if let (Some(slug), Some(key)) = (slug, &category.key) {
                categories.entry((locale, slug.value.as_str())).or_insert(key.value.as_str());
            }
        }
    }
    for record in lasting(draft).filter(|record| record.kind == Kind::Publications) {
        for (slug, is_former) in present_and_former(record) {
            let place = record.place(slug.span);
            let value = slug.value.as_str();
            if is_year(value) {
                let message = format!("`{value}` is the address of the year's archive");
                let finding = Finding::new(Code::SLUG_IS_A_YEAR, place, message);
                let another = format!("add a word, such as `{value}-in-review`");
                findings.push(finding.help(if is_former { REMOVE } else { another.as_str() }));
            } else if let Some(category) = categories.get(&(record.locale, value)) {
                let message = format!("`{value}` is the address of category `{category}`");
                let finding = Finding::new(Code::SLUG_IS_A_CATEGORY, place, message);
                findings.push(finding.help(if is_former { REMOVE } else { "give the publication a slug of its own" }));
            }
        }
    }
}
