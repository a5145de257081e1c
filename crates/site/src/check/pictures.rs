//! Checks of pictures and documents next to the texts.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

use content::{At, Record, is_well_known, other_format};
use findings::{Code, Finding, Place, Span, messages, nearest};
use markdown::{is_document, is_picture, published_ending, turkish::fold};

use super::destinations;
use crate::{Draft, Undrawn, UndrawnReason, beside, document_path, linked_file, referenced_files};

/// Checks that the files named in texts and front matter exist.
pub(super) fn exist(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in &draft.records {
        if let Some(portrait) = record.values.get::<String>("portrait").filter(At::is_written_here) {
            findings.extend(missing(draft, record, &portrait.value, portrait.span, Code::FILE_NOT_FOUND));
            findings.extend(no_picture(draft, record, &beside(&record.file, &portrait.value), portrait.span));
        }
        let Some(prose) = &record.prose else { continue };
        // The checks of the text report destinations that are addresses rather than files.
        let links = prose.links.iter().filter(|link| !link.destination.starts_with(['/', '@']));
        let links = links.filter(|link| destinations::with_scheme(&link.destination).is_none());
        let pictures = prose.pictures.iter().filter(|link| !link.destination.starts_with(['/', '@']));
        for link in links {
            let finding = missing(draft, record, &link.destination, link.span, Code::PICTURE_NOT_FOUND);
            findings.extend(finding.map(|finding| match subsection(&link.destination) {
                Some(mark) => finding.help(messages::no_link_help(mark)),
                None => finding,
            }));
        }
        for picture in pictures {
            let name = picture.destination.as_ref();
            findings.extend(missing(draft, record, name, picture.span, Code::PICTURE_NOT_FOUND));
            let finding = no_picture(draft, record, &linked_file(&record.file, name), picture.span);
            findings.extend(finding.map(|finding| finding.help(messages::document_link_help(name))));
        }
    }
    for picture in draft.settings.pictures().filter(|picture| !draft.files.contains_key(&picture.value)) {
        let finding = Finding::new(
            Code::FILE_NOT_FOUND,
            Place::new(content::SETTINGS, picture.span),
            messages::settings_picture_missing(&picture.value),
        );
        let names = draft.files.keys().map(String::as_str).filter(|file| !file.contains('/'));
        findings.push(finding.did_you_mean(nearest(&picture.value, names)));
    }
}

/// Checks that the build can draw the logo and the icon.
pub(super) fn drawn(draft: &Draft, findings: &mut Vec<Finding>) {
    let settings = &draft.settings;
    for picture in settings.logo.iter().chain(&settings.theme.icon) {
        let Some(Undrawn { reason, line }) = draft.files.get(&picture.value).and_then(|facts| facts.undrawn) else {
            continue;
        };
        let (message, help) = match reason {
            UndrawnReason::Work => (messages::picture_too_much_work(), messages::picture_too_much_work_help()),
            UndrawnReason::Pixels => (messages::picture_with_pixels(), messages::picture_with_pixels_help()),
            UndrawnReason::Colours => {
                (messages::picture_of_unknown_colours(), messages::picture_of_unknown_colours_help())
            }
        };
        let place = Place::new(content::SETTINGS, picture.span);
        let finding = Finding::new(Code::PICTURE_NOT_DRAWN, place, message).help(help);
        let there = Place::new(picture.value.as_str(), Span { line, column: 1, length: 1 });
        findings.push(if line == 0 { finding } else { finding.related(there, messages::picture_not_drawn_here()) });
    }
}

/// Returns a finding if a document is used as a picture.
fn no_picture(draft: &Draft, record: &Record, file: &str, span: Span) -> Option<Finding> {
    let name = file.rsplit('/').next().filter(|name| is_document(name) && draft.files.contains_key(file))?;
    Some(Finding::new(Code::FILE_TYPE, record.place(span), messages::document_as_picture(name)))
}

/// Returns the mark of a subsection: `a` in `[34](a)`, which cites paragraph 34, point (a), of a judgment.
fn subsection(destination: &str) -> Option<&str> {
    let is_short = (1..=3).contains(&destination.chars().count());
    (is_short && destination.chars().all(char::is_alphanumeric)).then_some(destination)
}

