//! How the build in force is put back where a publishing ended before its time.

use std::{collections::BTreeSet, fs, io, path::Path};

use contract::manifest::{Digest, PREVIOUS, is_file_path};

use super::{Disk, NEXT, NEXT_KEPT, NEXT_MEMORY, NEXT_STANDING, UNSETTLED, link};
use crate::publish::{PublishError, in_force::InForce};

impl Disk {
    /// Settles what a publishing left that ended before its time: files that it replaced go back to their places, and
    /// files go that the build in force does not name, be they created before or due to go after its manifest. A host
    /// that hands out whatever stands here must not hand out half a build, so whatever fails, the rest is put right.
    pub(in crate::publish) fn recover(&self, in_force: Option<&InForce>) -> Result<(), PublishError> {
        self.remove([NEXT, NEXT_KEPT, NEXT_MEMORY, NEXT_STANDING].into_iter());
        // What is new goes first: a folder of it may stand where a file was.
        let dropped = self.drop_unsettled(in_force);
        let restored = self.restore(in_force);
        // The lists end last: without them nobody can tell where the rest belongs.
        restored.and(dropped).and_then(|()| self.settle()).map_err(PublishError::torn)
    }

    fn drop_unsettled(&self, in_force: Option<&InForce>) -> Result<(), PublishError> {
        let list = self.out.join(UNSETTLED);
        let unsettled = match fs::read_to_string(&list) {
            Ok(unsettled) => unsettled,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(PublishError::disk("read", &list)(error)),
        };
        let is_named = |file: &str| in_force.is_some_and(|build| build.names(file));
        self.remove(unsettled.lines().filter(|file| is_file_path(file) && !is_named(file)));
        Ok(())
    }

    /// Puts back every file that can be, and says what could not be first; then all of them stay within reach.
    fn restore(&self, in_force: Option<&InForce>) -> Result<(), PublishError> {
        let previous = self.out.join(PREVIOUS);
        self.refuse_links(&previous)?;
        let kept = match fs::read_dir(&previous) {
            Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(PublishError::disk("read", &previous)(error)),
        };
        let kept: BTreeSet<String> = kept;
        let files = in_force.iter().flat_map(|build| build.digests()).filter(|(_, digest)| kept.contains(&digest.0));
        let restored = files.map(|(file, digest)| self.put_back(&previous, &file, digest));
        // Every one of them is tried before the first failure counts.
        restored.fold(Ok(()), Result::and)?;
        fs::remove_dir_all(&previous).map_err(PublishError::disk("remove", &previous))
    }

    fn put_back(&self, previous: &Path, file: &str, digest: &Digest) -> Result<(), PublishError> {
        // A copy that was not finished is worth less than whatever stands at its place.
        if !self.holds_bytes(&format!("{PREVIOUS}/{}", digest.0), digest) {
            return Ok(());
        }
        let place = self.out.join(file);
        self.refuse_links(place.parent().unwrap_or(&self.out))?;
        // What another file with the same bytes was kept for may never have been replaced here, and be beyond writing.
        if !place.is_symlink() && self.holds_bytes(file, digest) {
            return Ok(());
        }
        let aside = previous.join("restoring");
        let _ = fs::remove_file(&aside);
        link(&previous.join(&digest.0), &aside).map_err(PublishError::disk("restore", &place))?;
        fs::rename(&aside, &place).map_err(PublishError::disk("restore", &place))
    }
}
