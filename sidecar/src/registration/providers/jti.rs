//! The mark of a token that is good once.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

/// SHA-256 of a `jti`, in hexadecimal. Together with the issuer it is the key under which a token was seen.
///
/// Security: assertions and reports are told apart. A provider that numbers them separately would otherwise send reports
/// that seem to have come before, and what they revoke would live on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct JtiDigest(String);

impl JtiDigest {
    /// The digest of the `jti` of an assertion.
    pub(crate) fn of(jti: &str) -> Self {
        Self::finish(Sha256::new().chain_update(jti))
    }

    /// The digest of the `jti` of a report. No `jti` holds a control character, so it is that of no assertion.
    pub(crate) fn of_report(jti: &str) -> Self {
        Self::finish(Sha256::new().chain_update("report\0").chain_update(jti))
    }

    fn finish(hash: Sha256) -> Self {
        let mut digits = String::with_capacity(64);
        for octet in hash.finalize() {
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

    #[test]
    fn an_assertion_and_a_report_with_one_name_are_two_tokens() {
        assert_ne!(JtiDigest::of("abc"), JtiDigest::of_report("abc"));
    }
}
