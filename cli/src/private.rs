//! Files that only their owner may read, written whole or not at all.

use std::{fs, io, io::Write as _, path::Path};

/// Makes `folder` and what is missing above it.
#[cfg(unix)]
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes `folder` and what is missing above it.
#[cfg(not(unix))]
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// What must outlive a power cut, and what can be asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worth {
    Lasting,
    Passing,
}

/// Puts `bytes` at `file`: a reader sees the old file or the new one, never half of one.
pub(crate) fn replace(file: &Path, bytes: &[u8], worth: Worth) -> io::Result<()> {
    let temporary = file.with_extension(std::process::id().to_string());
    let written = create(&temporary).and_then(|mut new| {
        new.write_all(bytes)?;
        if worth == Worth::Lasting {
            new.sync_all()?;
        }
        fs::rename(&temporary, file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file. What somebody else put at its place, a link perhaps, is taken away first and never written through.
fn create(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    let _ = fs::remove_file(path);
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
