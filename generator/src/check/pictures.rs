//! Checks of the pictures next to the texts.

use std::{borrow::Cow, collections::HashSet};

use markdown::is_picture;
use markdown::turkish::{are_alike_composed, fold, is_composed};

use super::destinations;
use crate::{
    diagnostic::{Code, Finding, Place, Span, nearest},
    site::{Draft, beside, named, referred},
    source::{Facts, MAX_PICTURE_BYTES, Record},
};

/// Checks that the pictures and files exist that texts and front matter name.
pub(super) fn exist(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in &draft.records {
        if let Some(Facts::Member(facts)) = &record.facts
            && let Some(portrait) = facts.portrait.as_ref().filter(|portrait| !portrait.inherited)
        {
            findings.extend(missing(draft, record, &portrait.value, portrait.span, Code::FILE_NOT_FOUND));
        }
        let Some(prose) = &record.prose else { continue };
        // Destinations that are addresses rather than files are reported by the checks of the text.
        let links = prose.links.iter().filter(|link| !link.destination.starts_with(['/', '@']));
        let links = links.filter(|link| destinations::meant(&link.destination).is_none());
        let pictures = prose.pictures.iter().filter(|link| !link.destination.starts_with(['/', '@']));
        for link in links {
            let finding = missing(draft, record, &link.destination, link.span, Code::PICTURE_NOT_FOUND);
            findings.extend(finding.map(|finding| match subsection(&link.destination) {
                Some(mark) => finding.help(format!("if no link is meant, write `\\[…\\]({mark})`")),
                None => finding,
            }));
        }
        for picture in pictures {
            findings.extend(missing(draft, record, &picture.destination, picture.span, Code::PICTURE_NOT_FOUND));
        }
    }
    for picture in draft.settings.pictures().filter(|picture| !draft.pictures.contains_key(&picture.value)) {
        let finding = Finding::new(
            Code::FILE_NOT_FOUND,
            Place::new(crate::source::SETTINGS, picture.span),
            format!("there is no picture `{}` beside site.toml", picture.value),
        );
        let names = draft.pictures.keys().map(String::as_str).filter(|file| !file.contains('/'));
        findings.push(finding.did_you_mean(nearest(&picture.value, names)));
    }
}

/// Returns what looks like the mark of a subsection: `a` in `[34](a)`, which cites paragraph 34, point (a), of a
/// judgment.
fn subsection(destination: &str) -> Option<&str> {
    let is_short = (1..=3).contains(&destination.chars().count());
    (is_short && destination.chars().all(char::is_alphanumeric)).then_some(destination)
}

fn missing(draft: &Draft, record: &Record, name: &str, span: Span, code: Code) -> Option<Finding> {
    // A destination is written as an address, a value of the front matter as the name itself.
    let in_text = code == Code::PICTURE_NOT_FOUND;
    let file = if in_text { named(&record.file, name) } else { beside(&record.file, name) };
    if draft.pictures.contains_key(&file) {
        return None;
    }
    let folder = beside(&record.file, "");
    let names = draft.pictures.range(folder.clone()..).map(|(file, _)| file.as_str());
    let names = names.take_while(|file| file.starts_with(&folder)).map(|file| &file[folder.len()..]);
    let names: Vec<&str> = names.collect();
    // In an address `#` ends the name.
    let whole = if in_text { named(&record.file, &name.replace('#', "%23")) } else { file.clone() };
    let with_sign = names.iter().find(|there| whole != file && whole[folder.len()..] == ***there);
    // A file whose name is not composed has been reported already.
    let wanted = file.get(folder.len()..).unwrap_or(name);
    if names.iter().any(|there| !is_composed(there) && are_alike_composed(there, wanted)) {
        return None;
    }
    let place = record.place(span);
    if let Some(there) = with_sign {
        let finding = Finding::new(code, place, format!("in `{name}` the `#` ends the name of the file"));
        return Some(finding.did_you_mean(Some(&destinations::as_destination(there))));
    }
    let name = if in_text { name.split('#').next().unwrap_or(name) } else { name };
    // `./` is the folder of the text.
    let name = name.strip_prefix("./").unwrap_or(name);
    if name.contains('/') {
        let finding = Finding::new(Code::FILE_ELSEWHERE, place, format!("`{name}` is not in the folder of this text"));
        return Some(if is_picture(name) {
            finding.help("put the file beside the text and name it without a path")
        } else {
            finding.help("link to a page by `@/kind/key`, or by its address `/en/…`")
        });
    }
    let is_there_in_other_case = names.iter().any(|there| fold(there) == fold(wanted));
    if name.contains('.') && !is_picture(name) && !is_there_in_other_case {
        let finding = Finding::new(Code::FILE_TYPE, place, format!("`{name}` is not of a type that is published"));
        return Some(if let Some(renamed) = with_published_ending(wanted) {
            finding.label(format!("rename the file to `{renamed}`"))
        } else {
            finding.help("accepted are svg, png, jpg, webp and avif")
        });
    }
    let finding = Finding::new(code, place, format!("there is no file `{name}` beside this text"));
    let written: Vec<Cow<str>> =
        names.iter().map(|name| if in_text { destinations::as_destination(name) } else { (*name).into() }).collect();
    let alike = written.iter().zip(&names).find(|(_, there)| fold(there) == fold(wanted));
    let meant = alike.map(|(written, _)| written.as_ref());
    let finding = finding.did_you_mean(meant.or_else(|| nearest(name, written.iter().map(AsRef::as_ref))));
    Some(if names.is_empty() {
        finding.help("the folder holds no pictures")
    } else {
        finding.help(format!("pictures there: {}", written.join(", ")))
    })
}

