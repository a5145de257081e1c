//! Agent providers: which are trusted, where their keys are, and what they signed.
//!
//! Nothing here knows the store, HTTP status codes, what a registration is, or what follows from what was signed: that
//! is in [`super::assertion`] and [`super::event`]. JSON Web Tokens are read only here.

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

/// By how much the clocks of a provider and of this machine may differ.
pub(crate) const SKEW: Duration = Duration::from_secs(CLOCK_SKEW);

#[cfg(test)]
pub(crate) mod tests;
