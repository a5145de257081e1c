//! Checks of the addresses in the contact entry.

use std::collections::HashMap;

use content::{At, Kind, Record, Values};
use contract::Locale;
use findings::{Code, Finding, Span, messages};

use crate::Draft;

pub(super) fn all(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Contact).iter().filter(|record| record.is_readable()) {
        let has_offices = !record.values.groups("offices").is_empty();
        match record.values.find("address") {
            None if !has_offices && !["address", "offices"].iter().any(|it| record.shares_lost(it)) => {
                let message = messages::required_field_missing("address");
                findings.push(Finding::new(Code::MISSING_FIELD, record.place(Span::START), message));
            }
            Some(address) if has_offices => {
                let message = messages::address_beside_offices();
                let finding = Finding::new(Code::OFFICES, record.place(address.span), message);
                findings.push(finding.help(messages::address_beside_offices_help()));
            }
            _ => {}
        }
        keys(record, findings);
        // A part missing from both files is reported once, in the first.
        let is_reported = |twin: &Record| twin.locale < record.locale && lists_offices(twin);
        if !draft.twin(record).is_some_and(is_reported) {
            parts(record, findings);
        }
    }
}

/// Warns if a language inherits the offices of the other without listing their keys.
pub(super) fn translated(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Contact) {
        let is_reported = |twin: &Record| lists_offices(twin) || twin.shares_lost("offices");
        if !lists_offices(record) || draft.twin(record).is_none_or(is_reported) {
            continue;
        }
        // Addresses in Türkiye are written in Turkish in both languages.
        let is_foreign = |country: At<String>| record.locale == Locale::En || country.value != "TR";
        let mut offices = record.values.groups("offices").iter();
        let Some(office) = offices.find(|it| it.value.get("country").is_some_and(is_foreign)) else { continue };
        let other = record.locale.other();
        let message = messages::offices_untranslated(messages::language(other), messages::language(record.locale));
        let finding = Finding::new(Code::OFFICES_NOT_TRANSLATED, record.place(office.span), message);
        let keys = record.values.groups("offices").iter().filter_map(|it| it.value.get("key"));
        let keys: Vec<String> = keys.map(|key: At<String>| format!("{{ key: {} }}", key.value)).collect();
        findings.push(finding.help(messages::offices_untranslated_help(keys.join(", "))));
    }
}

fn lists_offices(record: &Record) -> bool {
    own_offices(record).next().is_some()
}

/// Returns the offices that this file lists.
fn own_offices(record: &Record) -> impl Iterator<Item = &At<Values>> {
    record.values.groups("offices").iter().filter(|office| !office.inherited)
}

fn keys(record: &Record, findings: &mut Vec<Finding>) {
    let mut first: HashMap<String, Span> = HashMap::new();
    for key in own_offices(record).filter_map(|office| office.value.get::<String>("key")) {
        if let Some(earlier) = first.get(&key.value) {
            let message = messages::office_twice(&key.value);
            let finding = Finding::new(Code::OFFICES, record.place(key.span), message);
            let finding = finding.related(record.place(*earlier), messages::office_first_here());
            findings.push(finding.help(messages::office_twice_help()));
        } else {
            first.insert(key.value, key.span);
        }
    }
}

/// Checks for the required parts of an address.
fn parts(record: &Record, findings: &mut Vec<Finding>) {
    for At { value: office, span, .. } in own_offices(record) {
        let parts = ["name", "street", "city", "country"].into_iter();
        for name in parts.filter(|name| office.find(name).is_none() && !office.has_failed(name)) {
            let message = messages::required_field_missing(format!("offices.{name}"));
            findings.push(Finding::new(Code::MISSING_FIELD, record.place(*span), message));
        }
    }
}
