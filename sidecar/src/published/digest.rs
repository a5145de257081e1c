//! SHA-256 digests as the manifest writes them.

use std::{fmt, io};

use sha2::Digest as _;

/// A SHA-256 digest. Its first half is the entity tag of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Sha256([u8; 32]);

impl Sha256 {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// Returns both halves; the first is the entity tag of a file.
    pub(crate) fn halves(self) -> ([u8; 16], [u8; 16]) {
        let (mut first, mut second) = ([0; 16], [0; 16]);
        first.copy_from_slice(&self.0[..16]);
        second.copy_from_slice(&self.0[16..]);
        (first, second)
    }

    pub(crate) fn from_halves(first: [u8; 16], second: [u8; 16]) -> Self {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&first);
        bytes[16..].copy_from_slice(&second);
        Self(bytes)
    }

    /// Parses 64 lower-case hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits: &[u8; 64] = text.as_bytes().try_into().ok()?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(Self(bytes))
    }
}

/// A writer that digests its input.
#[derive(Default)]
pub(super) struct Hashing(sha2::Sha256);

impl Hashing {
    /// Returns the digest of all written bytes.
    pub(super) fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn digest_survives_its_text() {
        assert_eq!(Sha256::parse(EMPTY), Some(Sha256::of(b"")));
        assert_eq!(Sha256::of(b"").to_string(), EMPTY);
        let (first, second) = Sha256::of(b"").halves();
        assert_eq!(Sha256::from_halves(first, second), Sha256::of(b""));
    }

    #[test]
    fn digest_is_sixty_four_lower_case_digits() {
        for text in ["", &EMPTY[1..], &EMPTY.to_uppercase(), &format!("{EMPTY}0"), &EMPTY.replace('e', "g")] {
            assert_eq!(Sha256::parse(text), None, "{text}");
        }
    }
}
