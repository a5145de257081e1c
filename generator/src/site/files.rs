//! What is known of the files beside the texts: each is read once, before the checks.

use std::{collections::BTreeMap, fs, path::Path};

use markdown::{Size, is_picture, published_ending};
use rayon::prelude::*;

use super::{dimensions::size, document_file, picture};
use crate::{
    diagnostic::{Code, Finding, Place},
    hex::fingerprint,
    source::{MAX_DOCUMENT_BYTES, MAX_PICTURE_BYTES},
};

/// A picture or a document below the content folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileFacts {
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// Fingerprint of the content; empty if there is a finding on the file.
    pub(crate) fingerprint: String,
    /// Width and height, if the file states them.
    pub(crate) size: Option<Size>,
    /// Whether it is a drawing with its own rule for dark mode.
    pub(crate) adapts: bool,
}

/// Returns the size in bytes up to which a file of this name is published.
fn max_bytes(file: &str) -> u64 {
    if is_picture(file) { MAX_PICTURE_BYTES } else { MAX_DOCUMENT_BYTES }
}

/// Reads every file, and reports the faults of each. Those that are too large are not opened.
pub(crate) fn inspect(content: &Path, files: BTreeMap<String, u64>) -> (BTreeMap<String, FileFacts>, Vec<Finding>) {
    let inspected: Vec<(String, Result<FileFacts, Finding>)> = files
        .into_par_iter()
        .map(|(file, bytes)| {
            let facts = facts(content, &file, bytes);
            (file, facts)
        })
        .collect();
    let mut findings = Vec::new();
    let known = inspected.into_iter().map(|(file, facts)| {
        let facts = facts.unwrap_or_else(|finding| {
            findings.push(finding);
            FileFacts::default()
        });
        (file, facts)
    });
    (known.collect(), findings)
}

fn facts(content: &Path, file: &str, length: u64) -> Result<FileFacts, Finding> {
    let limit = max_bytes(file);
    let what = if is_picture(file) { "picture" } else { "document" };
    if length > limit {
        let message = format!("the {what} has {} MiB; the limit is {} MiB", length >> 20, limit >> 20);
        let finding = Finding::new(Code::TOO_LARGE, Place::file(file), message);
        return Err(finding.help(if is_picture(file) {
            "reduce it to the size at which it is shown"
        } else {
            "export it again with smaller pictures, or link to where it is kept"
        }));
    }
    let bytes = fs::read(content.join(file)).map_err(|error| {
        Finding::new(Code::NOT_READABLE, Place::file(file), format!("file cannot be read: {error}"))
    })?;
    let ending = published_ending(file).unwrap_or_default();
    let fault = if is_picture(file) { picture::fault } else { document_file::fault };
    if let Some(finding) = fault(file, &bytes, ending) {
        return Err(finding);
    }
    Ok(FileFacts {
        bytes: bytes.len() as u64,
        fingerprint: fingerprint(&bytes),
        size: size(&bytes, ending),
        adapts: ending == "svg" && memchr::memmem::find(&bytes, b"prefers-color-scheme").is_some(),
    })
}
