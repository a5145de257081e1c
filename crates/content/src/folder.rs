//! A folder that is kept open, so that its path is not resolved again for each of the many files below it.
//!
//! Files are named by their path below the folder, with `/` between its parts. If the system has no handles for
//! folders, or does not provide one for this folder, the whole path is used. A file whose name is stored with separate
//! accents is named in Unicode form NFC all the same.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

#[cfg(unix)]
use std::os::fd::OwnedFd;

#[cfg(unix)]
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, openat, statat},
    io::retry_on_intr,
};

/// A folder and its handle.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    handle: Option<Arc<OwnedFd>>,
    /// The names on disk of the files that are stored under another one.
    stored: Arc<HashMap<String, String>>,
    /// Texts that are read in place of those on disk.
    texts: Arc<HashMap<String, String>>,
}

impl Folder {
    /// Opens the folder at `path`; if that fails, the whole paths of its files are used.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            #[cfg(unix)]
            handle: File::open(path).ok().map(|folder| Arc::new(folder.into())),
            stored: Arc::default(),
            texts: Arc::default(),
        }
    }

    /// Returns the same folder with texts that are read in place of those on disk.
    pub fn with_texts(mut self, texts: HashMap<String, String>) -> Self {
        self.texts = Arc::new(texts);
        self
    }

    /// Returns whether these are the texts that are read in place of those on disk.
    pub fn has_texts(&self, texts: &HashMap<String, String>) -> bool {
        *self.texts == *texts
    }

    /// Returns the text that is read in place of a file.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.texts.get(file).map(String::as_str)
    }

    /// Returns the same folder with the names on disk of files that are stored under another one.
    pub fn with_stored(mut self, stored: HashMap<String, String>) -> Self {
        self.stored = Arc::new(stored);
        self
    }

    fn stored<'f>(&'f self, file: &'f str) -> &'f str {
        self.stored.get(file).map_or(file, String::as_str)
    }

    /// Returns the whole path of a file, for messages and for rare operations.
    pub fn path_of(&self, file: &str) -> PathBuf {
        self.path.join(self.stored(file))
    }

    /// Opens a file for reading.
    pub fn open(&self, file: &str) -> io::Result<File> {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            return open(handle, self.stored(file), OFlags::RDONLY);
        }
        File::open(self.path_of(file))
    }

    /// Creates a file for writing, which must not exist.
    pub fn create_new(&self, file: &str) -> io::Result<File> {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            return open(handle, file, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL);
        }
        OpenOptions::new().write(true).create_new(true).open(self.path_of(file))
    }

    /// Returns the length of a file in bytes; `None` if there is none, or something else, such as a link to one.
    pub fn length_of(&self, file: &str) -> Option<u64> {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            let found = retry_on_intr(|| statat(handle, file, AtFlags::SYMLINK_NOFOLLOW)).ok()?;
            let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
            return is_file.then(|| u64::try_from(found.st_size).ok()).flatten();
        }
        let metadata = self.path_of(file).symlink_metadata().ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

/// Opens or creates a file below the folder of `handle`, in the same way as the standard library does.
#[cfg(unix)]
fn open(handle: &OwnedFd, file: &str, how: OFlags) -> io::Result<File> {
    let opened = retry_on_intr(|| openat(handle, file, how | OFlags::CLOEXEC, Mode::from_raw_mode(0o666)))?;
    Ok(opened.into())
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        io::{Read as _, Write as _},
    };

    use super::*;

    #[test]
    fn files_are_found_by_their_path_below_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        fs::create_dir(place.path().join("en")).unwrap();
        folder.create_new("en/a.html").unwrap().write_all(b"text").unwrap();
        assert_eq!(fs::read(place.path().join("en/a.html")).unwrap(), b"text");
        let mut text = String::new();
        folder.open("en/a.html").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        assert_eq!(folder.length_of("en/a.html"), Some(4));
        assert_eq!(folder.length_of("en"), None);
        assert_eq!(folder.length_of("en/b.html"), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a.html", place.path().join("en/link.html")).unwrap();
            assert_eq!(folder.length_of("en/link.html"), None);
        }
        assert_eq!(folder.create_new("en/a.html").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(folder.open("tr/a.html").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(folder.path_of("en/a.html"), place.path().join("en/a.html"));
    }

    #[test]
    fn folder_that_was_not_there_is_still_looked_for() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(&place.path().join("later"));
        assert!(folder.open("a").is_err());
        fs::create_dir(place.path().join("later")).unwrap();
        folder.create_new("a").unwrap().write_all(b"12").unwrap();
        assert_eq!(folder.length_of("a"), Some(2));
        assert!(folder.open("a").is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn file_has_the_rights_that_any_new_file_has() {
        use std::os::unix::fs::PermissionsExt as _;

        let place = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(place.path().join(name)).unwrap().permissions().mode();
        Folder::new(place.path()).create_new("ours").unwrap();
        File::create(place.path().join("theirs")).unwrap();
        assert_eq!(mode("ours"), mode("theirs"));
    }
}
