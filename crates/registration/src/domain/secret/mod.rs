//! Secrets: what they look like, how they are made, and the digests by which they are stored.
//!
//! Security: a random secret has more than 160 bits, so its plain SHA-256 can be stored. What must be shown again later
//! (codes, links, names of attempts) is not random but derived from a seed in the store and a pepper beside it
//! ([`derived`]): having only one of the two is worth nothing.

use std::fmt;

use subtle::ConstantTimeEq as _;

mod derived;
mod entropy;
mod pepper;

pub(crate) use self::entropy::NoEntropy;
pub use self::{
    entropy::Entropy,
    pepper::{Pepper, PepperError},
};
use super::digest::Digest;

/// A secret in clear. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes over a text that was sent.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Wraps a secret that is made here. The logs of tests are searched for every one of them.
    fn generated(text: String) -> Self {
        #[cfg(test)]
        journal::secrets::note(&text);
        #[cfg(all(not(test), feature = "testing"))]
        journal::secrets::note_if_recorded(&text);
        Self(text)
    }

    /// Returns the text, to be sent to the person or agent that it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the digest by which the store knows it.
    pub fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[secret]")
    }
}

/// Whether two texts, one of which is secret, are the same. Security: the time does not depend on where they differ.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub Secret);

        impl $name {
            /// Takes over a text that was sent. A wrong text is simply unknown to the store.
            pub fn new(text: impl Into<String>) -> Self {
                Self(Secret::new(text))
            }
        }
    )* };
}

tokens! {
    /// The token with which an agent claims its registration.
    ClaimToken;
    /// The token in the link that a person was sent in order to agree to a claim.
    LinkToken;
    /// The token in the link that a person was sent in order to see what agents hold.
    AccessToken;
    /// The token in the link with which a person stops messages.
    StopToken;
}

/// The name of a registration. Not a secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct RegistrationId(String);

impl RegistrationId {
    /// Takes over a name.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RegistrationId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What the secrets of an attempt or of a link are derived from. Worth nothing without the pepper.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Seed(String);

impl Seed {
    /// Takes over a seed from the store.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The number of base-62 digits of a secret: 160.7 bits.
pub const DIGITS: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Appends base-62 digits made from `bytes` until `text` has `length` characters. Bytes that would favour the first
/// digits are skipped.
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
