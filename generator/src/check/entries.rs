//! Which entries must exist.

use contract::Locale;

use crate::{
    diagnostic::{Code, Finding, Place, Span},
    site::{Draft, PageKind, Status},
    source::{Kind, Record},
};

/// Checks for the contact entry and the fixed pages.
pub(super) fn required(draft: &Draft, findings: &mut Vec<Finding>) {
    let pages = PageKind::ALL.into_iter().map(|page| (Kind::Pages, page.key()));
    for (kind, key) in pages.chain([(Kind::Contact, Kind::Contact.folder())]) {
        if !draft.has(kind, key) {
            let folder = if kind == Kind::Contact { key.to_owned() } else { format!("{}/{key}", kind.folder()) };
            let message = match kind {
                Kind::Contact => "the contact entry is not there".to_owned(),
                _ => format!("page `{key}` is not there"),
            };
            let finding = Finding::new(Code::NO_ENTRY, Place::file(folder.as_str()), message);
            findings.push(finding.help(format!("write `{folder}/en.md` and `{folder}/tr.md`")));
        }
    }
}

/// Checks that everything but publications exists in both languages.
pub(super) fn translations(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.records.iter().filter(|record| draft.lacks_translation(record)) {
        let other = record.locale.other();
        let message = format!("this {} has no {} version", record.kind.noun(), language(other));
        let finding = Finding::new(Code::NO_TRANSLATION, Place::file(record.file.as_str()), message);
        findings.push(finding.help(format!("write `{other}.md` beside it")));
    }
}

/// Returns the name of a locale's language in a sentence.
pub(super) fn language(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "English",
        Locale::Tr => "Turkish",
    }
}

/// Checks that entries that consist of their text have one.
pub(super) fn texts(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in &draft.records {
        let is_empty = record.prose.as_ref().is_some_and(|prose| !prose.has_text);
        let may_be_empty = record.facts.is_none() || matches!(draft.status(record), Status::Draft | Status::Unknown);
        if is_empty && needs_text(record) && !may_be_empty {
            let message = format!("this {} has no text", record.kind.noun());
            let finding = Finding::new(Code::EMPTY_TEXT, record.place(Span::START), message);
            findings.push(finding.help("write the text below the second `---`"));
        }
    }
}

fn needs_text(record: &Record) -> bool {
    match record.kind {
        Kind::PracticeAreas | Kind::Team | Kind::Publications | Kind::Network => true,
        Kind::Contact => false,
        Kind::Pages => {
            let introductions = [
                PageKind::Home,
                PageKind::PracticeAreas,
                PageKind::Team,
                PageKind::Publications,
                PageKind::GlobalNetwork,
                PageKind::Contact,
            ];
            !introductions.iter().any(|page| page.key() == record.key)
        }
    }
}

/// Checks for text that no page shows.
pub(super) fn contact_text(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Contact) {
        if record.facts.is_some() && record.prose.as_ref().is_some_and(|prose| prose.has_text) {
            let message = "the text of this file is not published";
            let finding = Finding::new(Code::CONTACT_TEXT, Place::file(record.file.as_str()), message);
            findings.push(finding.help(format!("move it to `pages/contact/{}.md`", record.locale)));
        }
    }
}
