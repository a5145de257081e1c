//! Pictures that are shown somewhere, under names with their fingerprints.

use std::{collections::BTreeSet, fs, path::Path};

use contract::{Locale, routes::ASSETS};
use rayon::prelude::*;

use super::{
    Attachment,
    dimensions::size,
    draft::{Draft, Status},
    picture,
};
use crate::{
    diagnostic::{Code, Finding, Place},
    source::{Facts, Record},
};

/// The files that published entries and the settings refer to, by path.
pub(crate) fn attach(draft: &Draft, content: &Path) -> (Vec<Attachment>, Vec<Finding>) {
    let published = draft.records.iter().filter(|record| draft.status(record) == Status::Published);
    let files: BTreeSet<String> = published
        .flat_map(referred)
        .chain(draft.settings.pictures().map(|picture| picture.value.clone()))
        .filter(|file| draft.pictures.contains_key(file))
        .collect();
    let attached: Vec<Result<Attachment, Box<Finding>>> =
        files.into_par_iter().map(|file| fingerprint(content, file)).collect();
    let (mut attachments, mut findings) = (Vec::new(), Vec::new());
    for result in attached {
        match result {
            Ok(attachment) => attachments.push(attachment),
            Err(finding) => findings.push(*finding),
        }
    }
    (attachments, findings)
}

/// The files that an entry shows or links to.
pub(crate) fn referred(record: &Record) -> Vec<String> {
    let portrait = match &record.facts {
        Some(Facts::Member(facts)) => facts.portrait.as_ref().map(|file| beside(&record.file, &file.value)),
        _ => None,
    };
    let prose = record.prose.as_ref();
    let links = prose.into_iter().flat_map(|prose| prose.links.iter().chain(&prose.pictures));
    let names = links.map(|link| link.destination.as_ref()).filter(|name| !name.starts_with(['/', '@']));
    portrait.into_iter().chain(names.map(|name| beside(&record.file, name))).collect()
}

fn fingerprint(content: &Path, file: String) -> Result<Attachment, Box<Finding>> {
    let bytes = fs::read(content.join(&file)).map_err(|error| {
        let message = format!("file cannot be read: {error}");
        Box::new(Finding::new(Code::NOT_READABLE, Place::file(file.as_str()), message))
    })?;
    let name = file.rsplit('/').next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    // It was looked at with the checks; what is published is what was read now.
    if let Some(finding) = picture::fault(&file, &bytes) {
        return Err(Box::new(finding));
    }
    let digest = crate::render::fingerprint(&bytes);
    let stem = crate::turkish::slug(stem, Locale::Tr);
    let path = if stem.is_empty() {
        format!("{ASSETS}/{digest}.{ending}")
    } else {
        format!("{ASSETS}/{stem}.{digest}.{ending}")
    };
    let size = size(&bytes, ending);
    Ok(Attachment { file, path, size })
}

/// The path of a file in the folder of another one.
pub(crate) fn beside(file: &str, name: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = name.strip_prefix("./").unwrap_or(name);
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
