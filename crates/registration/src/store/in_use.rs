//! A mark beside a file, which says that a process has it open.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// A mark beside a file, which says that a process has it open. It goes with its owner, however that ends.
#[derive(Debug)]
pub struct InUse {
    _file: File,
}

impl InUse {
    /// Marks the file at `path` as open; others may have it open too. Returns `None` if another process excludes all
    /// others.
    pub(super) fn mark(path: &Path) -> io::Result<Option<Self>> {
        Self::open_and_lock(path, File::try_lock_shared)
    }

    /// Keeps all others from opening the file at `path` until the result is dropped. Returns `None` if a process has it
    /// open.
    pub fn exclude(path: &Path) -> io::Result<Option<Self>> {
        Self::open_and_lock(path, File::try_lock)
    }

    /// Returns where the mark of the file at `path` is.
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
