//! The fingerprint of its content in a file's public name.

use sha2::{Digest as _, Sha256};

use crate::hex::hex;

/// Returns the first 16 hexadecimal digits of a file's SHA-256.
pub(crate) fn fingerprint(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..8])
}
