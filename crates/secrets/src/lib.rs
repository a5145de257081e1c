//! Secrets and mailboxes: their form, how secrets are made, and the digests that are stored.
//!
//! Security: a random secret has more than 160 bits, so a plain SHA-256 of it can be stored. Codes, links and IDs of
//! attempts must be shown again and are derived from a seed in the store and a pepper beside it (`derived`): one
//! without the other is worthless.

use std::fmt;

use subtle::ConstantTimeEq as _;

mod derived;
mod digest;
mod entropy;
mod mailbox;
mod pepper;

pub use self::{
    digest::Digest,
    entropy::{Entropy, NoEntropy},
    mailbox::Mailbox,
    pepper::{Pepper, PepperError},
};

/// A secret in clear. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a received text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Wraps a generated secret. Tests search their logs for each of them.
    fn generated(text: String) -> Self {
        #[cfg(feature = "testing")]
        journal::secrets::note_if_recorded(&text);
        Self(text)
    }

    /// Returns the text, for the person or agent that it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the stored digest.
    pub fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[secret]")
    }
}

/// Compares a secret. Security: in constant time.
pub fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub Secret);

        impl $name {
            /// Wraps a received text. A wrong one is not found in the store.
            pub fn new(text: impl Into<String>) -> Self {
                Self(Secret::new(text))
            }
        }
    )* };
}

tokens! {
    /// The token with which an agent claims its registration.
    ClaimToken;
    /// The token of a claim link.
    LinkToken;
    /// The token of an access link.
    AccessToken;
    /// The token of an unsubscribe link.
    StopToken;
}

/// The ID of a registration. Not a secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct RegistrationId(String);

impl RegistrationId {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RegistrationId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The seed of derived secrets. Worthless without the pepper.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Seed(String);

impl Seed {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Base-62 digits of a secret: 160.7 bits.
pub const DIGITS: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Appends base-62 digits made from `bytes` until `text` has `length` characters. Bytes that would bias the digits are
/// skipped.
fn append(text: &mut String, bytes: &[u8], length: usize) {
    let digits = bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(ALPHABET[usize::from(byte % 62)]));
    text.extend(digits.take(length.saturating_sub(text.len())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_never_printed() {
        let token = LinkToken::new("cvt_hunter2");
        assert!(!format!("{token:?}").contains("hunter2"));
    }
}
