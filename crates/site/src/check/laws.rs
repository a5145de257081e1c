//! Checks of laws that the firm added, and of texts that a change of law has overtaken.

use findings::{Code, Finding, Place, messages};

use crate::{
    Draft, Status,
    laws::{law_as_of, unstated_changes},
};

pub(super) fn known(draft: &Draft, findings: &mut Vec<Finding>) {
    let laws = &draft.settings.laws;
    for law in &draft.settings.own_laws {
        let number = &law.value.number;
        if laws.get(number).is_some_and(|law| law.tr.is_empty() && law.en.is_empty()) {
            let place = Place::new(content::LAWS, law.span);
            let finding = Finding::new(Code::LAW_WITHOUT_NAME, place, messages::law_without_name(number));
            findings.push(finding.help(messages::law_without_name_help()));
        }
    }
    for change in &draft.settings.law_changes {
        if laws.get(&change.law.value).is_none() {
            let place = Place::new(content::LAW_CHANGES, change.law.span);
            let finding = Finding::new(Code::LAW_UNKNOWN, place, messages::changed_law_unknown(&change.law.value));
            findings.push(finding.help(messages::changed_law_unknown_help()));
        }
    }
}

pub(super) fn changed(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.records.iter().filter(|it| matches!(draft.status(it), Status::Published | Status::Early(_))) {
        for change in unstated_changes(draft, record) {
            let (law, in_force) = (&change.law.value, change.in_force.as_str());
            let message = match law_as_of(record) {
                Some(day) => messages::law_changed(day.as_str(), law, in_force),
                None => messages::law_changed_undated(law, in_force),
            };
            let updated = record.head.updated.as_ref().filter(|updated| updated.is_written_here());
            let place = updated.map_or_else(|| Place::file(record.file.as_str()), |at| record.place(at.span));
            findings.push(Finding::new(Code::LAW_CHANGED, place, message).help(messages::law_changed_help()));
        }
    }
}
