//! The files that texts show or link to: pictures, published under names with fingerprints, and documents, published
//! under their own names.

use std::{borrow::Cow, collections::BTreeSet};

use content::{At, Focus, Record, WELL_KNOWN};
use contract::{
    Locale,
    routes::{self, ASSETS, DOCUMENTS},
};
use markdown::{is_document, published_ending, turkish};

use super::{
    Attachment,
    draft::{Draft, Status},
    file_facts::FileFacts,
    photograph::{self, Usage},
};

/// Returns the files in published entries and in the settings, sorted by path, and those of `well-known`.
pub(crate) fn attach(draft: &Draft) -> Vec<Attachment> {
    let published = draft.records.iter().filter(|record| draft.status(record) == Status::Published);
    let settings = &draft.settings;
    let own = settings.logo.iter().chain(&settings.theme.icon).map(|picture| (picture.value.clone(), Usage::Text));
    let shared = settings.share_picture.iter().map(|picture| (picture.value.clone(), Usage::Shared));
    let files: BTreeSet<(String, Usage)> = published.flat_map(file_usages).chain(own).chain(shared).collect();
    let attachments =
        files.into_iter().filter_map(|(file, usage)| Some(attachment(draft.files.get(&file)?, file, usage)));
    let well_known = well_known(draft).map(|(path, file)| Attachment {
        path,
        fingerprint: draft.files[file].fingerprint.clone(),
        bytes: draft.files[file].bytes,
        file: file.to_owned(),
        usage: Usage::Text,
        size: None,
        adapts: false,
        photograph: None,
    });
    attachments.chain(well_known).collect()
}

/// Returns the public path of each file of `well-known`, with its path below the content folder.
pub fn well_known(draft: &Draft) -> impl Iterator<Item = (String, &str)> {
    let files = draft.files.keys().filter_map(|file| Some((file.strip_prefix(WELL_KNOWN)?, file)));
    let files = files.filter(|(name, _)| name.starts_with('/'));
    files.map(|(name, file)| ([routes::WELL_KNOWN, name].concat(), file.as_str()))
}

/// Returns the files that an entry shows or links to.
pub fn referenced_files(record: &Record) -> impl Iterator<Item = String> {
    file_usages(record).into_iter().map(|(file, _)| file)
}

fn file_usages(record: &Record) -> Vec<(String, Usage)> {
    let portrait = record.values.get("portrait").map(|file: At<String>| {
        let focus = record.values.parse("portrait_focus", Focus::parse).map(|focus| focus.value);
        (beside(&record.file, &file.value), Usage::Portrait(focus))
    });
    let prose = record.prose.as_ref();
    let links = prose.into_iter().flat_map(|prose| prose.links.iter().chain(&prose.pictures));
    let names = links.map(|link| link.destination.as_ref()).filter(|name| !name.starts_with(['/', '@']));
    portrait.into_iter().chain(names.map(|name| (linked_file(&record.file, name), Usage::Text))).collect()
}

fn attachment(facts: &FileFacts, file: String, usage: Usage) -> Attachment {
    let (stem, ending) = public_name(&file);
    let photograph = photograph::of(facts, ending, &stem, usage);
    let widest = photograph.as_ref().and_then(|photograph| photograph.forms.last());
    let path = if is_document(&file) {
        document_path(&file)
    } else if let Some(widest) = widest {
        widest.path.clone()
    } else {
        let dot = if stem.is_empty() { "" } else { "." };
        format!("{ASSETS}/{stem}{dot}{}.{ending}", facts.fingerprint)
    };
    let size = widest.map(|widest| widest.size).or(facts.size);
    let (fingerprint, bytes, adapts) = (facts.fingerprint.clone(), facts.bytes, facts.adapts);
    Attachment { file, usage, path, fingerprint, bytes, size, adapts, photograph }
}

/// Returns the public path of a document. It depends only on the name, so it stays when the content changes.
pub fn document_path(file: &str) -> String {
    let (stem, ending) = public_name(file);
    format!("{DOCUMENTS}/{}.{ending}", if stem.is_empty() { ending } else { &stem })
}

/// Returns the stem of a file as a slug, and the ending under which it is published.
fn public_name(file: &str) -> (String, &'static str) {
    let name = file.rsplit('/').next().unwrap_or_default();
    let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
    (turkish::slug(stem, Locale::Tr), published_ending(name).unwrap_or_default())
}

/// Returns the path of the file that a destination in the text of `file` names. The destination may be percent-encoded
/// and end with a fragment, such as a view of a drawing.
pub fn linked_file(file: &str, destination: &str) -> String {
    let (name, _) = destination.split_once('#').unwrap_or((destination, ""));
    // Names of files are compared in one form of their accents, whichever the encoding has.
    beside(file, &turkish::compose(&percent_decode(name)))
}

/// Removes percent-encoding (RFC 3986, 2.1) from a destination. A `%` without two digits stays, and so does the whole
/// destination if the result is not UTF-8.
fn percent_decode(destination: &str) -> Cow<'_, str> {
    if !destination.contains('%') {
        return Cow::Borrowed(destination);
    }
    let mut bytes = Vec::with_capacity(destination.len());
    let mut rest = destination.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|digits| *byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let value = digits.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(value.unwrap_or(*byte));
        rest = if value.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(destination), Cow::Owned)
}

/// Returns the path of the file `name` in the folder of `file`.
pub fn beside(file: &str, name: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = name.strip_prefix("./").unwrap_or(name);
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::linked_file;

    #[test]
    fn destination_may_be_percent_encoded_and_have_a_fragment() {
        for (destination, file) in [
            ("a.svg", "x/a.svg"),
            ("./a.svg", "x/a.svg"),
            ("a%20b.svg", "x/a b.svg"),
            ("%C3%A7.svg", "x/ç.svg"),
            ("s%CC%A7ema.svg", "x/şema.svg"),
            ("50%.svg", "x/50%.svg"),
            ("%2+%zz.svg", "x/%2+%zz.svg"),
            ("%FF.svg", "x/%FF.svg"),
            ("a.svg#view", "x/a.svg"),
            ("a%232.svg#view#x", "x/a#2.svg"),
        ] {
            assert_eq!(linked_file("x/en.md", destination), file);
        }
    }
}
