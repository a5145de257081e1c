//! Files in a build folder without a readable manifest: it is damaged, missing, or of another version.
//!
//! It is unknown which of these files a host serves, so all of them are kept available like a current build until
//! there is a manifest. Their names and digests are recorded before anything is replaced: after a killed build they
//! could not be found out.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _, Write as _},
};

use contract::manifest::{FILE_NAME, FileDigest, is_file_path};
use findings::messages;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{Disk, NEXT_STANDING, STANDING};
use crate::{PublishError, current_build::CurrentBuild};

impl Disk {
    /// Records which of `files` exist and their digests; returns `None` if no build wrote to the folder before.
    pub(crate) fn note_standing(&self, files: &[String]) -> Result<Option<CurrentBuild>, PublishError> {
        if self.is_first || files.is_empty() {
            return Ok(None);
        }
        // A build can only restore readable regular files, and only replaces names that builds write.
        let is_kept =
            |file: &&String| *file != FILE_NAME && is_file_path(file) && self.folder.length_of(file).is_some();
        let noted = files.par_iter().filter(is_kept);
        let noted: BTreeMap<String, FileDigest> =
            noted.filter_map(|file| Some((file.clone(), self.digest_of(file).ok()?))).collect();
        let write = || {
            self.new_file(NEXT_STANDING)?.write_all(&serde_json::to_vec(&noted)?)?;
            fs::rename(self.out.join(NEXT_STANDING), self.out.join(STANDING))
        };
        write().map_err(PublishError::disk(messages::path_not_written, self.out.join(STANDING)))?;
        Ok(Some(CurrentBuild::of_files(noted)))
    }

    /// Reads the record of a build that ended early. Security: the record is ignored if it names anything outside the
    /// folder.
    pub(crate) fn read_standing(&self) -> Option<CurrentBuild> {
        let noted: BTreeMap<String, FileDigest> = serde_json::from_slice(&self.read(STANDING)?).ok()?;
        let is_ours = noted.iter().all(|(file, digest)| is_file_path(file) && digest.is_valid());
        is_ours.then(|| CurrentBuild::of_files(noted))
    }

    /// Hashes a file of any size in pieces.
    fn digest_of(&self, file: &str) -> io::Result<FileDigest> {
        let mut bytes = self.folder.open(file)?;
        let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
        loop {
            match bytes.read(&mut piece)? {
                0 => return Ok(FileDigest(hex::encode(hash.finalize()))),
                length => hash.update(&piece[..length]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::COMPRESSION_RECORD;

    #[test]
    fn files_without_a_manifest_are_restored_after_a_killed_build() {
        let place = tempfile::tempdir().unwrap();
        let files = ["en/about.html", "en.html", "en.html.br", "notes 10:30.txt", "tr"].map(str::to_owned);
        fs::create_dir(place.path().join("en")).unwrap();
        for name in files.iter().map(String::as_str).chain([COMPRESSION_RECORD]) {
            fs::write(place.path().join(name), name).unwrap();
        }
        {
            let disk = Disk::lock(place.path()).unwrap();
            assert_eq!(disk.files(), files);
            let standing = disk.note_standing(&files).unwrap().unwrap();
            let [old, new] = [&standing.files["en.html"].digest, &FileDigest("0".repeat(64))];
            disk.replace("en.html", old, new, b"new").unwrap();
            disk.note_unsettled("tr.html\ntr/ekip.html\n").unwrap();
            disk.create("tr.html", b"new").unwrap();
            // Blocks the folder of a later file.
            disk.create("tr/ekip.html", b"new").unwrap();
            // The build is killed here.
        }
        let disk = Disk::lock(place.path()).unwrap();
        assert!(disk.read_current_build().unwrap().is_none());
        // The place of a file is blocked: the record stays until the file is restored.
        let (page, aside) = (place.path().join("en.html"), place.path().join("aside"));
        fs::rename(&page, &aside).unwrap();
        fs::create_dir_all(page.join("foreign")).unwrap();
        disk.recover(disk.read_standing().as_ref()).unwrap_err();
        fs::remove_dir_all(&page).unwrap();
        fs::remove_file(&aside).unwrap();
        disk.recover(disk.read_standing().as_ref()).unwrap();
        assert_eq!(disk.files(), files);
        assert!(files.iter().all(|name| disk.read(name).unwrap() == name.as_bytes()));
        assert!(disk.read_standing().is_none() && disk.read(STANDING).is_none());
    }

    #[test]
    fn record_that_leaves_the_folder_is_ignored() {
        let place = tempfile::tempdir().unwrap();
        let disk = Disk::lock(place.path()).unwrap();
        let digest = "a".repeat(64);
        for (file, digest, is_ours) in
            [("en.html", &*digest, true), ("../en.html", &digest, false), ("en.html", "../en", false)]
        {
            fs::write(place.path().join(STANDING), serde_json::json!({ file: digest }).to_string()).unwrap();
            assert_eq!(disk.read_standing().is_some(), is_ours, "{file}: {digest}");
        }
    }
}
