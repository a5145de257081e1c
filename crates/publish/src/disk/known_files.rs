//! The cache of what the last build found in the content: metadata of photographs, and texts without findings.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use findings::messages;
use site::KnownFiles;

use super::Disk;
use crate::PublishError;

const NAME: &str = ".known.json";
/// The same, before it is moved into place.
const NEXT: &str = ".known.json.new";

/// Returns what the last build in the folder `out` found.
pub fn known_files(out: &Path) -> KnownFiles {
    KnownFiles::read(&out.join(NAME))
}

impl Disk {
    /// Writes the cache for [`known_files`]; removes the file if there is nothing to store.
    pub(crate) fn write_known_files(&self, known: &KnownFiles) -> Result<(), PublishError> {
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
