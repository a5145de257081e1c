//! The mark of a token that may be used only once.

use crate::domain::Digest;

/// SHA-256 of a `jti`. Together with the issuer it is the key under which a token was seen.
///
/// Security: assertions and reports are kept apart. Otherwise, a provider that numbers them separately would send
/// reports that seem to have come before, and what they revoke would live on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct JtiDigest(Digest);

impl JtiDigest {
    /// Computes the digest of the `jti` of an assertion.
    pub(crate) fn of(jti: &str) -> Self {
        Self(Digest::of(jti.as_bytes()))
    }

    /// Computes the digest of the `jti` of a report. No `jti` holds a control character, so no assertion has the same
    /// digest.
    pub(crate) fn of_report(jti: &str) -> Self {
        Self(Digest::of(format!("report\0{jti}").as_bytes()))
    }

    /// Returns it as 64 hexadecimal digits in lower case.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_the_one_that_other_tools_compute() {
        assert_eq!(JtiDigest::of("abc").as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn assertion_and_a_report_with_one_name_are_two_tokens() {
        assert_ne!(JtiDigest::of("abc"), JtiDigest::of_report("abc"));
    }
}
