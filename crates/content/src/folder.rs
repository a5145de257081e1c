//! A folder with an open handle, so that the system does not resolve its path for each of the many files below it.
//!
//! Files are named by their path below the folder, with `/` between its parts. Without a handle the whole path is used.
//! Names are in Unicode form NFC, also if the disk stores another form.

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

/// A folder of content or of output.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    handle: Option<Arc<OwnedFd>>,
    /// The names on disk of files whose stored name is not in form NFC.
    stored: Arc<HashMap<String, String>>,
    /// Texts that replace those on disk.
    texts: Arc<HashMap<String, String>>,
}

impl Folder {
    /// Opens the folder at `path`. Never fails; a folder without a handle uses the whole paths of its files.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            #[cfg(unix)]
            handle: File::open(path).ok().map(|folder| Arc::new(folder.into())),
            stored: Arc::default(),
            texts: Arc::default(),
        }
    }

    /// Sets the texts that replace those on disk.
    #[must_use]
    pub fn with_texts(mut self, texts: HashMap<String, String>) -> Self {
        self.texts = Arc::new(texts);
        self
    }

    /// Returns whether these are the texts that replace those on disk.
    pub fn has_texts(&self, texts: &HashMap<String, String>) -> bool {
        *self.texts == *texts
    }

    /// Returns the text that replaces a file, if any.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.texts.get(file).map(String::as_str)
    }

    /// Sets the names on disk of files whose stored name is not in form NFC.
    #[must_use]
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

    pub fn open(&self, file: &str) -> io::Result<File> {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            return open(handle, self.stored(file), OFlags::RDONLY);
        }
        File::open(self.path_of(file))
    }

    /// Creates a file for writing. Fails if it exists.
    pub fn create_new(&self, file: &str) -> io::Result<File> {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            return open(handle, file, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL);
        }
        OpenOptions::new().write(true).create_new(true).open(self.path_of(file))
    }

    /// Returns the length of a regular file in bytes; `None` for anything else, such as a symbolic link.
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

/// Opens or creates a file below the folder of `handle`, with the same flags and mode as the standard library.
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
    fn file_is_opened_by_its_path_below_the_folder() {
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
    fn folder_created_after_opening_is_found() {
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
    fn created_file_has_the_default_mode() {
        use std::os::unix::fs::PermissionsExt as _;

        let place = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(place.path().join(name)).unwrap().permissions().mode();
        Folder::new(place.path()).create_new("ours").unwrap();
        File::create(place.path().join("theirs")).unwrap();
        assert_eq!(mode("ours"), mode("theirs"));
    }
}
