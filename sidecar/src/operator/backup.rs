//! Copies the store into a file, whole or not at all.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

use registration::store::{self, FileErrorKind, Location, Store};

use super::{
    TaskError,
    place::{beside, draft_of, failed, sync_folder},
};
use crate::{
    ServicesError,
    services::{self, ResolvedConfig},
};

/// Copies the store into the file at `path`. The copy gets that name only when it is complete. Until then it is in a
/// file beside it, so that a part of one is not taken for a copy, and a process that is killed leaves nothing in the
/// way of the next.
///
/// The store is copied as it is: a copy that is made before another version of the program starts must be one of this
/// version, and a service that runs beside the command knows only its own tables.
pub(super) fn run(resolved: &ResolvedConfig, path: &Path) -> Result<String, TaskError> {
    let Location::File(original) = resolved.location() else { return Err(TaskError::NotAFile) };
    let uncopied = |fault| TaskError::Uncopied { store: original.clone(), copy: path.to_owned(), fault };
    let runtime = services::runtime()?;
    let store = runtime
        .block_on(Store::open_without_migration(original, runtime.handle().clone()))
        .map_err(ServicesError::from)?;
    let failed = failed(path);
    // An absolute path is never taken for anything else.
    let whole = std::path::absolute(path).map_err(&failed)?;
    if whole.is_dir() {
        return Err(TaskError::Folder(path.to_owned()));
    }
    // Security: as for the store itself.
    if resolved.publishes(&whole) {
        return Err(TaskError::Published(path.to_owned()));
    }
    if fs::symlink_metadata(&whole).is_ok() {
        return Err(TaskError::Taken(path.to_owned()));
    }
    // A restore would take it for what an earlier attempt has left, and remove it.
    if whole == std::path::absolute(draft_of(original)).map_err(&failed)? {
        return Err(TaskError::Draft(whole));
    }
    let part = beside(&whole, ".part");
    // The database takes the name as a string.
    let name_of_part = part.to_str().ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?.to_owned();
    // A part of it is never read: it is written into an empty file that already exists.
    let file = new_part(&part).map_err(&failed)?.ok_or_else(|| TaskError::Copying(path.to_owned()))?;
    let copied = match runtime.block_on(store.copy_to(name_of_part)) {
        // The store may have been empty, or another program's file.
        Ok(()) if !runtime.block_on(store::is_store(&part)) => Err(uncopied(FileErrorKind::NoStore)),
        // The database leaves it to the system when its copy is written to disk.
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

/// Creates the file at `path`, replacing what a process that is gone has left there. Returns `None` if a process is
/// still writing it.
fn new_part(path: &Path) -> io::Result<Option<File>> {
    if fs::symlink_metadata(path).is_ok_and(|before| before.is_file()) {
        match File::options().write(true).open(path)?.try_lock() {
            Ok(()) => fs::remove_file(path)?,
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    // It does not matter whose the folder for copies is: only the one who made a copy has to read it.
    let file = private_files::options().write(true).create_new(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Gives the file at `part` the name `whole` as well, replacing nothing.
fn name(part: &Path, whole: &Path) -> io::Result<()> {
    match fs::hard_link(part, whole) {
        // Some file systems allow a file only one name.
        Err(error) if error.kind() == io::ErrorKind::Unsupported || error.kind() == io::ErrorKind::PermissionDenied => {
            fs::rename(part, whole)
        }
        done => done,
    }
}
