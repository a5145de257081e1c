//! Copies the store into a file, completely or not at all.

use std::{
    fs::{self, File, TryLockError},
    io,
    num::NonZeroUsize,
    path::Path,
};

use clock::{Time, timestamp};
use registration::store::{self, FileErrorKind, Location, Store};

use super::{
    TaskError,
    place::{draft_of, failed, sync_folder, with_suffix},
};
use crate::{
    ServicesError,
    services::{self, ResolvedConfig},
};

/// The ending of a copy that is not complete.
const PART: &str = ".part";

/// Copies the store into the file at `path`. Until the copy is complete, it is in a `.part` file, which the next backup
/// replaces if this process is killed.
///
/// The store is copied without a migration: a copy made before an upgrade must have the tables of the version that
/// still runs.
pub(super) fn run(resolved: &ResolvedConfig, path: &Path) -> Result<String, TaskError> {
    let count = super::count_phrase(copy(resolved, path)?, "registration");
    let path = path.display();
    Ok(format!("{count} copied to {path}; the copy was opened and counted, and the secret file is not part of it"))
}

/// Copies the store into a new file in `folder`, named for `now`; then deletes all but the newest `keep` copies. A copy
/// is deleted only after another is complete, and no file with another name is.
pub(super) fn rotate(
    resolved: &ResolvedConfig,
    folder: &Path,
    keep: NonZeroUsize,
    now: Time,
) -> Result<String, TaskError> {
    if !folder.is_dir() {
        return Err(TaskError::NoFolder(folder.to_owned()));
    }
    let report = run(resolved, &folder.join(name_of(now)))?;
    let mut copies = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let entry = entry.map_err(failed(folder))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if is_name(name) {
            copies.push(entry.path());
        } else if name.strip_suffix(PART).is_some_and(is_name) {
            // An interrupted command left it. One in progress has locked its own.
            drop(new_part(&entry.path()).map_err(failed(folder))?.map(|_| fs::remove_file(entry.path())));
        }
    }
    // The names are in the order of time.
    copies.sort();
    let surplus = copies.len().saturating_sub(keep.get());
    for copy in copies.iter().take(surplus) {
        fs::remove_file(copy).map_err(failed(copy))?;
    }
    Ok(format!("{report}; {} kept", copies.len() - surplus))
}

/// Returns the name of a copy made at `now`: `registrations-20261129T030000Z.db`.
fn name_of(now: Time) -> String {
    let digits: String =
        timestamp(now.millis()).chars().take(19).filter(|letter| !matches!(letter, '-' | ':')).collect();
    format!("registrations-{digits}Z.db")
}

/// Whether `name` is one that [`name_of`] returns.
fn is_name(name: &str) -> bool {
    let stamp = name.strip_prefix("registrations-").and_then(|rest| rest.strip_suffix("Z.db"));
    stamp.is_some_and(|stamp| {
        stamp.len() == 15
            && stamp.bytes().enumerate().all(|(at, byte)| byte == b'T' || (at != 8 && byte.is_ascii_digit()))
    })
}

/// Copies the store into the file at `path`, and returns the number of registrations in the copy.
fn copy(resolved: &ResolvedConfig, path: &Path) -> Result<u64, TaskError> {
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
    let part = with_suffix(&whole, PART);
    let name_of_part = part.to_str().ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?.to_owned();
    // The database writes into this empty, private file.
    let file = new_part(&part).map_err(&failed)?.ok_or_else(|| TaskError::Copying(path.to_owned()))?;
    let copied = match runtime.block_on(store.copy_to(name_of_part)) {
        // The store may have been empty, or another program's file.
        Ok(()) => match runtime.block_on(store::examine(&part)) {
            None => Err(uncopied(FileErrorKind::NoStore)),
            // SQLite does not sync the copy to disk.
            Some(count) => file.sync_all().and_then(|()| name(&part, &whole)).map(|()| count).map_err(failed),
        },
        Err(fault) => Err(uncopied(fault)),
    };
    let removed = fs::remove_file(&part);
    let count = copied?;
    drop(removed);
    sync_folder(&whole).map_err(super::place::failed(path))?;
    Ok(count)
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
