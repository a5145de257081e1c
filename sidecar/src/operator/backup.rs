//! Copies the store into a file, completely or not at all.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

use registration::store::{self, FileErrorKind, Location, Store};

use super::{
    TaskError,
    place::{draft_of, failed, sync_folder, with_suffix},
};
use crate::{
    ServicesError,
    services::{self, ResolvedConfig},
};

/// Copies the store into the file at `path`. Until the copy is complete, it is in a `.part` file, which the next backup
/// replaces if this process is killed.
///
/// The store is copied without a migration: a copy made before an upgrade must have the tables of the version that
/// still runs.
pub(super) fn run(resolved: &ResolvedConfig, path: &Path) -> Result<String, TaskError> {
    let Location::File(original) = resolved.location() else { return Err(TaskError::NotAFile) };
    let uncopied = |fault| TaskError::Uncopied { store: original.clone(), copy: path.to_owned(), fault };
    let runtime = services::runtime()?;
    let store = runtime
        .block_on(Store::open_without_migration(original, runtime.handle().clone()))
        .map_err(ServicesError::from)?;
    let failed = failed(path);
    // SQLite would read a relative name such as `file:x` as a URI.
    let whole = std::path::absolute(path).map_err(&failed)?;
    if whole.is_dir() {
        return Err(TaskError::Folder(path.to_owned()));
    }
    // Security: a copy holds addresses, and the build is published.
    if resolved.publishes(&whole) {
        return Err(TaskError::Published(path.to_owned()));
    }
    if fs::symlink_metadata(&whole).is_ok() {
        return Err(TaskError::Taken(path.to_owned()));
    }
    // A restore would delete a copy of this name as the rest of an earlier attempt.
    if whole == std::path::absolute(draft_of(original)).map_err(&failed)? {
        return Err(TaskError::Draft(whole));
    }
    let part = with_suffix(&whole, ".part");
    let name_of_part = part.to_str().ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?.to_owned();
    // The database writes into this empty, private file.
    let file = new_part(&part).map_err(&failed)?.ok_or_else(|| TaskError::Copying(path.to_owned()))?;
    let copied = match runtime.block_on(store.copy_to(name_of_part)) {
        // The store may have been empty, or another program's file.
        Ok(()) if !runtime.block_on(store::is_store(&part)) => Err(uncopied(FileErrorKind::NoStore)),
        // SQLite does not sync the copy to disk.
        Ok(()) => file.sync_all().and_then(|()| name(&part, &whole)).map_err(failed),
        Err(fault) => Err(uncopied(fault)),
    };
    let removed = fs::remove_file(&part);
    copied?;
    drop(removed);
    sync_folder(&whole).map_err(super::place::failed(path))?;
    let (store, copy) = (original.display(), path.display());
    Ok(format!("the store {store} was copied to {copy}; the secret file is not part of the copy"))
}

/// Creates and locks the file at `path`, replacing an abandoned one. Returns `None` if another process is writing it.
fn new_part(path: &Path) -> io::Result<Option<File>> {
    if fs::symlink_metadata(path).is_ok_and(|before| before.is_file()) {
        match File::options().write(true).open(path)?.try_lock() {
            Ok(()) => fs::remove_file(path)?,
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    // Not given to the owner of the folder: only the user who made the copy has to read it.
    let file = private_files::options().write(true).create_new(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Links `part` as `whole` without replacing an existing file.
fn name(part: &Path, whole: &Path) -> io::Result<()> {
    match fs::hard_link(part, whole) {
        // Some file systems have no hard links.
        Err(error) if error.kind() == io::ErrorKind::Unsupported || error.kind() == io::ErrorKind::PermissionDenied => {
            fs::rename(part, whole)
        }
        done => done,
    }
}
