//! Paths and durability of the files that operators' commands write.

use std::{
    ffi::OsString,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::TaskError;

/// Makes the folder's entry for the file at `path` durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::options().read(true).open(private_files::folder_of(path))?.sync_all()
}

/// Returns the path with `ending` added to its name.
pub(super) fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Returns the path at which a restore prepares the replacement of the store at `path`.
pub(super) fn draft_of(path: &Path) -> PathBuf {
    path.with_extension("restored")
}

pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> TaskError + use<> {
    let path = path.to_owned();
    move |error| TaskError::File(path.clone(), error)
}
