//! Restores the current build after a build that ended early.

use std::{collections::BTreeSet, fs, io, path::Path};

use contract::manifest::{FileDigest, PREVIOUS, is_file_path};
use findings::messages;

use super::{Disk, NEXT, NEXT_COMPRESSION_RECORD, NEXT_KEPT, NEXT_STANDING, UNSETTLED, link};
use crate::{PublishError, current_build::CurrentBuild};

impl Disk {
    /// Cleans up after a build that ended early. Replaced files are restored; files that the current build does not
    /// name are removed, whether they were new or due for removal. A host that serves all files of this folder must not
    /// serve half a build, so a failed step does not prevent the others.
    pub(crate) fn recover(&self, current: Option<&CurrentBuild>) -> Result<(), PublishError> {
        self.remove([NEXT, NEXT_KEPT, NEXT_COMPRESSION_RECORD, NEXT_STANDING].into_iter());
        // Remove new files first: one of their folders may stand at the place of an old file.
        let dropped = self.drop_unsettled(current);
        let restored = self.restore(current);
        // Remove the lists last: without them it is unknown which file belongs where.
        restored.and(dropped).and_then(|()| self.remove_lists()).map_err(PublishError::into_torn)
    }

    fn drop_unsettled(&self, current: Option<&CurrentBuild>) -> Result<(), PublishError> {
        let list = self.out.join(UNSETTLED);
        let unsettled = match fs::read_to_string(&list) {
            Ok(unsettled) => unsettled,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(PublishError::disk(messages::path_not_read, &list)(error)),
        };
        let is_named = |file: &str| current.is_some_and(|build| build.has_file(file));
        self.remove(unsettled.lines().filter(|file| is_file_path(file) && !is_named(file)));
        Ok(())
    }

    /// Restores every file it can and returns the first failure; after a failure, all kept files stay in `PREVIOUS`.
    fn restore(&self, current: Option<&CurrentBuild>) -> Result<(), PublishError> {
        let previous = self.out.join(PREVIOUS);
        self.refuse_links(&previous)?;
        let kept = match fs::read_dir(&previous) {
            Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(PublishError::disk(messages::path_not_read, &previous)(error)),
        };
        let kept: BTreeSet<String> = kept;
        let files = current.iter().flat_map(|build| build.digests()).filter(|(_, digest)| kept.contains(&digest.0));
        let restored = files.map(|(file, digest)| self.put_back(&previous, &file, digest));
        // Try all of them before returning the first failure.
        restored.fold(Ok(()), Result::and)?;
        fs::remove_dir_all(&previous).map_err(PublishError::disk(messages::path_not_removed, &previous))
    }

    fn put_back(&self, previous: &Path, file: &str, digest: &FileDigest) -> Result<(), PublishError> {
        // An unfinished copy is worth less than whatever is at its place.
        if !self.holds_bytes(&format!("{PREVIOUS}/{}", digest.0), digest) {
            return Ok(());
        }
        let place = self.out.join(file);
        self.refuse_links(place.parent().unwrap_or(&self.out))?;
        // If the copy was kept for another file with the same bytes, this one may never have been replaced, and may not
        // be writable.
        if !place.is_symlink() && self.holds_bytes(file, digest) {
            return Ok(());
        }
        let aside = previous.join("restoring");
        let _ = fs::remove_file(&aside);
        link(&previous.join(&digest.0), &aside).map_err(PublishError::disk(messages::path_not_restored, &place))?;
        fs::rename(&aside, &place).map_err(PublishError::disk(messages::path_not_restored, &place))
    }
}
