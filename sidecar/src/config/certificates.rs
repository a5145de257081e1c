//! Files of certificates that other settings name.

use std::{fs, io, path::Path};

/// Reads the PEM text of the file at `path`, which must hold at least one certificate.
pub(crate) fn certificates(path: &Path) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    if text.contains("-----BEGIN CERTIFICATE-----") { Ok(text) } else { Err(io::ErrorKind::InvalidData.into()) }
}
