//! Checks of `publish`, `expires` and `draft`.

use content::{At, Facts, Kind, Record};
use findings::{Code, Finding, Span, messages};
use jiff::tz::Offset;

use crate::Draft;

pub(super) fn order(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Publications) {
        let Some(Facts::Article(facts)) = &record.facts else { continue };
        // Days are those of Istanbul.
        if let (None, Some(date), Some(expires)) = (&facts.publish, &facts.date, &facts.expires)
            && Offset::constant(3).to_datetime(expires.value).date().to_string().as_str() < date.value.as_str()
            && !expires.inherited
        {
            let message = messages::expiry_before_publication();
            let finding = Finding::new(Code::EXPIRES_TOO_EARLY, record.place(expires.span), message);
            findings.push(finding.help(messages::expiry_before_date_help()));
        }
        if let (Some(publish), Some(expires)) = (&facts.publish, &facts.expires)
            && expires.value <= publish.value
            && !expires.inherited
        {
            let message = messages::expiry_before_publication();
            let finding = Finding::new(Code::EXPIRES_TOO_EARLY, record.place(expires.span), message);
            findings.push(finding.help(messages::expiry_before_publication_help()));
        }
    }
}

/// Checks for entries that one language's file holds back although the other file has a text and no such field.
pub(super) fn held_back(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Publications) {
        let Some(hold) = Hold::of(draft, record).filter(|hold| !hold.inherited) else { continue };
        let Some(twin) = draft.twin(record).filter(|twin| !twin.lost.has(hold.field)) else { continue };
        let has_text = twin.prose.as_ref().is_some_and(|prose| prose.has_text);
        if !has_text || Hold::of(draft, twin).is_none_or(|of_twin| !of_twin.inherited) {
            continue;
        }
        let message = messages::both_held_back(hold.field, &twin.file);
        let finding = Finding::new(Code::BOTH_HELD_BACK, record.place(hold.span), message);
        let finding = finding.help(messages::both_held_back_help(twin.locale));
        findings.push(finding.help(if hold.field == "expires" {
            messages::text_outdated_help()
        } else {
            messages::text_unready_help()
        }));
    }
}

/// The field that holds an entry back now, regardless of `--drafts`.
struct Hold {
    field: &'static str,
    span: Span,
    inherited: bool,
}

impl Hold {
    fn of(draft: &Draft, record: &Record) -> Option<Self> {
        fn field_of<T>(field: &'static str, at: Option<&At<T>>, holds: impl Fn(&T) -> bool) -> Option<Hold> {
            at.filter(|at| holds(&at.value)).map(|at| Hold { field, span: at.span, inherited: at.inherited })
        }
        let Some(Facts::Article(facts)) = &record.facts else { return None };
        field_of("draft", facts.draft.as_ref(), |draft| *draft)
            .or_else(|| field_of("expires", facts.expires.as_ref(), |expires| *expires <= draft.now))
            .or_else(|| field_of("publish", facts.publish.as_ref(), |publish| *publish > draft.now))
    }
}
