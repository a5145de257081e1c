//! Digests of secrets and of other values that are only compared.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// SHA-256 of a secret, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        Self::from_bytes(&Sha256::digest(bytes).into())
    }

    /// Wraps 256 bits that were computed otherwise, such as an HMAC.
    pub(super) fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(hexadecimal(bytes))
    }

    /// Wraps a received text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
