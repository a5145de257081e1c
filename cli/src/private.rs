//! Files that only their owner can read, written completely or not at all.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::Serialize;

/// Creates `folder` and any missing parents.
#[cfg(unix)]
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates `folder` and any missing parents.
#[cfg(not(unix))]
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Whether the data is flushed to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    Synced,
    Unsynced,
}

/// Writes `bytes` to `file`: a reader sees the old or the new file, never a part.
pub(crate) fn replace(file: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let temporary = file.with_extension(format!("{}.new", std::process::id()));
    let written = create(&temporary).and_then(|mut new| {
        new.write_all(bytes)?;
        if durability == Durability::Synced {
            new.sync_all()?;
        }
        fs::rename(&temporary, file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Writes `value` to `file` as indented JSON.
pub(crate) fn write_json(file: &Path, value: &impl Serialize, durability: Durability) -> io::Result<()> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    replace(file, &bytes, durability)
}

/// Returns the target of `file` after links, and creates `folder`. Security: otherwise a key on a separate (encrypted)
/// volume would be written beside the link.
pub(crate) fn resolve_links(folder: &Path, file: &Path) -> io::Result<PathBuf> {
    create_folder(folder)?;
    match fs::canonicalize(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => Ok(file.to_owned()),
        found => found,
    }
}

/// Opens or creates a lock file.
pub(crate) fn open_lock(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    restrict_to_owner(&mut options);
    options.open(path)
}

/// Creates a file without a name, rewound, as another program's input.
#[cfg(unix)]
pub(crate) fn create_unnamed(folder: &Path, bytes: &[u8]) -> io::Result<fs::File> {
    use std::io::Seek as _;
    create_folder(folder)?;
    let path = folder.join(format!("page.{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    let _ = fs::remove_file(&path);
    options.read(true).write(true).create_new(true);
    restrict_to_owner(&mut options);
    let mut file = options.open(&path)?;
    fs::remove_file(&path)?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Creates a new file. An existing one, perhaps a link, is removed first, never written through.
fn create(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    let _ = fs::remove_file(path);
    options.write(true).create_new(true);
    restrict_to_owner(&mut options);
    options.open(path)
}

/// Lets only the owner read and write new files; on other systems the folder's rules apply.
fn restrict_to_owner(options: &mut fs::OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}
