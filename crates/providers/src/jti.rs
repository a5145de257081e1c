//! The key of a token that may be used once.

use secrets::Digest;

/// SHA-256 of a `jti`; with the issuer, the key of a seen token.
///
/// Security: assertions and reports have separate keys. A provider may number them separately; its reports would then
/// look repeated and revoke nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JtiDigest(Digest);

impl JtiDigest {
    pub fn of(jti: &str) -> Self {
        Self(Digest::of(jti.as_bytes()))
    }

    /// Computes the digest of a report's `jti`. No `jti` has a control character, so no assertion has this digest.
    pub fn of_report(jti: &str) -> Self {
        Self(Digest::of(format!("report\0{jti}").as_bytes()))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_plain_sha256() {
        assert_eq!(JtiDigest::of("abc").as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn assertion_and_report_with_one_jti_are_two_tokens() {
        assert_ne!(JtiDigest::of("abc"), JtiDigest::of_report("abc"));
    }
}
