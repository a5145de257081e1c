//! Checks of `site.toml` beyond the form of single values.

use std::collections::HashMap;

use content::{Kind, SETTINGS};
use contract::Locale;
use findings::{
    Code, Finding, Place, Span,
    messages::{self, Text},
    nearest,
};
use jiff::ToSpan;

use crate::Draft;

/// Days before the expiry of the security contact from which on it is reported.
const NOTICE: i64 = 30;

fn finding(code: Code, span: Span, message: Text) -> Finding {
    Finding::new(code, Place::new(SETTINGS, span), message)
}

pub(super) fn all(draft: &Draft, findings: &mut Vec<Finding>) {
    security(draft, findings);
    category_keys(draft, findings);
    category_slugs(draft, findings);
    category_areas(draft, findings);
}

/// Checks that the security contact is valid, and for at most a year.
fn security(draft: &Draft, findings: &mut Vec<Finding>) {
    let Some(expires) = &draft.settings.security_expires else { return };
    let today = draft.today();
    let latest = today.saturating_add(1.year()).to_string();
    let soon = today.saturating_add(NOTICE.days()).to_string();
    let day = expires.value.as_str();
    if day <= soon.as_str() {
        let message = if draft.has_security_contact() {
            messages::security_contact_expiring(day)
        } else {
            messages::security_contact_expired(day)
        };
        let found = finding(Code::SECURITY_EXPIRES, expires.span, message);
        findings.push(found.help(messages::security_contact_expiring_help(latest)));
    } else if day > latest.as_str() {
        let message = messages::security_contact_too_far(day);
        let found = finding(Code::SECURITY_TOO_FAR, expires.span, message);
        findings.push(found.help(messages::security_contact_too_far_help(latest)));
    }
}

fn category_keys(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut first: HashMap<&str, Span> = HashMap::new();
    for key in draft.settings.categories.iter().filter_map(|category| category.key.as_ref()) {
        if let Some(earlier) = first.get(key.value.as_str()) {
            let found = finding(Code::CATEGORY_TWICE, key.span, messages::category_twice(&key.value));
            findings.push(found.related(Place::new(SETTINGS, *earlier), messages::category_first_here()));
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
            let message = messages::address_of_year(value);
            findings.push(finding(Code::CATEGORY_SLUG, slug.span, message).help(messages::category_of_year_help()));
        }
        if let Some(earlier) = first.get(&(locale, value)) {
            let message = messages::category_slug_twice(value, locale);
            let found = finding(Code::CATEGORY_SLUG, slug.span, message);
            findings.push(found.related(Place::new(SETTINGS, *earlier), messages::category_slug_first_here()));
        } else {
            first.insert((locale, value), slug.span);
        }
    }
}

fn category_areas(draft: &Draft, findings: &mut Vec<Finding>) {
    for area in draft.settings.categories.iter().filter_map(|category| category.practice_area.as_ref()) {
        if !draft.has(Kind::PracticeAreas, &area.value) {
            let message = messages::practice_area_unknown(&area.value);
            let found = finding(Code::UNKNOWN_PRACTICE_AREA, area.span, message);
            let word = nearest(&area.value, draft.keys(Kind::PracticeAreas));
            findings.push(found.did_you_mean(word).help(messages::practice_area_unknown_help()));
        }
    }
}
