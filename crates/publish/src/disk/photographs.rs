//! What is known of the photographs of the build in force.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use findings::messages;
use site::KnownFiles;

use super::Disk;
use crate::PublishError;

/// The name of the file.
const NAME: &str = ".photographs.json";
/// The same, before it is moved into place.
const NEXT: &str = ".photographs.json.new";

/// Returns what the last build into the folder `out` learned of photographs.
#[must_use]
pub fn known_files(out: &Path) -> KnownFiles {
    KnownFiles::read(&out.join(NAME))
}

impl Disk {
    /// Writes down what is known, for [`known_files`]; nothing remains of a site that has no photographs any more.
    pub(crate) fn note_files(&self, known: &KnownFiles) -> Result<(), PublishError> {
        let Some(bytes) = known.to_bytes() else {
            return match fs::remove_file(self.out.join(NAME)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(PublishError::disk(messages::path_not_removed, self.out.join(NAME))(error))
                }
                _ => Ok(()),
            };
        };
        let write = || {
            self.new_file(NEXT)?.write_all(&bytes)?;
            fs::rename(self.out.join(NEXT), self.out.join(NAME))
        };
        write().map_err(PublishError::disk(messages::path_not_written, self.out.join(NAME)))
    }
}
