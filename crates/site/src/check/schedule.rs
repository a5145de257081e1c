//! Checks of `publish`, `expires` and `draft`.

use std::str::FromStr;

use content::{Kind, Record};
use contract::text::Date;
use findings::{Code, Finding, Span, messages};
use jiff::{Timestamp, tz::Offset};

use crate::Draft;

pub(super) fn order(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Publications) {
        let date = record.values.get::<Date>("date");
        let [publish, expires] = ["publish", "expires"].map(|name| record.values.get::<Timestamp>(name));
        // Days are those of Istanbul.
        if let (None, Some(date), Some(expires)) = (&publish, &date, &expires)
            && Offset::constant(3).to_datetime(expires.value).date().to_string().as_str() < date.value.as_str()
            && !expires.inherited
        {
            let message = messages::expiry_before_publication();
            let finding = Finding::new(Code::EXPIRES_TOO_EARLY, record.place(expires.span), message);
            findings.push(finding.help(messages::expiry_before_date_help()));
        }
        if let (Some(publish), Some(expires)) = (&publish, &expires)
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
        let finding = finding.help(messages::both_held_back_help());
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
        fn by<T: FromStr>(record: &Record, field: &'static str, holds: impl Fn(&T) -> bool) -> Option<Hold> {
            let at = record.values.get::<T>(field).filter(|at| holds(&at.value))?;
            Some(Hold { field, span: at.span, inherited: at.inherited })
        }
        by(record, "draft", |draft: &bool| *draft)
            .or_else(|| by(record, "expires", |expires: &Timestamp| *expires <= draft.now))
            .or_else(|| by(record, "publish", |publish: &Timestamp| *publish > draft.now))
    }
}
