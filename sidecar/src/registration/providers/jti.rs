//! The mark of a token that is good once.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

/// SHA-256 of a `jti`, in hexadecimal. Together with the issuer it is the key under which a token was seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct JtiDigest(String);

impl JtiDigest {
    /// The digest of `jti`.
    pub(crate) fn of(jti: &str) -> Self {
        let mut digits = String::with_capacity(64);
        for octet in Sha256::digest(jti.as_bytes()) {
            // Writing to a string does not fail.
            _ = write!(digits, "{octet:02x}");
        }
        Self(digits)
    }

    /// 64 hexadecimal digits in lower case.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JtiDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_one_that_other_tools_compute() {
        assert_eq!(JtiDigest::of("abc").as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
