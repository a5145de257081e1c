//! Files as operators' commands put them in place: for their owner alone, and kept when the power is lost.

use std::{
    ffi::OsString,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::TaskError;
use crate::private;

/// Makes last what its folder says of the file at `path`.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::options().read(true).open(private::folder_of(path))?.sync_all()
}

/// The path whose name ends with `ending` as well.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Where a restore prepares what is to take the place of the store at `path`.
pub(super) fn draft_of(path: &Path) -> PathBuf {
    path.with_extension("restored")
}

pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> TaskError + use<> {
    let path = path.to_owned();
    move |error| TaskError::File(path.clone(), error)
}
