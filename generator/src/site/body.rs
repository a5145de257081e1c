//! A document's text, read again when its page is rendered.

use std::{fmt, fs, io, path::Path};

use super::{Attachment, Origin, Site};
use crate::{render::fingerprint, source::checksum};

/// Why a document's text is not there.
#[derive(Debug)]
pub enum BodyError {
    /// The file could not be read.
    Unreadable {
        /// Path below the content folder.
        file: String,
        /// What the operating system said.
        error: io::Error,
    },
    /// The file is not the one that was checked.
    Changed {
        /// Path below the content folder.
        file: String,
    },
}

impl fmt::Display for BodyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, error } => write!(out, "{file} cannot be read: {error}"),
            Self::Changed { file } => write!(out, "{file} changed while the site was being built; build again"),
        }
    }
}

impl std::error::Error for BodyError {}

impl Site {
    /// The Markdown of a document, exactly as it was checked.
    ///
    /// # Errors
    /// When the file cannot be read, or changed since it was checked.
    pub fn body(&self, origin: &Origin) -> Result<String, BodyError> {
        read(&self.folder, origin)
    }

    /// The bytes of a picture, exactly those that its public name was made from.
    ///
    /// # Errors
    /// When the file cannot be read, or changed since it was checked.
    pub fn attachment(&self, attachment: &Attachment) -> Result<Vec<u8>, BodyError> {
        let file = || attachment.file.clone();
        let bytes = fs::read(self.folder.join(&attachment.file))
            .map_err(|error| BodyError::Unreadable { file: file(), error })?;
        let is_the_same = attachment.path.contains(&fingerprint(&bytes));
        if is_the_same { Ok(bytes) } else { Err(BodyError::Changed { file: file() }) }
    }
}

fn read(folder: &Path, origin: &Origin) -> Result<String, BodyError> {
    let changed = || BodyError::Changed { file: origin.file.clone() };
    let bytes = fs::read(folder.join(&origin.file))
        .map_err(|error| BodyError::Unreadable { file: origin.file.clone(), error })?;
    if checksum(&bytes) != origin.checksum {
        return Err(changed());
    }
    let text = bytes.get(origin.body_start..).and_then(|body| simdutf8::basic::from_utf8(body).ok());
    text.map(str::to_owned).ok_or_else(changed)
}
