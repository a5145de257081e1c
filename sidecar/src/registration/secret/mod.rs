//! Secrets: what they look like, how they are made, and the digests by which they are kept.
//!
//! Security: a random secret has more than 160 bits, so its plain SHA-256 can be stored. What must be shown again
//! later (codes, links, names of attempts) is not random but derived from a seed in the store and a pepper beside it
//! ([`derived`]): who has one of the two has nothing.

use std::fmt;

use subtle::ConstantTimeEq as _;

mod derived;
mod entropy;
mod pepper;

use super::digest::Digest;

pub use self::entropy::Entropy;
pub(crate) use self::{
    entropy::NoEntropy,
    pepper::{Pepper, PepperError},
};

/// A secret in clear. It is printed nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Takes over what somebody sent.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// One that is made here. The log of the unit tests is searched for every one of them.
    fn made(text: String) -> Self {
        #[cfg(test)]
        journal::secrets::note(&text);
        Self(text)
    }

    /// The text, to be sent to the one whom it is for.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// What the store knows it by.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[secret]")
    }
}

/// Whether two texts of which one is secret are the same. Security: it takes as long wherever they differ.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) Secret);

        impl $name {
            /// Takes over what somebody sent. A wrong text is simply not known to the store.
            pub(crate) fn new(text: impl Into<String>) -> Self {
                Self(Secret::new(text))
            }
        }
    )* };
}

tokens! {
    /// With which an agent claims its registration.
    ClaimToken;
    /// In the link that a person was sent to agree to a claim.
    LinkToken;
    /// In the link that a person was sent to see what agents hold.
    AccessToken;
    /// In the link with which a person wants no more messages.
    StopToken;
}

/// Names a registration. No secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct RegistrationId(String);

impl RegistrationId {
    /// Takes over a name.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RegistrationId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// From which the secrets of an attempt or of a link are derived. Worth nothing without the pepper.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Seed(String);

impl Seed {
    /// Takes over a seed of the store.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Number of base-62 digits of a secret: 160.7 bits.
pub(crate) const DIGITS: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Appends base-62 digits made from `bytes` until `text` has `length` characters. Bytes that would favour the first
/// digits are left out.
fn append(text: &mut String, bytes: &[u8], length: usize) {
    let digits = bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(ALPHABET[usize::from(byte % 62)]));
    text.extend(digits.take(length.saturating_sub(text.len())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let token = LinkToken::new("cvt_hunter2");
        assert!(!format!("{token:?}").contains("hunter2"));
    }
}