fn missing(draft: &Draft, record: &Record, name: &str, span: Span, code: Code) -> Option<Finding> {
    // A destination is percent-encoded, a value of the front matter is the name itself.
    let in_text = code == Code::PICTURE_NOT_FOUND;
    let file = if in_text { linked_file(&record.file, name) } else { beside(&record.file, name) };
    if draft.files.contains_key(&file) {
        return None;
    }
    let folder = beside(&record.file, "");
    let names = draft.files.range(folder.clone()..).map(|(file, _)| file.as_str());
    let names = names.take_while(|file| file.starts_with(&folder)).map(|file| &file[folder.len()..]);
    let names: Vec<&str> = names.collect();
    // A `#` ends the name in a destination.
    let whole = if in_text { linked_file(&record.file, &name.replace('#', "%23")) } else { file.clone() };
    let with_sign = names.iter().find(|there| whole != file && whole[folder.len()..] == ***there);
    let wanted = file.get(folder.len()..).unwrap_or(name);
    let place = record.place(span);
    if let Some(there) = with_sign {
        let finding = Finding::new(code, place, messages::file_name_ended(name));
        return Some(finding.did_you_mean(Some(&destinations::as_destination(there))));
    }
    let name = if in_text { name.split('#').next().unwrap_or(name) } else { name };
    // `./` is the folder of the text.
    let name = name.strip_prefix("./").unwrap_or(name);
    if name.contains('/') {
        let finding = Finding::new(Code::FILE_ELSEWHERE, place, messages::file_elsewhere(name));
        return Some(finding.help(if published_ending(name).is_some() {
            messages::file_elsewhere_help()
        } else {
            messages::page_link_help()
        }));
    }
    let is_there_in_other_case = names.iter().any(|there| fold(there) == fold(wanted));
    if name.contains('.') && published_ending(name).is_none() && !is_there_in_other_case {
        let finding = Finding::new(Code::FILE_TYPE, place, messages::file_type_unpublished(name));
        return Some(match other_format(name) {
            Some(help) => finding.help(help),
            None => finding.help(messages::file_types_help()),
        });
    }
    let finding = Finding::new(code, place, messages::file_missing(name));
    let written: Vec<Cow<str>> =
        names.iter().map(|name| if in_text { destinations::as_destination(name) } else { (*name).into() }).collect();
    let alike = written.iter().zip(&names).find(|(_, there)| fold(there) == fold(wanted));
    let suggestion = alike.map(|(written, _)| written.as_ref());
    let finding = match suggestion {
        Some(suggestion) => finding.edit(span, suggestion),
        None => finding,
    };
    let finding = finding.did_you_mean(suggestion.or_else(|| nearest(name, written.iter().map(AsRef::as_ref))));
    Some(finding.help(if names.is_empty() {
        messages::no_other_files()
    } else {
        messages::files_there(written.join(", "))
    }))
}

/// Returns whether an entry may mean a file by a name that does not exist or could not be read.
fn names_another(draft: &Draft, record: &Record) -> bool {
    let is_there = |name: &str| draft.files.contains_key(&linked_file(&record.file, name));
    let names = record.prose.iter().flat_map(|prose| prose.links.iter().chain(&prose.pictures));
    let mut names = names.map(|link| link.destination.as_ref()).filter(|name| !name.starts_with(['/', '@']));
    record.lost.has("portrait")
        || draft.lacks_translation(record)
        || record.prose.as_ref().is_some_and(|prose| prose.has_lost_names)
        || names.any(|name| !is_there(name))
        || record
            .values
            .get("portrait")
            .is_some_and(|portrait: At<String>| !draft.files.contains_key(&beside(&record.file, &portrait.value)))
}

fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Checks for unused pictures and documents.
pub(super) fn used(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut used_files: HashSet<String> = draft.records.iter().flat_map(referenced_files).collect();
    used_files.extend(draft.settings.pictures().map(|picture| picture.value.clone()));
    // A picture whose name is unreadable or misspelt in a text looks unused.
    let mut unsure: HashSet<&str> =
        draft.records.iter().filter(|it| names_another(draft, it)).map(|it| folder(&it.file)).collect();
    let settings = &draft.settings;
    if settings.logo.is_none()
        || settings.lost_pictures
        || settings.pictures().any(|it| !draft.files.contains_key(&it.value))
    {
        unsure.insert("");
    }
    for file in draft.files.keys().filter(|file| !is_well_known(file)) {
        if !used_files.contains(file) && !unsure.contains(folder(file)) {
            let (message, help) = if is_picture(file) {
                (messages::picture_unused(), messages::picture_unused_help())
            } else {
                (messages::document_unused(), messages::document_unused_help())
            };
            findings.push(Finding::new(Code::PICTURE_NOT_USED, Place::file(file.as_str()), message).help(help));
        }
    }
}

/// Checks that different documents have different addresses.
pub(super) fn addresses(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut taken: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    let documents = draft.files.iter().filter(|(file, _)| is_document(file) && !is_well_known(file));
    for (file, facts) in documents.filter(|(_, facts)| !facts.fingerprint.is_empty()) {
        let path = document_path(file);
        let (first, content) = *taken.entry(path.clone()).or_insert((file, &facts.fingerprint));
        if content != facts.fingerprint {
            let message = messages::document_address_taken(&path);
            let finding = Finding::new(Code::DOCUMENT_TWICE, Place::file(file.as_str()), message);
            let finding = finding.related(Place::file(first), messages::document_address_taken_here());
            findings.push(finding.help(messages::document_address_taken_help()));
        }
    }
}
