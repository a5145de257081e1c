//! Files of certificates that other settings name.

use std::{fs, io, path::Path};

/// The text of the file at `path`, in PEM.
pub(crate) fn certificates(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}
