//! Checks of `site.toml`, beyond the form of its values.

use std::collections::HashMap;

use contract::Locale;
use jiff::ToSpan;

use crate::{
    diagnostic::{Code, Finding, Place, Span, nearest},
    site::Draft,
    source::{Kind, SETTINGS},
};

/// Days before the end of the security contact from which on a new date is asked for.
const NOTICE: i64 = 30;

fn finding(code: Code, span: Span, message: String) -> Finding {
    Finding::new(code, Place::new(SETTINGS, span), message)
}

pub(super) fn all(draft: &Draft, findings: &mut Vec<Finding>) {
    security(draft, findings);
    category_keys(draft, findings);
    category_slugs(draft, findings);
    category_areas(draft, findings);
}

/// Checks that the security contact is valid now and is confirmed once a year.
fn security(draft: &Draft, findings: &mut Vec<Finding>) {
    let Some(expires) = &draft.settings.security_expires else { return };
    let today = draft.today();
    let latest = today.saturating_add(1.year()).to_string();
    let soon = today.saturating_add(NOTICE.days()).to_string();
    let day = expires.value.as_str();
    if day <= soon.as_str() {
        let message = if draft.has_security_contact() {
            format!("the security contact expires on {day}")
        } else {
            format!("the security contact expired on {day}; security.txt is left out")
        };
        let found = finding(Code::SECURITY_EXPIRES, expires.span, message);
        findings.push(found.help(format!("confirm the contact, and write a day no later than {latest}")));
    } else if day > latest.as_str() {
        let message = format!("the security contact expires on {day}, in more than a year");
        let found = finding(Code::SECURITY_TOO_FAR, expires.span, message);
        findings.push(found.help(format!("the latest day is {latest}")));
    }
}

fn category_keys(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut first: HashMap<&str, Span> = HashMap::new();
    for key in draft.settings.categories.iter().filter_map(|category| category.key.as_ref()) {
        if let Some(earlier) = first.get(key.value.as_str()) {
            let found = finding(Code::CATEGORY_TWICE, key.span, format!("category `{}` is defined twice", key.value));
            findings.push(found.related(Place::new(SETTINGS, *earlier), "first defined here"));
        } else {
            first.insert(key.value.as_str(), key.span);
        }
    }
}

fn category_slugs(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut first: HashMap<(Locale, &str), Span> = HashMap::new();
    let slugs = draft.settings.categories.iter().flat_map(|category| category.slug.iter());
    for (locale, slug) in slugs.filter_map(|(locale, slug)| Some((locale, slug.as_ref()?))) {
        let value = slug.value.as_str();
        if value.len() == 4 && value.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("`{value}` is the address of the year's archive");
            findings.push(finding(Code::CATEGORY_SLUG, slug.span, message).help("add a word to the slug"));
        }
        if let Some(earlier) = first.get(&(locale, value)) {
            let message = format!("two categories have the slug `{value}` ({locale})");
            let found = finding(Code::CATEGORY_SLUG, slug.span, message);
            findings.push(found.related(Place::new(SETTINGS, *earlier), "first used here"));
        } else {
            first.insert((locale, value), slug.span);
        }
    }
}

fn category_areas(draft: &Draft, findings: &mut Vec<Finding>) {
    for area in draft.settings.categories.iter().filter_map(|category| category.practice_area.as_ref()) {
        if !draft.has(Kind::PracticeAreas, &area.value) {
            let message = format!("practice area `{}` does not exist", area.value);
            let found = finding(Code::UNKNOWN_PRACTICE_AREA, area.span, message);
            let word = nearest(&area.value, draft.keys(Kind::PracticeAreas));
            findings.push(found.did_you_mean(word).help("it is the name of a folder below `practice-areas/`"));
        }
    }
}
