//! Bytes as lower-case hexadecimal digits, the form in which digests are written everywhere.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Returns two digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        digits.extend([byte >> 4, byte & 15].map(|half| DIGITS[usize::from(half)] as char));
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn an_byte_is_two_digits() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
    }
}
