//! Marks a file as open, by a lock on a file beside it.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// The mark. It ends when dropped, or with the process.
#[derive(Debug)]
pub struct InUse {
    _file: File,
}

impl InUse {
    /// Marks the file at `path` as open. Several processes may do so. Returns `None` if a process excludes all others.
    pub(super) fn mark(path: &Path) -> io::Result<Option<Self>> {
        Self::open_and_lock(path, File::try_lock_shared)
    }

    /// Keeps other processes from opening the file at `path` until the result is dropped. Returns `None` if one has it
    /// open.
    pub fn exclude(path: &Path) -> io::Result<Option<Self>> {
        Self::open_and_lock(path, File::try_lock)
    }

    /// Returns the path of the mark.
    pub(super) fn path(path: &Path) -> PathBuf {
        path.with_extension("in-use")
    }

    fn open_and_lock(path: &Path, lock: fn(&File) -> Result<(), TryLockError>) -> io::Result<Option<Self>> {
        private_files::folder(private_files::folder_of(path))?;
        let file = private_files::append(&Self::path(path))?;
        match lock(&file) {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
