//! Checks of the addresses in the contact entry.

use std::collections::HashMap;

use content::{ContactFacts, Facts, Kind, Record};
use contract::Locale;
use findings::{Code, Finding, Span, messages};

use super::entries::language;
use crate::Draft;

pub(super) fn all(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Contact) {
        let Some(Facts::Contact(facts)) = &record.facts else { continue };
        match &facts.address {
            None if facts.offices.is_empty() && !["address", "offices"].iter().any(|it| record.shares_lost(it)) => {
                let message = messages::required_field_missing("address");
                findings.push(Finding::new(Code::MISSING_FIELD, record.place(Span::START), message));
            }
            Some(address) if !facts.offices.is_empty() => {
                let message = messages::address_beside_offices();
                let finding = Finding::new(Code::OFFICES, record.place(address.span), message);
                findings.push(finding.help(messages::address_beside_offices_help()));
            }
            _ => {}
        }
        keys(record, facts, findings);
        // A part missing from both files is reported once, in the first.
        let is_reported = |twin: &Record| twin.locale < record.locale && lists_offices(twin);
        if !draft.twin(record).is_some_and(is_reported) {
            parts(record, facts, findings);
        }
    }
}

/// Warns if a language inherits the offices of the other without listing their keys.
pub(super) fn translated(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Contact) {
        let Some(Facts::Contact(facts)) = &record.facts else { continue };
        let is_reported = |twin: &Record| lists_offices(twin) || twin.shares_lost("offices");
        if !lists_offices(record) || draft.twin(record).is_none_or(is_reported) {
            continue;
        }
        // Addresses in Türkiye are written in Turkish in both languages.
        let is_foreign = |country: &str| record.locale == Locale::En || country != "TR";
        let mut offices = facts.offices.iter();
        let office = offices.find(|it| it.value.country.as_ref().is_some_and(|country| is_foreign(&country.value)));
        let Some(office) = office else { continue };
        let other = record.locale.other();
        let message = messages::offices_untranslated(language(other), language(record.locale));
        let finding = Finding::new(Code::OFFICES_NOT_TRANSLATED, record.place(office.span), message);
        let keys = facts.offices.iter().filter_map(|it| it.value.key.as_ref());
        let keys: Vec<String> = keys.map(|key| format!("{{ key: {} }}", key.value)).collect();
        findings.push(finding.help(messages::offices_untranslated_help(other, keys.join(", "))));
    }
}

fn lists_offices(record: &Record) -> bool {
    let Some(Facts::Contact(facts)) = &record.facts else { return false };
    facts.offices.iter().any(|office| !office.inherited)
}

fn keys(record: &Record, facts: &ContactFacts, findings: &mut Vec<Finding>) {
    let mut first: HashMap<&str, Span> = HashMap::new();
    for key in facts.offices.iter().filter(|office| !office.inherited).filter_map(|office| office.value.key.as_ref()) {
        if let Some(earlier) = first.get(key.value.as_str()) {
            let message = messages::office_twice(&key.value);
            let finding = Finding::new(Code::OFFICES, record.place(key.span), message);
            let finding = finding.related(record.place(*earlier), messages::office_first_here());
            findings.push(finding.help(messages::office_twice_help()));
        } else {
            first.insert(&key.value, key.span);
        }
    }
}

/// Checks for the required parts of an address.
fn parts(record: &Record, facts: &ContactFacts, findings: &mut Vec<Finding>) {
    for office in facts.offices.iter().filter(|office| !office.inherited) {
        let parts = [
            ("name", office.value.name.is_none()),
            ("street", office.value.street.is_none()),
            ("city", office.value.city.is_none()),
            ("country", office.value.country.is_none()),
        ];
        for (name, _) in parts.into_iter().filter(|(name, is_absent)| *is_absent && !office.value.lost.contains(name)) {
            let message = messages::required_field_missing(format!("offices.{name}"));
            findings.push(Finding::new(Code::MISSING_FIELD, record.place(office.span), message));
        }
    }
}
