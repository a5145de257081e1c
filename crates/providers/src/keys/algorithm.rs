//! Signature algorithms.

use jsonwebtoken::Algorithm as Library;

/// A signature algorithm. Security: all use public keys, so a public key is never used as an HMAC secret, and there is
/// no `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// RSA PKCS #1 v1.5 with SHA-256.
    Rs256,
    /// RSA PSS with SHA-256.
    Ps256,
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    /// All algorithms, the default of the trust list.
    pub(crate) const ALL: [Self; 5] = [Self::Es256, Self::Es384, Self::Rs256, Self::Ps256, Self::EdDsa];

    /// Parses a name (RFC 7518, 3.1; RFC 8037, 3.1). `Ed25519` (RFC 9864, 2.2) is `EdDSA` here.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let name = if name == "Ed25519" { Self::EdDsa.name() } else { name };
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
            Self::EdDsa => "EdDSA",
        }
    }

    pub(super) const fn verified_as(self) -> Library {
        match self {
            Self::Es256 => Library::ES256,
            Self::Es384 => Library::ES384,
            Self::Rs256 => Library::RS256,
            Self::Ps256 => Library::PS256,
            Self::EdDsa => Library::EdDSA,
        }
    }
}
