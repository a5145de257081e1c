//! The secret by which an edge module proves that it sent a request, whatever the network.

use std::{fmt, net::IpAddr};

use subtle::ConstantTimeEq as _;

/// A secret that the sidecar shares with an edge module. Security: never printed, and compared only in constant time.
#[derive(Clone, PartialEq, Eq)]
pub struct EdgeSecret(Box<[u8]>);

impl EdgeSecret {
    /// Parses 32 to 256 visible ASCII characters: a shorter secret could be guessed, and a header field carries no
    /// others.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_secret = (32..=256).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_secret.then(|| Self(text.as_bytes().into()))
    }

    /// Returns the address in `value`, which is the secret, a space and the address.
    pub(crate) fn client(&self, value: &[u8]) -> Option<IpAddr> {
        let (secret, address) = value.split_at_checked(self.0.len())?;
        let is_known: bool = self.0.ct_eq(secret).into();
        let address = str::from_utf8(address.strip_prefix(b" ")?).ok()?;
        if is_known { address.parse().ok() } else { None }
    }
}

impl fmt::Debug for EdgeSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[redacted]")
    }
}
