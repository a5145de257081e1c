//! Agent providers: the trust list, their keys, and verified tokens.
//!
//! Independent of the store, of HTTP and of registrations; the consequences of a token are in [`super::assertion`] and
//! [`super::event`]. JSON Web Tokens are read only here.

mod client;
mod jti;
mod keys;
mod signed;
mod trust;
mod verifier;

use std::time::Duration;

use contract::id_jag::CLOCK_SKEW;

#[cfg(test)]
pub(crate) use self::keys::Algorithm;
pub(super) use self::signed::TokenKind;
pub use self::{client::PresentedClient, keys::Keys, trust::Trust, verifier::Verifier};
pub(crate) use self::{
    jti::JtiDigest,
    signed::{Claims, named},
    trust::Provider,
    verifier::NotVerified,
};

/// Accepted clock skew between a provider and this machine.
pub(crate) const SKEW: Duration = Duration::from_secs(CLOCK_SKEW);

#[cfg(test)]
pub(crate) mod tests;
