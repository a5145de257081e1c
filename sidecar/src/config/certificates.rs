//! Files of certificates that other settings name.

use std::{fs, io, path::Path};

/// The text of the file at `path`, in PEM, with one certificate at least.
pub(crate) fn certificates(path: &Path) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    if text.contains("-----BEGIN CERTIFICATE-----") { Ok(text) } else { Err(io::ErrorKind::InvalidData.into()) }
}
