//! What a file's public name says of its content.

use sha2::{Digest as _, Sha256};

use crate::hex::hex;

/// The first 16 hexadecimal digits of a file's SHA-256.
pub(crate) fn fingerprint(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..8])
}
