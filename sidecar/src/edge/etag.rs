//! Strong entity tags (RFC 9110, 8.8.3): half of a digest, in hexadecimal digits and quotes.

/// An entity tag, as a header line.
pub(crate) struct EntityTag([u8; END + 2]);

/// Where the tag begins and ends in its line; its digits are between the quotes.
const START: usize = "etag: ".len();
const END: usize = START + 1 + 32 + 1;

impl EntityTag {
    /// Creates the tag of the bytes whose digest begins with `half`.
    pub(crate) fn of(half: &[u8; 16]) -> Self {
        let mut line = *b"etag: \"                                \"\r\n";
        let (pairs, _) = line[START + 1..END - 1].as_chunks_mut::<2>();
        for (pair, octet) in pairs.iter_mut().zip(half) {
            *pair = [digit(octet >> 4), digit(octet & 15)];
        }
        Self(line)
    }

    /// Returns the tag as it is in a header field.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0[START..END]
    }

    /// Returns the header field.
    pub(crate) fn line(&self) -> &[u8; END + 2] {
        &self.0
    }
}

/// Returns a hexadecimal digit, without a branch and without a table, so that all digits are computed at once.
fn digit(nibble: u8) -> u8 {
    const GAP: u8 = b'a' - b'9' - 1;
    b'0' + nibble + GAP * u8::from(nibble > 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_the_half_in_lower_case_digits_and_quotes() {
        let half = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 0xff, 0x9a, 0xa9, 0x10, 0x0f, 0xf0, 0x5a];
        assert_eq!(EntityTag::of(&half).as_bytes(), b"\"0123456789abcdef00ff9aa9100ff05a\"");
    }
}
