//! Reads texts and files again when the site is rendered.

use std::{
    fs::File,
    io::{self, Read as _},
};

use content::{Checksum, Folder, tidy};
use findings::messages::{self, Text};

use super::{Attachment, Origin, Site, files};
use crate::fingerprint;

impl Site {
    /// Returns the Markdown of a document, exactly as it was checked.
    ///
    /// # Errors
    /// If the file cannot be read or changed after it was checked.
    pub fn body(&self, origin: &Origin) -> Result<String, Text> {
        read(&self.folder, origin)
    }

    /// Returns the bytes of a picture or a document, exactly as they were checked.
    ///
    /// # Errors
    /// If the file cannot be read or changed after it was checked.
    pub fn attachment(&self, attachment: &Attachment) -> Result<Vec<u8>, Text> {
        let file = &attachment.file;
        let bytes = files::read(&self.folder, file).map_err(|error| messages::source_not_readable(file, error))?;
        let is_the_same = attachment.fingerprint == fingerprint(&bytes);
        if is_the_same { Ok(bytes) } else { Err(messages::source_changed(file)) }
    }
}

/// Reads a file of the expected `length`, with at most one byte more if it has grown. For tens of thousands of files
/// this saves the call for the length of each.
fn read_again(mut file: File, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length + 1];
    let mut there = 0;
    while there < length {
        match file.read(&mut bytes[there..]) {
            Ok(0) => break,
            Ok(more) => there += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(there);
    Ok(bytes)
}

fn read(folder: &Folder, origin: &Origin) -> Result<String, Text> {
    if let Some(text) = folder.text(&origin.file) {
        return Ok(tidy(text).get(origin.body_start..).unwrap_or_default().to_owned());
    }
    let changed = || messages::source_changed(&origin.file);
    let bytes = folder
        .open(&origin.file)
        .and_then(|file| read_again(file, origin.checksum.length))
        .map_err(|error| messages::source_not_readable(&origin.file, error))?;
    if Checksum::of(&bytes) != origin.checksum {
        return Err(changed());
    }
    let text = simdutf8::basic::from_utf8(&bytes).map(tidy).map_err(|_| changed())?;
    text.get(origin.body_start..).map(str::to_owned).ok_or_else(changed)
}
