//! Checks of values against each other, and of their length.

use content::{At, Kind};
use contract::text::Date;
use findings::{Code, Finding, messages};
use jiff::tz::Offset;

use crate::Draft;

/// Lengths of a description that search results show whole, in characters.
const SHOWN: std::ops::RangeInclusive<usize> = 50..=160;

pub(super) fn description_lengths(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Pages) {
        let Some(At { value, span, .. }) = &record.head.description else { continue };
        let length = value.chars().count();
        if !SHOWN.contains(&length) {
            let message = messages::description_length(length);
            let finding = Finding::new(Code::DESCRIPTION_LENGTH, record.place(*span), message);
            findings.push(finding.help(messages::description_length_help()));
        }
    }
}

/// Fewest digits of a telephone number without its country code.
const MIN_DIGITS: usize = 4;

/// Compares the displayed number, which may lack the country code or begin with a zero, with the dialled one.
pub(super) fn telephones(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Contact) {
        let [dialled, shown] = ["telephone", "telephone_display"].map(|name| record.values.get::<String>(name));
        let (Some(dialled), Some(displayed)) = (dialled, shown.filter(At::is_written_here)) else { continue };
        if !is_number(&displayed.value, &dialled.value) {
            let message = messages::telephone_differs(&displayed.value, &dialled.value);
            let finding = Finding::new(Code::OTHER_TELEPHONE, record.place(displayed.span), message);
            findings.push(finding.help(messages::telephone_differs_help()));
        }
    }
}

/// Returns whether `shown` is a way to write the number `dialled`.
fn is_number(displayed: &str, dialled: &str) -> bool {
    let digits: String = displayed.replace("(0)", "").chars().filter(char::is_ascii_digit).collect();
    let local = digits.trim_start_matches('0');
    local.len() >= MIN_DIGITS && dialled.ends_with(local)
}

pub(super) fn dates(draft: &Draft, findings: &mut Vec<Finding>) {
    // The latest date on earth, so that today is in the future in no time zone.
    let today = Offset::constant(14).to_datetime(draft.now).date().to_string();
    for record in &draft.records {
        let [date, updated] = ["date", "updated"].map(|name| record.values.get::<Date>(name));
        let is_early = record.has("publish") || record.shares_lost("publish");
        let changes = record.values.groups("changes").iter();
        let changes = changes.map(|change| ("changes.date", change.value.get("date")));
        for (name, day) in [("date", date.clone()), ("updated", updated.clone())].into_iter().chain(changes) {
            if let Some(day) = day.filter(|day| day.value.as_str() > today.as_str() && !is_early && !day.inherited) {
                let message = messages::date_in_future(name);
                let finding = Finding::new(Code::DATE_IN_FUTURE, record.place(day.span), message);
                findings.push(finding.help(messages::date_in_future_help()));
            }
        }
        if let (Some(date), Some(updated)) = (date, updated)
            && updated.value < date.value
            && !updated.inherited
        {
            let message = messages::review_before_publication(&updated.value, &date.value);
            let finding = Finding::new(Code::UPDATED_BEFORE_DATE, record.place(updated.span), message);
            findings.push(finding.help(messages::review_before_publication_help()));
        }
    }
}

pub(super) fn portraits(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Team) {
        match (record.values.find("portrait"), record.values.find("portrait_alt")) {
            (Some(_), None) if !record.lost.has("portrait_alt") => {
                let message = messages::portrait_undescribed();
                let finding = Finding::new(Code::PORTRAIT_ALT, record.place(findings::Span::START), message);
                findings.push(finding.help(messages::portrait_undescribed_help()));
            }
            (None, Some(alt)) if !record.shares_lost("portrait") && !draft.lacks_translation(record) => {
                let message = messages::portrait_missing();
                let finding = Finding::new(Code::PORTRAIT_ALT, record.place(alt.span), message);
                findings.push(finding.help(messages::portrait_missing_help()));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displayed_number_may_lack_its_country_code() {
        let dialled = "+902325550100";
        for displayed in
            ["+90 232 555 01 00", "0 (232) 555 01 00", "+90 (0) 232 555 01 00", "0090-232-5550100", "555 01 00"]
        {
            assert!(is_number(displayed, dialled), "{displayed}");
        }
        assert!(is_number("(0212) 234 56 78", "+902122345678"));
        for displayed in ["+90 232 555 00 10", "+44 232 555 01 00", "100", "", "ask the desk"] {
            assert!(!is_number(displayed, dialled), "{displayed}");
        }
    }
}
