//! Files that only their owner may read: the store, its lock files and copies, the secret file, and messages; and whether the
//! service can use its files.

#[cfg(unix)]
mod access;
#[cfg(unix)]
mod service_unit;
mod space;

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

#[cfg(unix)]
pub use self::access::examine_as_root;
pub use self::space::examine_space;

/// What the service reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct ServiceFiles<'a> {
    pub settings: Option<&'a Path>,
    /// The folder of the build.
    pub build: &'a Path,
    /// Other files that the service reads.
    pub read: &'a [&'a Path],
    /// Files and folders that the service writes. The owner of the first one is its user if no unit names one.
    pub written: &'a [&'a Path],
}

/// What was found about the service's user, or about a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessFinding {
    Fine(String),
    /// Nothing can be said, for this reason.
    Unknown(String),
    Fault(String),
}

#[cfg(not(unix))]
pub fn examine_as_root(_: &ServiceFiles<'_>) -> Vec<AccessFinding> {
    Vec::new()
}

/// Returns options that create a file with mode 0600. An existing file keeps its permissions.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Resolves the links in `path`, which need not exist.
pub fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match path.file_name() {
        Some(name) => real(folder_of(path)).join(name),
        None => path.to_owned(),
    })
}

/// Creates `folder` with mode 0700; an existing one keeps its permissions.
pub fn folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns the number of the user who owns a file that the owner of its folder cannot read.
#[cfg(unix)]
pub fn other_owner(file: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    let (of_file, of_folder) = (file.metadata().ok()?, folder_of(file).metadata().ok()?);
    let is_readable = of_file.uid() == of_folder.uid()
        || of_folder.uid() == 0
        || (of_file.mode() & 0o040 != 0 && of_file.gid() == of_folder.gid());
    (!is_readable).then_some(of_file.uid())
}

#[cfg(not(unix))]
pub fn other_owner(_: &Path) -> Option<u32> {
    None
}

/// Creates a file for writing; fails if the path exists, even as a dangling link.
///
/// A file that root creates is given to the owner of the folder: an operator may run commands as root, and the service,
/// another user, must be able to open the files.
pub fn create_new(path: &Path) -> io::Result<File> {
    let file = options().write(true).create_new(true).open(path)?;
    #[cfg(unix)]
    give_to_folder_owner(&file, path);
    Ok(file)
}

/// Opens a file for appending, or creates it as [`create_new`] does.
pub fn append(path: &Path) -> io::Result<File> {
    match create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options().create(true).append(true).open(path),
        created => created,
    }
}

/// Gives `file`, just created at `path`, to the owner of its folder, if this process may.
///
/// Security: uses the handle of a file that did not exist before, so that no link leads root to another file.
#[cfg(unix)]
fn give_to_folder_owner(file: &File, path: &Path) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    if let (Ok(folder), Ok(own)) = (folder_of(path).metadata(), file.metadata())
        && folder.uid() != own.uid()
    {
        // Only root may do this; other users need not.
        let _ = fchown(file, Some(folder.uid()), Some(folder.gid()));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

    use super::*;

    #[test]
    fn new_files_are_private_to_the_owner_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().metadata().unwrap().uid();
        // As root, the folder belongs to another user; otherwise to this one.
        let owner = if chown(folder.path(), Some(4321), Some(4321)).is_ok() { 4321 } else { own };
        for (name, make) in [("new", create_new as fn(&Path) -> _), ("more", append), ("more", append)] {
            let made = make(&folder.path().join(name)).unwrap().metadata().unwrap();
            assert_eq!((made.uid(), made.permissions().mode() & 0o777), (owner, 0o600), "{name}");
        }
        assert_eq!(create_new(&folder.path().join("new")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn owner_changes_only_of_new_files_and_not_through_a_link() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let target = elsewhere.path().join("somebody's");
        std::fs::write(&target, "text").unwrap();
        let owner = target.metadata().unwrap().uid();
        std::os::unix::fs::symlink(&target, folder.path().join("link")).unwrap();
        let _ = chown(folder.path(), Some(4321), Some(4321));
        assert!(create_new(&folder.path().join("link")).is_err());
        drop(append(&folder.path().join("link")));
        assert_eq!(target.metadata().unwrap().uid(), owner);
    }
}
