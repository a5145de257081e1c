//! Checks of laws that the firm added, and of texts that a change of law has overtaken.

use std::slice;

use citations::{Citation, Cited};
use content::{ChangeOfLaw, Lines, Record};
use findings::{
    Code, Finding, Place,
    messages::{self, Text},
};

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
        let changes: Vec<&ChangeOfLaw> = unstated_changes(draft, record).collect();
        // Few texts have any: their citations were counted without their places.
        let Some(text) = (!changes.is_empty()).then(|| content::read_text(&draft.folder, &record.file).0).flatten()
        else {
            continue;
        };
        let cites = citations::find(&text.text, &draft.settings.laws);
        findings.extend(changes.into_iter().filter_map(|change| overtaken(record, &text.text, &cites, change)));
    }
}

/// Reports the first place of a text that cites what a change concerns, with the lines of the others.
fn overtaken(record: &Record, text: &str, cites: &[Citation], change: &ChangeOfLaw) -> Option<Finding> {
    let concerned: Vec<&Citation> =
        cites.iter().filter(|citation| change.concerns(slice::from_ref(&citation.cited))).collect();
    let lines = Lines::of(text);
    let mut spans = concerned.iter().map(|citation| lines.span(text, citation.range.clone()));
    let span = spans.next()?;
    let mut others: Vec<u32> = spans.map(|span| span.line).filter(|line| *line != span.line).collect();
    others.dedup();

    let words = text[concerned[0].range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
    let (changed, in_force) = (changed_articles(change, &concerned), change.in_force.as_str());
    let message = match law_as_of(record) {
        Some(day) => messages::law_changed(changed, in_force, words, day.as_str()),
        None => messages::law_changed_undated(changed, in_force, words),
    };
    let mut finding = Finding::new(Code::LAW_CHANGED, record.place(span), message);
    if !others.is_empty() {
        let others = others.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        finding = finding.help(messages::law_cited_too(others));
    }
    if let Some(updated) = record.head.updated.as_ref().filter(|updated| updated.is_written_here()) {
        finding = finding.related(record.place(updated.span), messages::law_as_of_here());
    }
    Some(finding.help(messages::law_changed_help()))
}

/// Returns the law, with the changed articles that the text cites.
fn changed_articles(change: &ChangeOfLaw, concerned: &[&Citation]) -> Text {
    let is_cited = |changed: &&citations::Article| {
        let mut articles = concerned.iter().filter_map(|citation| match &citation.cited {
            Cited::Article(_, article) => Some(article),
            _ => None,
        });
        articles.any(|article| changed.overlaps(article))
    };
    let articles: Vec<String> = change.articles.iter().filter(is_cited).map(ToString::to_string).collect();
    let law = &change.law.value;
    if articles.is_empty() {
        messages::law_numbered(law)
    } else {
        messages::law_articles_numbered(law, articles.join(", "))
    }
}
