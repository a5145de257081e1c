//! Checks for required entries, translations and texts.

use content::{Kind, Record};
use contract::Locale;
use findings::{
    Code, Finding, Place, Span, is_slip,
    messages::{self, Text},
};

use crate::{Draft, PageKind, Status};

/// Checks for the contact entry, the pages that every site has, and those that list entries.
pub(super) fn required(draft: &Draft, findings: &mut Vec<Finding>) {
    if !draft.has(Kind::Contact, Kind::Contact.folder()) {
        findings.push(missing(Kind::Contact.folder(), messages::contact_entry_missing()));
    }
    for (key, _) in PageKind::NAMED.into_iter().filter(|(_, page)| page.is_required()) {
        if !draft.has(Kind::Pages, key) {
            let finding = missing(&format!("pages/{key}"), messages::page_missing(key));
            let key_of_slip = slip_of(key, draft);
            findings.push(match key_of_slip {
                Some(name) => finding.help(messages::page_misnamed_help(name)),
                None => finding,
            });
        }
    }
    for (kind, key) in Kind::ALL.into_iter().filter_map(|kind| Some((kind, kind.list_page()?))) {
        let folder = kind.folder();
        if draft.of_kind(kind).is_empty() {
            continue;
        }
        if !draft.has(Kind::Pages, key) {
            let message = messages::list_page_missing(key, folder);
            findings.push(missing(&format!("pages/{key}"), message));
            continue;
        }
        // Publications, and so their page, may exist in only one language.
        for locale in Locale::ALL.into_iter().filter(|_| kind == Kind::Publications) {
            let is_needed = draft.of_kind(kind).iter().any(|record| record.locale == locale);
            let there = draft.record(Kind::Pages, key, locale.other());
            if let Some(there) = there.filter(|_| is_needed && draft.record(Kind::Pages, key, locale).is_none()) {
                let message = messages::list_page_untranslated(messages::language(locale));
                let finding = Finding::new(Code::NO_TRANSLATION, Place::file(there.file.as_str()), message);
                findings.push(finding.help(messages::entry_untranslated_help(locale)));
            }
        }
    }
}

fn missing(folder: &str, message: Text) -> Finding {
    let finding = Finding::new(Code::NO_ENTRY, Place::file(folder), message);
    finding.help(messages::entry_missing_help(folder))
}

/// Checks for pages whose key is probably a slip for a special one.
pub(super) fn misspelt_pages(draft: &Draft, findings: &mut Vec<Finding>) {
    for (key, page) in PageKind::NAMED {
        // For a required page, the error about its absence names the slip.
        if page.is_required() || draft.has(Kind::Pages, key) {
            continue;
        }
        if let Some(name) = slip_of(key, draft) {
            let message = messages::page_name_slip(name, key);
            let finding = Finding::new(Code::PAGE_NAME_SLIP, Place::file(format!("pages/{name}")), message);
            findings.push(finding.help(messages::page_name_slip_help(key)));
        }
    }
}

/// Returns the page whose key differs from `key` by a typing slip.
fn slip_of<'d>(key: &str, draft: &'d Draft) -> Option<&'d str> {
    let mut own = draft.keys(Kind::Pages).filter(|name| PageKind::of(name) == PageKind::Free);
    own.find(|name| is_slip(name, key))
}

/// Checks that entries exist in both languages where they must.
pub(super) fn translations(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.records.iter().filter(|record| draft.lacks_translation(record)) {
        let other = record.locale.other();
        let message = messages::entry_untranslated(record.kind.noun(), messages::language(other));
        let finding = Finding::new(Code::NO_TRANSLATION, Place::file(record.file.as_str()), message);
        findings.push(finding.help(messages::entry_untranslated_help(other)));
    }
}

/// Checks that entries have a text where they need one.
pub(super) fn texts(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in &draft.records {
        let is_empty = record.prose.as_ref().is_some_and(|prose| !prose.has_text);
        let may_be_empty = !record.is_readable() || matches!(draft.status(record), Status::Draft | Status::Unknown);
        if is_empty && needs_text(record) && !may_be_empty {
            let has_pictures = record.prose.as_ref().is_some_and(|prose| !prose.pictures.is_empty());
            let (message, help) = if has_pictures {
                (messages::only_pictures(record.kind.noun()), messages::only_pictures_help())
            } else {
                (messages::text_missing(record.kind.noun()), messages::text_missing_help())
            };
            findings.push(Finding::new(Code::EMPTY_TEXT, record.place(Span::START), message).help(help));
        }
    }
}

fn needs_text(record: &Record) -> bool {
    match record.kind {
        Kind::PracticeAreas | Kind::Team | Kind::Publications | Kind::Network => true,
        Kind::Contact => false,
        Kind::Pages => !PageKind::of(&record.key).is_introduction(),
    }
}

/// Checks that the contact entry has no text, because no page shows it.
pub(super) fn contact_text(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Contact) {
        if record.is_readable() && record.prose.as_ref().is_some_and(|prose| prose.has_text) {
            let message = messages::contact_text_unpublished();
            let finding = Finding::new(Code::CONTACT_TEXT, Place::file(record.file.as_str()), message);
            findings.push(finding.help(messages::contact_text_unpublished_help(record.locale)));
        }
    }
}
