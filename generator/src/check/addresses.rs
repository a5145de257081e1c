//! Every address leads to one thing.

use std::collections::{BTreeMap, HashMap};

use contract::{Locale, routes::JSON_PREFIXES};

use crate::{
    diagnostic::{Code, Finding},
    site::{Draft, Status},
    source::{At, Kind, Record},
};

/// Slugs directly below a locale that the service keeps for itself.
const RESERVED: [&str; 2] = ["404", "search"];

/// Entries that have an address now or will have one.
fn lasting(draft: &Draft) -> impl Iterator<Item = &Record> {
    draft.records.iter().filter(|record| !matches!(draft.status(record), Status::Expired(_)))
}

fn is_year(slug: &str) -> bool {
    slug.len() == 4 && slug.bytes().all(|byte| byte.is_ascii_digit())
}

/// Slugs within a kind and a locale.
pub(super) fn slugs(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut first: HashMap<(Kind, Locale, &str), &Record> = HashMap::new();
    for record in lasting(draft) {
        let Some(slug) = &record.head.slug else { continue };
        let place = record.place(slug.span);
        match first.get(&(record.kind, record.locale, slug.value.as_str())) {
            None => {
                first.insert((record.kind, record.locale, slug.value.as_str()), record);
            }
            Some(other) if !slug.inherited => {
                let message = format!("slug `{}` is taken by {} `{}`", slug.value, other.kind.noun(), other.key);
                let finding = Finding::new(Code::SLUG_TWICE, place, message);
                findings.push(relate(finding, other).help("give one of the two another slug"));
            }
            Some(_) => {}
        }
    }
}

fn relate(finding: Finding, other: &Record) -> Finding {
    match other.head.slug.as_ref().filter(|slug| !slug.inherited) {
        Some(slug) => finding.related(other.place(slug.span), "it stands here"),
        None => finding.related(other.place(crate::diagnostic::Span::START), "it stands in this entry"),
    }
}

/// Addresses across kinds, and addresses of the service.
pub(super) fn pages(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut first: HashMap<String, &Record> = HashMap::new();
    for record in lasting(draft) {
        let (Some(path), Some(slug)) = (draft.path(record), &record.head.slug) else { continue };
        let place = record.place(slug.span);
        let below_locale = path.get(4..).unwrap_or_default();
        if RESERVED.contains(&below_locale) || JSON_PREFIXES.iter().any(|prefix| path.starts_with(prefix)) {
            let finding = Finding::new(Code::RESERVED_ADDRESS, place, format!("`{path}` belongs to the service"));
            findings.push(finding.help("choose another slug"));
        } else if let Some(other) = first.get(&path).filter(|other| other.kind != record.kind) {
            let message = format!("`{path}` is also the address of {} `{}`", other.kind.noun(), other.key);
            findings.push(relate(Finding::new(Code::ADDRESS_TWICE, place, message), other));
        } else {
            first.entry(path).or_insert(record);
        }
    }
}

/// Former slugs.
pub(super) fn aliases(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut current: HashMap<(Kind, Locale, &str), &Record> = HashMap::new();
    for record in lasting(draft) {
        if let Some(slug) = &record.head.slug {
            current.entry((record.kind, record.locale, slug.value.as_str())).or_insert(record);
        }
    }
    let mut former: HashMap<(Kind, Locale, &str), &Record> = HashMap::new();
    for record in lasting(draft) {
        for At { value, span, .. } in &record.head.aliases {
            let name = (record.kind, record.locale, value.as_str());
            let place = record.place(*span);
            let other = current.get(&name).or_else(|| former.get(&name));
            match other {
                Some(other) if std::ptr::eq(*other, record) => {
                    let finding = Finding::new(Code::ALIAS_IS_CURRENT, place, format!("`{value}` is the current slug"));
                    findings.push(finding.help("remove it from `aliases`"));
                }
                Some(other) => {
                    let message = format!("former slug `{value}` belongs to {} `{}`", other.kind.noun(), other.key);
                    findings.push(relate(Finding::new(Code::ALIAS_TAKEN, place, message), other));
                }
                None => {
                    former.insert(name, record);
                }
            }
        }
    }
}

/// Archives of years and categories stand beside the publications.
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
        for slug in record.head.slug.iter().chain(&record.head.aliases) {
            let place = record.place(slug.span);
            let value = slug.value.as_str();
            if is_year(value) {
                let message = format!("`{value}` is the address of the year's archive");
                let finding = Finding::new(Code::SLUG_IS_A_YEAR, place, message);
                findings.push(finding.help(format!("add a word, such as `{value}-in-review`")));
            } else if let Some(category) = categories.get(&(record.locale, value)) {
                let message = format!("`{value}` is the address of category `{category}`");
                let finding = Finding::new(Code::SLUG_IS_A_CATEGORY, place, message);
                findings.push(finding.help("give the publication a slug of its own"));
            }
        }
    }
}
