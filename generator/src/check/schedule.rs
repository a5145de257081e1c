//! When entries appear and expire.

use crate::{
    diagnostic::{Code, Finding},
    site::Draft,
    source::{Facts, Kind},
};

pub(super) fn order(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Publications) {
        let Some(Facts::Article(facts)) = &record.facts else { continue };
        if let (Some(publish), Some(expires)) = (&facts.publish, &facts.expires)
            && expires.value <= publish.value
            && !expires.inherited
        {
            let message = "the entry expires before it is published";
            let finding = Finding::new(Code::EXPIRES_TOO_EARLY, record.place(expires.span), message);
            findings.push(finding.help("write a moment that is later than `publish`"));
        }
    }
}
