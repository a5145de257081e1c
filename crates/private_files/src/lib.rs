//! Files for their owner alone: the store, the files beside it, copies of it, the secret file and kept letters.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Options that create a file for its owner alone. An existing file keeps the permissions that it has.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The folder that contains `path`.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns `path`, which need not exist, without the links that lead there.
pub fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match path.file_name() {
        Some(name) => real(folder_of(path)).join(name),
        None => path.to_owned(),
    })
}

/// Creates `folder` for its owner alone; an existing one stays as it is.
pub fn folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates a file for writing; anything that already exists there, even a link that leads nowhere, is an error.
///
/// A file that root creates is given to the owner of the folder: an operator may restore or look as root, and the
/// service, running as another user, can still open what it finds.
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

/// Gives `file`, which was just created at `path`, to the owner of its folder, if this process may.
///
/// Security: works on its handle, and only if it did not exist before, so that no link leads root to another file.
#[cfg(unix)]
fn give_to_folder_owner(file: &File, path: &Path) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    if let (Ok(folder), Ok(own)) = (folder_of(path).metadata(), file.metadata())
        && folder.uid() != own.uid()
    {
        // Only root may do this, and in a folder that many share no other user has to.
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
        // Root finds the folder of a service; everybody else finds their own.
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
