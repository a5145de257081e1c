//! Bytes as lower-case hexadecimal digits, the form in which digests are written everywhere.

use sha2::{Digest as _, Sha256};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Returns two digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        digits.extend([byte >> 4, byte & 15].map(|half| DIGITS[usize::from(half)] as char));
    }
    digits
}

/// Returns the first 16 digits of a file's SHA-256: the fingerprint of its content in its public name.
pub(crate) fn fingerprint(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..8])
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn byte_is_two_digits() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
    }
}
