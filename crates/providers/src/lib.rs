//! Agent providers: the trust list, their keys, and verified tokens.
//!
//! Independent of the store, of HTTP and of registrations; a verified token is an [`Assertion`] or a [`ProviderEvent`].
//! JSON Web Tokens are read only here.

mod assertion;
mod client;
mod client_metadata;
mod event;
mod jti;
mod keys;
mod signed;
pub mod strict_json;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod trust;
mod verifier;

use std::time::Duration;

use contract::id_jag::CLOCK_SKEW;

pub use self::{
    assertion::{Assertion, AssertionError, Subject, resource_name},
    client::{ClientAuthError, PresentedClient},
    event::{Demand, EventError, EventErrorKind, EventSubject, ProviderEvent},
    jti::JtiDigest,
    keys::Keys,
    trust::Trust,
    verifier::{Verifier, reach_keys},
};

/// Accepted clock skew between a provider and this machine.
pub const SKEW: Duration = Duration::from_secs(CLOCK_SKEW);

#[cfg(test)]
mod tests;