/// Returns the name of a file with the ending under which such pictures are published, if it is a picture.
fn with_published_ending(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = match ending.to_ascii_lowercase() {
        jpeg if jpeg == "jpeg" => "jpg".to_owned(),
        ending => ending,
    };
    let renamed = format!("{stem}.{ending}");
    is_picture(&renamed).then_some(renamed)
}

/// Returns whether an entry may show a picture under a name that is not that of a file.
fn names_another(draft: &Draft, record: &Record) -> bool {
    let is_there = |name: &str| draft.pictures.contains_key(&named(&record.file, name));
    let pictures = record.prose.iter().flat_map(|prose| &prose.pictures);
    record.lost.has("portrait")
        || draft.lacks_translation(record)
        || record.prose.as_ref().is_some_and(|prose| prose.has_lost_names)
        || pictures.into_iter().any(|picture| !is_there(&picture.destination))
        || matches!(&record.facts, Some(Facts::Member(facts)) if facts.portrait.as_ref().is_some_and(|portrait| {
            !draft.pictures.contains_key(&beside(&record.file, &portrait.value))
        }))
}

/// Returns the folder of a file.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Checks for pictures that nothing shows, and for pictures that are too large.
pub(super) fn used(draft: &Draft, findings: &mut Vec<Finding>) {
    let mut shown: HashSet<String> = draft.records.iter().flat_map(referred).collect();
    shown.extend(draft.settings.pictures().map(|picture| picture.value.clone()));
    // If a name could not be read or is not that of a file, the intended picture looks like one that nothing shows.
    let mut unsure: HashSet<&str> =
        draft.records.iter().filter(|it| names_another(draft, it)).map(|it| folder(&it.file)).collect();
    let settings = &draft.settings;
    if settings.logo.is_none()
        || settings.lost_pictures
        || settings.pictures().any(|it| !draft.pictures.contains_key(&it.value))
    {
        unsure.insert("");
    }
    for (file, size) in &draft.pictures {
        if *size > MAX_PICTURE_BYTES {
            let message = format!("the picture has {} MiB; the limit is 8 MiB", size / (1024 * 1024));
            let finding = Finding::new(Code::TOO_LARGE, Place::file(file.as_str()), message);
            findings.push(finding.help("reduce it to the size at which it is shown"));
        } else if !shown.contains(file) && !unsure.contains(folder(file)) && is_composed(file) {
            let finding =
                Finding::new(Code::PICTURE_NOT_USED, Place::file(file.as_str()), "no text shows this picture");
            findings.push(finding.help("show it, or remove the file"));
        }
    }
}
